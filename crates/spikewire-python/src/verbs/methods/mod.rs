//! The verbs as Python methods: what they are called, which keywords they take, and what they say
//! about themselves. The type stub is made from these files by `tools/faces.py`.
//!
//! Python wants all methods of a class in one block, so each part is a macro that adds its methods
//! and passes the class on: [`set`] to [`one`], and that to [`many`], which writes it.

mod many;
mod one;
mod set;

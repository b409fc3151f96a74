//! The types of columns and bind markers.
//!
//! | module | what it holds |
//! |---|---|
//! | `data_type` | [`Type`], [`Udt`], [`Vector`] and what follows from a type alone |
//! | `option` | `[option]` on the wire, both ways |
//! | `class` | the server's class names, both ways |
//! | `cql` | the spelling of CQL, both ways |
//! | `name` | [`TypeName`]: user-defined types as programs name them |

mod class;
mod cql;
mod data_type;
mod name;
mod option;

pub use cql::InvalidType;
pub use data_type::{DEEPEST, Type, Udt, Vector};
pub use name::TypeName;

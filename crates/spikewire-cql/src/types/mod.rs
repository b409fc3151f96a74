//! The types of columns and bind markers.
//!
//! | module | contents |
//! |---|---|
//! | `data_type` | [`Type`], [`Udt`], [`Vector`] and what follows from a type alone |
//! | `option` | `[option]` on the wire, in both directions |
//! | `class` | the server's class names, in both directions |
//! | `cql` | CQL spelling, in both directions |
//! | `name` | [`TypeName`]: names of user-defined types in programs |

mod class;
mod cql;
mod data_type;
mod name;
mod option;

pub use cql::InvalidType;
pub use data_type::{DEEPEST, Type, Udt, Vector};
pub use name::TypeName;

//! Parsing statements: the part of CQL that clients and the benchmark lab use.
//!
//! | module | contents |
//! |---|---|
//! | [`token`] | names, texts, markers and punctuation |
//! | [`syntax`] | the syntax tree |
//! | [`parse`] | the parser |

mod parse;
mod syntax;
mod token;

pub(crate) use parse::parse;
pub(crate) use syntax::{Condition, CreateTable, Name, Select, Statement, Term};

//! Statements as texts: as much of CQL as clients and the benchmark lab use.
//!
//! | module | what it holds |
//! |---|---|
//! | [`token`] | names, texts, markers and signs |
//! | [`syntax`] | what a statement is made of |
//! | [`parse`] | from tokens to a statement |

mod parse;
mod syntax;
mod token;

pub(crate) use parse::parse;
pub(crate) use syntax::{Condition, MadeTable, Name, Select, Statement, Term};

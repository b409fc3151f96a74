//! Cassandra for Python: sessions, statements, rows.
//!
//! | module | contents |
//! |---|---|
//! | [`api`], [`runner`] | the two sessions; what runs their statements |
//! | [`core`], [`options`] | the core of a session, and the options for opening it |
//! | [`security`] | encryption, and authenticators written in Python |
//! | [`job`], [`ticket`] | Python's side of a statement's steps to its result; who receives it |
//! | [`statement`], [`prepared`], [`bind`], [`table_row`], [`batch`] | statements and values |
//! | [`many`] | one statement with the parameters of many rows |
//! | [`value`], [`classes`] | Python values to CQL and back, including user-defined types |
//! | [`pages`], [`recent_rows`], [`rows`], [`row`] | results |
//! | [`fill`] | tuples and lists whose items are created in place |
//! | [`columns`] | results as columns: Arrow, NumPy, pandas |
//! | [`errors`] | errors as Python exceptions |

pub mod api;
pub mod batch;
pub mod bind;
pub mod canned;
pub mod classes;
pub mod columns;
pub mod core;
pub mod errors;
pub mod fill;
pub mod job;
pub mod many;
pub mod options;
pub mod pages;
pub mod prepared;
pub mod recent_rows;
pub mod row;
pub mod rows;
pub mod runner;
pub mod security;
pub mod statement;
pub mod table_row;
pub mod ticket;
pub mod value;

/// The part of the native module that Python sees.
pub mod module {
    use pyo3::prelude::*;

    /// The module `spikewire._native.cql`.
    #[pymodule(gil_used = false)]
    pub mod cql {
        #[pymodule_export]
        use crate::cql::api::session::{AsyncSessionCore, SessionCore, SessionSubmit};
        #[pymodule_export]
        use crate::cql::batch::Batch;
        #[pymodule_export]
        use crate::cql::columns::{is_table, table_rows};
        #[pymodule_export]
        use crate::cql::many::{Many, how_many};
        #[pymodule_export]
        use crate::cql::prepared::{BoundStatement, Prepared};
        #[pymodule_export]
        use crate::cql::row::Row;
        #[pymodule_export]
        use crate::cql::rows::Rows;
        #[pymodule_export]
        use crate::cql::value::{Mark, decode_value, encode_value};
    }
}

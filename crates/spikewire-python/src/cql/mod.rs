//! Cassandra for Python: sessions, statements, rows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`], [`faces`] | the two sessions, and who runs a statement: the calling thread, an event loop |
//! | [`core`], [`options`] | a session's running half, and what it is opened with |
//! | [`security`] | encryption, and logins by Python code |
//! | [`job`], [`ticket`] | a statement with all that lies between it and its result: preparing, pages |
//! | [`statement`], [`prepared`], [`bind`], [`table_row`], [`batch`] | what is said about one execution, and its values |
//! | [`many`] | one statement with the parameters of many rows |
//! | [`value`], [`classes`] | Python values to CQL and back, those of user-defined types, too |
//! | [`pages`], [`reading`], [`rows`], [`row`] | what comes back |
//! | [`fill`] | tuples and lists whose items are made in their places |
//! | [`columns`] | results as columns: Arrow, NumPy, pandas |
//! | [`errors`] | what goes wrong, as Python exceptions |

pub mod batch;
pub mod bind;
pub mod classes;
pub mod columns;
pub mod core;
pub mod errors;
pub mod faces;
pub mod fill;
pub mod job;
pub mod many;
pub mod options;
pub mod pages;
pub mod prepared;
pub mod reading;
pub mod row;
pub mod rows;
pub mod security;
pub mod session;
pub mod statement;
pub mod table_row;
pub mod ticket;
pub mod value;

/// What Python sees of it.
pub mod module {
    use pyo3::prelude::*;

    /// The module `spikewire._native.cql`.
    #[pymodule(gil_used = false)]
    pub mod cql {
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
        use crate::cql::session::{AsyncSessionCore, SessionCore, SessionSubmit};
        #[pymodule_export]
        use crate::cql::value::Mark;
    }
}

//! Cassandra for Python: sessions, statements, rows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`], [`faces`] | the two sessions, and who runs a statement: the calling thread, an event loop |
//! | [`core`], [`options`] | a session's running half, and what it is opened with |
//! | [`job`], [`ticket`] | a statement with all that lies between it and its result: preparing, pages |
//! | [`statement`], [`bind`] | what is said about one execution, and its values |
//! | [`value`] | Python values to CQL and back |
//! | [`rows`], [`row`] | what comes back |
//! | [`errors`] | what goes wrong, as Python exceptions |

pub mod bind;
pub mod core;
pub mod errors;
pub mod faces;
pub mod job;
pub mod options;
pub mod row;
pub mod rows;
pub mod session;
pub mod statement;
pub mod ticket;
pub mod value;

/// What Python sees of it.
pub mod module {
    use pyo3::prelude::*;

    /// The module `spikewire._native.cql`.
    #[pymodule(gil_used = false)]
    pub mod cql {
        #[pymodule_export]
        use crate::cql::row::Row;
        #[pymodule_export]
        use crate::cql::rows::Rows;
        #[pymodule_export]
        use crate::cql::session::{AsyncSessionCore, SessionCore, SessionSubmit};
        #[pymodule_export]
        use crate::cql::statement::Prepared;
        #[pymodule_export]
        use crate::cql::value::Mark;
    }
}

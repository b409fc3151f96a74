//! `spikewire._native`: the Python bindings of the engine.
//!
//! A method here parses its arguments, builds a request and passes it on to be run. There is no
//! logic that another language would have to repeat.
//!
//! | module | contents |
//! |---|---|
//! | [`aerospike`] | Aerospike: clients, verbs, queries, the builder, drop-ins |
//! | [`cql`] | Cassandra: sessions, statements, rows |
//! | [`bridge`] | what all databases share: futures, event loops, threads, forks |
//! | [`arguments`], [`errors`] | arguments of calls; errors as Python exceptions |
//! | [`columns`] | arrays and tables as Python has them |
//! | [`first_use`] | what is created with the module rather than on first use |
//! | [`gil_cell`] | the mutable state of frozen classes |
//! | [`opening`] | settings of clients from URLs and variables |
//! | [`stages`], [`signals`] | the stages of calls that only Python sees; metrics and events |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
// Modules that call C functions opt in.
#![deny(unsafe_code)]

use pyo3::prelude::*;

mod aerospike;
mod arguments;
mod bridge;
mod columns;
mod cql;
mod errors;
mod first_use;
mod gil_cell;
mod opening;
mod signals;
mod stages;

/// The extension module.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::aerospike::admin::Admin;
    #[pymodule_export]
    use crate::aerospike::admin::accounts::{Accounts, PasswordHash};
    #[pymodule_export]
    use crate::aerospike::api::_at_exit;
    #[pymodule_export]
    use crate::aerospike::api::asynchronous::{AsyncClient, AsyncDataset};
    #[pymodule_export]
    use crate::aerospike::api::blocking::{Client, Dataset};
    #[pymodule_export]
    use crate::aerospike::api::submit::{ClientSubmit, DatasetSubmit};
    #[pymodule_export]
    use crate::aerospike::api::transaction::{TransactionCore, TransactionRetries};
    #[pymodule_export]
    use crate::aerospike::arguments::Newer;
    #[pymodule_export]
    use crate::aerospike::batch::Batch;
    #[pymodule_export]
    use crate::aerospike::calls::context::Step;
    #[pymodule_export]
    use crate::aerospike::chain::{
        _send_chain, PlainBase, ReadBase, RowsBase, SessionBase, StepBase, StepKinds, WriteBase,
    };
    #[pymodule_export]
    use crate::aerospike::compat::named::{
        _make_whole, _plain_keys, _plain_steps, NamedRecords, NamedWrites,
    };
    #[pymodule_export]
    use crate::aerospike::compat::official::OfficialResults;
    #[pymodule_export]
    use crate::aerospike::compat::operations::OfficialOperations;
    #[pymodule_export]
    use crate::aerospike::compat::writes::OfficialWrites;
    #[pymodule_export]
    use crate::aerospike::expression::Expression;
    #[pymodule_export]
    use crate::aerospike::key::{_raw_text_digest, Key};
    #[pymodule_export]
    use crate::aerospike::late::Late;
    #[pymodule_export]
    use crate::aerospike::operation::Operation;
    #[pymodule_export]
    use crate::aerospike::query::asynchronous::AsyncQuery;
    #[pymodule_export]
    use crate::aerospike::query::batches::QueryBatches;
    #[pymodule_export]
    use crate::aerospike::query::blocking::Query;
    #[pymodule_export]
    use crate::aerospike::query::explain::QueryPlan;
    #[pymodule_export]
    use crate::aerospike::query::index::IndexRange;
    #[pymodule_export]
    use crate::aerospike::query::page::Page;
    #[pymodule_export]
    use crate::aerospike::record::Record;
    #[pymodule_export]
    use crate::aerospike::record_type::RecordType;
    #[pymodule_export]
    use crate::aerospike::recording::{RecordingCore, read_trace};
    #[pymodule_export]
    use crate::aerospike::rows::{Apply, Delete, Read, Row, Write};
    #[pymodule_export]
    use crate::aerospike::task::{AdminTask, JobCore};
    #[pymodule_export]
    use crate::aerospike::testing::ClusterCore;
    #[pymodule_export]
    use crate::aerospike::value::{_ordered_maps, GeoJSON, HyperLogLog, Marker};
    #[pymodule_export]
    use crate::bridge::forks::_after_fork;
    #[pymodule_export]
    use crate::bridge::future::FutureBase;
    #[pymodule_export]
    use crate::columns::ArrowTable;
    #[pymodule_export]
    use crate::cql::canned::CannedCore;
    #[pymodule_export]
    use crate::cql::module::cql;
    #[pymodule_export]
    use crate::opening::read_opening;
    #[pymodule_export]
    use crate::signals::Signals;

    use crate::aerospike::compat::row::{OfficialRow, OfficialWrite};
    use crate::first_use;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        first_use::create(module.py())?;
        // In their own module these have the names used by the official client.
        module.add("OfficialRow", module.py().get_type::<OfficialRow>())?;
        module.add("OfficialWrite", module.py().get_type::<OfficialWrite>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEBUG_BUILD", cfg!(debug_assertions))?;
        module.add("BUILD_PROFILE", spikewire_transport::build::PROFILE)?;
        module.add("BUILD_COMMIT", option_env!("SPIKEWIRE_COMMIT"))
    }
}

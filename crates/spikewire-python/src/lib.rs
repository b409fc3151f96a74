//! `spikewire._native`: the Python bindings of the engine.
//!
//! A method here parses its arguments, builds a request and passes it on to be run. There is no
//! logic that another language would have to repeat.
//!
//! | module | contents |
//! |---|---|
//! | [`verbs`], [`many`], [`query`] | the verbs: on one record, on many, on a whole set |
//! | [`face`] | what runs them: the calling thread, an event loop, a background thread |
//! | [`call`] | a checked call of a verb, ready to be run |
//! | [`bridge`] | what all databases share: futures, event loops, threads, forks |
//! | [`client`], [`core`], [`identity`] | a client's options, its core, and its identity |
//! | [`admin`] | info, indexes, modules, jobs: the administrative commands of clients |
//! | [`space`], [`key`], [`arguments`] | arguments: namespace and set, keys, keywords |
//! | [`operation`], [`calls`], [`expression`], [`rows`] | what to do with the records |
//! | [`value`] | Python values to bytes and back |
//! | [`chain`] | steps of the builder |
//! | [`guarded`] | the mutable state of frozen classes |
//! | [`record`], [`batch`] | results |
//! | [`record_type`] | the type of a dataset's records |
//! | [`columns`] | records as arrays and tables, in both directions |
//! | [`compat`] | per-row work of drop-ins for other clients |
//! | [`cql`] | Cassandra: sessions, statements, rows |
//! | [`errors`] | errors as Python exceptions |
//! | [`signals`] | a client's metrics and events |
//! | [`stages`] | the stages of calls that only Python sees |
//! | [`testing`] | the embedded cluster |
//! | [`canned`] | canned replies over CQL |

// Modules that call C functions opt in.
#![deny(unsafe_code)]

use pyo3::prelude::*;

mod admin;
mod arguments;
mod batch;
mod bridge;
mod call;
mod calls;
mod canned;
mod chain;
mod client;
mod columns;
mod compat;
mod core;
mod cql;
mod errors;
mod expression;
mod face;
mod guarded;
mod identity;
mod key;
mod many;
mod operation;
mod query;
mod record;
mod record_type;
mod rows;
mod secrets;
mod signals;
mod space;
mod stages;
mod testing;
mod value;
mod verbs;

/// The extension module.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::admin::Admin;
    #[pymodule_export]
    use crate::admin::accounts::{Accounts, PasswordHash};
    #[pymodule_export]
    use crate::admin::task::{AdminTask, JobCore};
    #[pymodule_export]
    use crate::arguments::Newer;
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::bridge::forks::_after_fork;
    #[pymodule_export]
    use crate::bridge::future::FutureBase;
    #[pymodule_export]
    use crate::calls::context::Step;
    #[pymodule_export]
    use crate::canned::CannedCore;
    #[pymodule_export]
    use crate::chain::{
        _send_chain, PlainBase, ReadBase, RowsBase, SessionBase, StepBase, StepKinds, WriteBase,
    };
    #[pymodule_export]
    use crate::columns::ArrowTable;
    #[pymodule_export]
    use crate::compat::named::{_make_whole, _plain_keys, _plain_steps, NamedRecords, NamedWrites};
    #[pymodule_export]
    use crate::compat::official::OfficialResults;
    #[pymodule_export]
    use crate::compat::operations::OfficialOperations;
    #[pymodule_export]
    use crate::compat::writes::OfficialWrites;
    #[pymodule_export]
    use crate::cql::module::cql;
    #[pymodule_export]
    use crate::expression::Expression;
    #[pymodule_export]
    use crate::face::_at_exit;
    #[pymodule_export]
    use crate::face::asynchronous::{AsyncClient, AsyncDataset};
    #[pymodule_export]
    use crate::face::blocking::{Client, Dataset};
    #[pymodule_export]
    use crate::face::submit::{ClientSubmit, DatasetSubmit};
    #[pymodule_export]
    use crate::key::{_raw_text_digest, Key};
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::query::asynchronous::AsyncQuery;
    #[pymodule_export]
    use crate::query::batches::QueryBatches;
    #[pymodule_export]
    use crate::query::blocking::Query;
    #[pymodule_export]
    use crate::query::index::IndexRange;
    #[pymodule_export]
    use crate::query::page::Page;
    #[pymodule_export]
    use crate::record::Record;
    #[pymodule_export]
    use crate::record_type::RecordType;
    #[pymodule_export]
    use crate::rows::{Apply, Delete, Read, Row, Write};
    #[pymodule_export]
    use crate::signals::Signals;
    #[pymodule_export]
    use crate::testing::ClusterCore;
    #[pymodule_export]
    use crate::value::{_ordered_maps, GeoJSON, HyperLogLog, Marker};

    use crate::compat::row::{OfficialRow, OfficialWrite};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // In their own module these have the names used by the official client.
        module.add("OfficialRow", module.py().get_type::<OfficialRow>())?;
        module.add("OfficialWrite", module.py().get_type::<OfficialWrite>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEBUG_BUILD", cfg!(debug_assertions))?;
        module.add("BUILD_PROFILE", spikewire_transport::build::PROFILE)?;
        module.add("BUILD_COMMIT", option_env!("SPIKEWIRE_COMMIT"))
    }
}

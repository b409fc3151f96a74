//! Everything that PyO3 would create on first use, created with the module.
//!
//! Whoever creates something of PyO3's lets the other threads wait, and a fork meanwhile leaves it
//! half created in the child, where it waits forever. `bridge::cached` is for what is our own.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyDelta, PyMapping, PySequence};

use crate::aerospike::batch::BatchRows;
use crate::aerospike::chain::home::Home;
use crate::aerospike::compat::named::lazy_rows::LazyRows;
use crate::aerospike::query::aggregate::Aggregation;
use crate::aerospike::query::explain::ExplainCall;
use crate::aerospike::query::on_loop::QueryOnLoop;
use crate::aerospike::query::step::{QueryStep, ReadyRecords};
use crate::aerospike::query::stream_driver::StreamDriver;
use crate::aerospike::value::buffer::Buffer;
use crate::bridge::driver::Driver;
use crate::bridge::future::FutureWaiters;
use crate::bridge::query_turns::QueryTurns;
use crate::bridge::waiters::WaiterEvent;
use crate::columns::layout::Layout;
use crate::cql::columns::parameters::TableRows;
use crate::cql::rows::RowIterator;
use crate::cql::table_row::TableRow;
use crate::stages::HandOver;

/// Called when the module is initialised.
pub fn create(py: Python<'_>) -> PyResult<()> {
    // Imports `datetime`, where a failure is an error. PyO3's type checks import it on first use,
    // too, and read a null pointer if a signal interrupts that.
    PyDelta::new(py, 0, 0, 0, false)?;
    // These checks import `collections.abc`.
    let none = py.None().into_bound(py);
    let _ = (none.cast::<PyMapping>(), none.cast::<PySequence>());
    // The classes that the module does not export.
    Aggregation::type_object(py);
    ExplainCall::type_object(py);
    BatchRows::type_object(py);
    Buffer::type_object(py);
    Driver::type_object(py);
    FutureWaiters::type_object(py);
    HandOver::type_object(py);
    Home::type_object(py);
    Layout::type_object(py);
    LazyRows::type_object(py);
    QueryOnLoop::type_object(py);
    QueryStep::type_object(py);
    QueryTurns::type_object(py);
    ReadyRecords::type_object(py);
    RowIterator::type_object(py);
    StreamDriver::type_object(py);
    TableRow::type_object(py);
    TableRows::type_object(py);
    WaiterEvent::type_object(py);
    Ok(())
}

//! Tables as the parameters of many executions.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use spikewire_cassandra::statement::Prepared as Known;
use spikewire_columns::cql::ArrowValue;
use spikewire_columns::source::choice::parameter_columns;
use spikewire_cql::value::encode_bound;
use spikewire_sync::Mutex;

use crate::bridge::errors::type_error;
use crate::bridge::imports::import_late;
use crate::columns::column_error;
use crate::columns::source::{Arrays, is_frame};
use crate::cql::errors::BoxedPyErr;
use crate::cql::prepared::Prepared;
use crate::cql::table_row::TableRow;

/// Whether something is a table: with Arrow's interface, a frame of pandas, an array of NumPy or a
/// dictionary of arrays.
#[pyfunction]
pub fn is_table(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_plain =
        value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>();
    Ok(!is_plain
        && (is_arrays(value)
            || is_frame(value)?
            || value.hasattr("__arrow_c_stream__")?
            || value.hasattr("__arrow_c_array__")?))
}

/// The rows of a table, for a statement whose parameters have the names of its columns.
#[pyfunction]
pub fn table_rows<'py>(
    statement: &Bound<'py, Prepared>,
    table: &Bound<'py, PyAny>,
) -> PyResult<TableRows> {
    let py = table.py();
    let known = statement.get().known.clone();
    let table = if is_arrays(table) {
        import_late(py, "spikewire.cql._arrays")?.call_method1("table", (table,))?
    } else if is_frame(table)? {
        // The index does not become a column.
        let options = PyDict::new(py);
        options.set_item("drop", true)?;
        table.call_method("reset_index", (), Some(&options))?
    } else {
        table.clone()
    };
    let Some(arrays) = Arrays::import(&table)? else {
        return Err(type_error("rows must be a table with the Arrow interface"));
    };
    let DataType::Struct(fields) = arrays.kind() else {
        return Err(type_error(format!(
            "rows must be a table, not a single Arrow column of type {}",
            arrays.kind()
        )));
    };
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let parameters: Vec<&str> = known.parameters.iter().map(|it| &*it.name).collect();
    let columns = parameter_columns(&parameters, &names).map_err(column_error)?;
    let state = TableState { arrays, piece: None, at: 0, row: 0 };
    Ok(TableRows { known, columns, state: Mutex::new(state) })
}

/// Whether this is a NumPy array, or a dictionary of such arrays.
fn is_arrays(table: &Bound<'_, PyAny>) -> bool {
    let is_array = |value: &Bound<'_, PyAny>| {
        let module = value.get_type().module();
        module.is_ok_and(|module| module.to_string().starts_with("numpy"))
            && value.hasattr("dtype").unwrap_or(false)
    };
    match table.cast::<PyDict>() {
        Ok(dict) => !dict.is_empty() && dict.values().iter().all(|value| is_array(&value)),
        Err(_) => is_array(table),
    }
}

struct TableState {
    arrays: Arrays,
    piece: Option<ArrayRef>,
    /// Rows of the current piece that are done, and rows of the table that are done.
    at: usize,
    row: usize,
}

/// Goes through the rows of a table.
#[pyclass(frozen, module = "spikewire._native")]
pub struct TableRows {
    known: Arc<Known>,
    /// The column of each parameter.
    columns: Vec<usize>,
    state: Mutex<TableState>,
}

#[pymethods]
impl TableRows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<TableRow>> {
        let mut state = self.state.lock();
        let TableState { arrays, piece, at, row } = &mut *state;
        while piece.as_ref().is_none_or(|piece| *at >= piece.len()) {
            // A producer may need the interpreter in threads of its own.
            let Some(next) = py.detach(|| arrays.next())? else { return Ok(None) };
            (*piece, *at) = (Some(next), 0);
        }
        let Some(table) = piece.as_ref().and_then(|piece| piece.as_struct_opt()) else {
            return Err(type_error("the Arrow stream gives something that is no table"));
        };
        let mut bytes = Vec::with_capacity(16 * self.columns.len());
        for (parameter, column) in self.known.parameters.iter().zip(&self.columns) {
            let value = ArrowValue::new(&**table.column(*column), *at);
            encode_bound(&parameter.name, &parameter.ty, &value, &mut bytes).map_err(
                |raised: BoxedPyErr| {
                    let place = format!("row {row} of the table");
                    crate::bridge::errors::about(py, raised.into(), &place)
                },
            )?;
        }
        *at += 1;
        *row += 1;
        Ok(Some(TableRow::new(self.known.clone(), bytes)))
    }
}

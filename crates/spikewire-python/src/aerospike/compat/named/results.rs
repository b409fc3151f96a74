//! Results of operations, by bin.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::aerospike::record::Record;

/// The bins to which the results of operations belong.
pub struct NamedResults<'py> {
    /// The bin of each operation, and the index of the first operation on the same bin.
    bins: Vec<Option<(Bound<'py, PyAny>, usize)>>,
    /// Whether `None` counts as a result.
    silent: bool,
}

impl<'py> NamedResults<'py> {
    /// `names`: the bin of each operation, or `None` for an operation without a bin.
    pub fn new(names: &Bound<'py, PyList>, silent: bool) -> PyResult<Self> {
        let mut bins: Vec<Option<(Bound<'py, PyAny>, usize)>> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if name.is_none() {
                bins.push(None);
                continue;
            }
            let mut first = at;
            for known in bins.iter().flatten() {
                if known.0.eq(&name)? {
                    first = known.1;
                    break;
                }
            }
            bins.push(Some((name, first)));
        }
        Ok(Self { bins, silent })
    }

    /// The result for each bin, or a list if there are several.
    pub fn by_bin(
        &self,
        py: Python<'py>,
        record: &Record,
        incoming: impl Fn(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let by_name = PyDict::new(py);
        let results = record.results.as_ref().map(|results| results.bind(py).as_slice());
        let mut many = vec![0_usize; self.bins.len()];
        for (bin, value) in self.bins.iter().zip(results.unwrap_or_default()) {
            let Some((name, first)) = bin else { continue };
            if value.is_none() && !self.silent {
                continue;
            }
            let value = incoming(value.clone())?;
            match many[*first] {
                0 => by_name.set_item(name, value)?,
                1 => {
                    let before = by_name.get_item(name)?;
                    by_name.set_item(name, PyList::new(py, before.into_iter().chain([value]))?)?;
                }
                _ => {
                    let all = by_name.get_item(name)?;
                    all.iter().try_for_each(|all| all.cast::<PyList>()?.append(&value))?;
                }
            }
            many[*first] += 1;
        }
        Ok(by_name.into_any())
    }
}

//! Operations as programs of the official client pass them: dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};

use spikewire_aerospike::command::{check_bin_name, check_read_name, code_of};
use spikewire_aerospike_protocol::message::op;

use super::collections::Collections;
use super::plain;
use crate::aerospike::operation::Operation;
use crate::aerospike::value::pairs;
use crate::bridge::cached::intern;

/// Takes the dictionaries of operations on whole bins with plain values as they are.
///
/// `codes` gives the verb of such an operation by its number. `bools`: whether a `bool` is stored
/// as one. `collections` describes the operations on lists and maps that rows of batches may have:
/// family, kind, required and optional values, the positions of integers among these, the entries
/// that decide about other arguments, and the name of the policy. `decide` returns those arguments,
/// and whether a list is padded.
#[pyclass(frozen, module = "spikewire._native")]
pub struct OfficialOperations {
    codes: Vec<BinOperation>,
    pub(super) bools: bool,
    pub(super) collections: Option<Collections>,
}

/// An operation on a whole bin.
struct BinOperation {
    number: i64,
    code: u8,
    verb: Py<PyString>,
}

/// The contents of an operation's dictionary.
pub(super) struct OperationEntries<'a, 'py> {
    pub code: u8,
    pub verb: &'a Py<PyString>,
    number: Bound<'py, PyAny>,
    pub bin: Bound<'py, PyString>,
    /// `None` for a read.
    pub value: Option<Bound<'py, PyAny>>,
}

impl OperationEntries<'_, '_> {
    /// The bin's name.
    pub fn name(&self) -> &str {
        self.bin.to_str().unwrap_or_default()
    }
}

impl OfficialOperations {
    /// The operation on a whole bin with this number.
    fn known(&self, number: &Bound<'_, PyAny>) -> Option<&BinOperation> {
        let number: i64 = number.cast_exact::<PyInt>().ok()?.extract().ok()?;
        self.codes.iter().find(|known| known.number == number)
    }

    /// Parses a dictionary. `None` if that takes more than reading plain entries.
    pub(super) fn parse<'py>(&self, one: &Bound<'py, PyAny>) -> Option<OperationEntries<'_, 'py>> {
        let py = one.py();
        let one = one.cast_exact::<PyDict>().ok()?;
        let (mut number, mut bin, mut value) = (None, None, None);
        for pair in pairs(one) {
            let (name, part) = pair.ok()?;
            if is(&name, intern!(py, "op")) {
                // Usually the first entry, so that the others of another operation are not read.
                number = Some((self.known(&part)?, part));
            } else if is(&name, intern!(py, "bin")) {
                bin = Some(part);
            } else if is(&name, intern!(py, "val")) {
                value = Some(part);
            } else {
                return None; // Any other entries are for the drop-in to check.
            }
        }
        let ((known, number), bin) = (number?, bin?.cast_into_exact::<PyString>().ok()?);
        let check = if known.code == op::READ { check_read_name } else { check_bin_name };
        check(bin.to_str().ok()?).ok()?;
        let fits = match &value {
            None => known.code == op::READ,
            Some(value) => known.code != op::READ && plain::outgoing(value, self.bools),
        };
        fits.then_some(OperationEntries { code: known.code, verb: &known.verb, number, bin, value })
    }
}

/// Whether a dict's key is this name.
fn is(key: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> bool {
    key.is(name) || key.is_exact_instance_of::<PyString>() && key.eq(name).unwrap_or(false)
}

#[pymethods]
impl OfficialOperations {
    #[new]
    #[pyo3(signature = (codes, bools, collections=None, decide=None))]
    fn new(
        codes: &Bound<'_, PyDict>,
        bools: bool,
        collections: Option<&Bound<'_, PyDict>>,
        decide: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let mut known = Vec::new();
        for (number, verb) in codes.iter() {
            let verb: Bound<'_, PyString> = verb.cast_into()?;
            let code = code_of(verb.to_str()?);
            // Operations without a bin have other entries that matter.
            if let Some(code) = code.filter(|code| !matches!(*code, op::TOUCH | op::DELETE)) {
                known.push(BinOperation { number: number.extract()?, code, verb: verb.unbind() });
            }
        }
        let collections = match collections.zip(decide) {
            Some((collections, decide)) => Some(Collections::new(collections, decide)?),
            None => None,
        };
        Ok(Self { codes: known, bools, collections })
    }

    /// The operations of a list of dictionaries, their bins, return types and numbers; `None`
    /// where one of them needs more than a look.
    #[allow(clippy::type_complexity)]
    fn plain<'py>(
        &self,
        ops: &Bound<'py, PyList>,
    ) -> PyResult<
        Option<(Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>)>,
    > {
        let py = ops.py();
        let [steps, bins, returns, codes] = std::array::from_fn(|_| PyList::empty(py));
        for one in ops.iter() {
            let Some(entries) = self.parse(&one) else { return Ok(None) };
            let OperationEntries { verb, number, bin, value, .. } = entries;
            let value = value.as_ref();
            let Ok(step) = Operation::new(verb.bind(py), Some(bin.as_any()), value) else {
                return Ok(None);
            };
            steps.append(Bound::new(py, step)?)?;
            bins.append(bin)?;
            returns.append(py.None())?;
            codes.append(number)?;
        }
        Ok((!steps.is_empty()).then_some((steps, bins, returns, codes)))
    }
}

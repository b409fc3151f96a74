//! Operations on lists and maps as programs of the official client pass them: dictionaries.
//!
//! An operation's arguments are values, which each dictionary has of its own, followed by what its
//! other entries and its policy decide. Programs repeat the latter in row after row, so they are
//! computed by the drop-in's Python code once and remembered by those entries.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};
use rustc_hash::FxHashMap;

use spikewire_aerospike::command::check_bin_name;
use spikewire_aerospike_protocol::cdt::Step as PathStep;
use spikewire_aerospike_protocol::operation::Family;

use super::plain;
use crate::aerospike::calls::CallArguments;
use crate::aerospike::value::pairs;
use crate::bridge::cached::intern;
use crate::errors::value_error;
use crate::gil_cell::GilCell;

/// The most entries that an operation's dictionary has, besides its code and its bin.
const MOST_ENTRIES: usize = 16;
/// The most choices that are remembered for an operation.
const MOST_CHOICES: usize = 64;

/// The operations on lists and maps of a client.
///
/// `decide` is called with the code of an operation and its dictionary, and returns the arguments
/// that follow from entries other than values, and whether a list is padded.
pub(super) struct Collections {
    operations: FxHashMap<i64, Collection>,
    decide: Py<PyAny>,
}

/// An operation on a list or map: which entries of its dictionary are what.
struct Collection {
    family: Family,
    kind: String,
    /// The entries by name: values that are required, optional values, entries that decide about
    /// other arguments, the policy, and the path.
    names: Vec<Py<PyString>>,
    required: usize,
    values: usize,
    /// Whether the value at a position must be an integer.
    integers: Vec<bool>,
    choices: GilCell<Vec<Arc<Choices>>>,
}

/// The entries that decide about arguments, and the arguments that follow from them.
pub(super) struct Choices {
    entries: Vec<Option<Py<PyAny>>>,
    policy: Option<Vec<(Py<PyAny>, Py<PyAny>)>>,
    arguments: Py<PyTuple>,
    pad: bool,
    returns: Option<Py<PyAny>>,
}

/// An encoded operation.
pub(super) struct Encoded<'py> {
    pub code: u8,
    pub bin: Bound<'py, PyString>,
    pub choices: Arc<Choices>,
}

impl Choices {
    /// The return type, if the dictionary has one.
    pub fn returns<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.returns.as_ref().map(|returns| returns.bind(py).clone())
    }

    /// Whether a dictionary has the same entries.
    fn are(
        &self,
        entries: &[Option<Bound<'_, PyAny>>],
        policy: Option<&Bound<'_, PyDict>>,
    ) -> bool {
        let same = |mine: &Option<Py<PyAny>>, other: &Option<Bound<'_, PyAny>>| match (mine, other)
        {
            (None, None) => true,
            (Some(mine), Some(other)) => is_same(mine.bind(other.py()), other),
            _ => false,
        };
        let same_policy = match (&self.policy, policy) {
            (None, None) => true,
            (Some(mine), Some(policy)) => {
                mine.len() == policy.len()
                    && mine.iter().zip(pairs(policy)).all(|((name, value), pair)| {
                        pair.is_ok_and(|(other_name, other)| {
                            let py = other.py();
                            is_same(name.bind(py), &other_name) && is_same(value.bind(py), &other)
                        })
                    })
            }
            _ => false,
        };
        same_policy && self.entries.iter().zip(entries).all(|(mine, other)| same(mine, other))
    }
}

/// Whether a value never changes and is compared without running Python code.
fn is_constant(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyString>()
}

/// Whether two values are the same constant. Types count, because `True` equals 1.
pub(super) fn is_same(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> bool {
    one.is(other) && is_constant(one)
        || one.get_type().is(other.get_type()) && is_constant(one) && one.eq(other).unwrap_or(false)
}

impl Collections {
    /// `operations` has, by code: family, kind, required and optional values, the positions of
    /// integers among these, the entries that decide, and the name of the policy.
    pub fn new(operations: &Bound<'_, PyDict>, decide: Py<PyAny>) -> PyResult<Self> {
        let operations = operations
            .iter()
            .map(|(code, operation)| Ok((code.extract::<i64>()?, Collection::new(&operation)?)));
        Ok(Self { operations: operations.collect::<PyResult<_>>()?, decide })
    }

    /// Appends the encoding of an operation. `None` if its dictionary needs more than reading plain
    /// entries: then nothing that was appended counts.
    pub fn encode<'py>(
        &self,
        operation: &Bound<'py, PyAny>,
        bools: bool,
        out: &mut Vec<u8>,
    ) -> Option<Encoded<'py>> {
        let py = operation.py();
        let operation = operation.cast_exact::<PyDict>().ok()?;
        let number = operation.get_item(intern!(py, "op")).ok()??;
        let number: i64 = number.cast_exact::<PyInt>().ok()?.extract().ok()?;
        let collection = self.operations.get(&number)?;
        let (bin, entries) = collection.entries(operation)?;
        check_bin_name(bin.to_str().ok()?).ok()?;
        let choices = collection.choices(py, &entries, || {
            self.decide.bind(py).call1((number, operation)).ok()?.extract().ok()
        })?;
        let (code, bytes) = collection.pack(py, entries, &choices, bools)?;
        out.extend_from_slice(&bytes);
        Some(Encoded { code, bin, choices })
    }
}

/// The entries of a dictionary, by their position in the names of its operation.
type Entries<'py> = [Option<Bound<'py, PyAny>>; MOST_ENTRIES];

impl Collection {
    fn new(operation: &Bound<'_, PyAny>) -> PyResult<Self> {
        type Names = Vec<Py<PyString>>;
        type Parts = (String, String, Names, Names, Vec<usize>, Names, Py<PyString>);
        let py = operation.py();
        let (family, kind, required, optional, integers, deciding, policy): Parts =
            operation.extract()?;
        let family = Family::named(&family).ok_or_else(|| value_error("unknown family"))?;
        let (required_count, values) = (required.len(), required.len() + optional.len());
        let integers = (0..values).map(|at| integers.contains(&at)).collect();
        let mut names: Names = required.into_iter().chain(optional).chain(deciding).collect();
        names.extend([policy, intern!(py, "ctx").clone().unbind()]);
        if names.len() > MOST_ENTRIES {
            return Err(value_error("an operation has too many entries"));
        }
        let choices = GilCell::default();
        Ok(Self { family, kind, names, required: required_count, values, integers, choices })
    }

    /// The bin and the entries of a dictionary. `None` if it has others, or a path.
    fn entries<'py>(
        &self,
        operation: &Bound<'py, PyDict>,
    ) -> Option<(Bound<'py, PyString>, Entries<'py>)> {
        let py = operation.py();
        let mut entries: Entries<'py> = [const { None }; MOST_ENTRIES];
        let mut bin = None;
        for pair in pairs(operation) {
            let (name, value) = pair.ok()?;
            let is = |known: &Py<PyString>| name.is(known);
            let equals = |known: &Py<PyString>| is_same(&name, known.bind(py).as_any());
            if is_same(&name, intern!(py, "op").as_any()) {
                continue;
            }
            if is_same(&name, intern!(py, "bin").as_any()) {
                bin = Some(value.cast_into_exact::<PyString>().ok()?);
                continue;
            }
            let names = self.names.iter();
            let at = names.clone().position(is).or_else(|| names.clone().position(equals))?;
            entries[at] = Some(value);
        }
        let path = &entries[self.names.len() - 1];
        if path.as_ref().is_some_and(|path| !path.is_none()) {
            return None;
        }
        Some((bin?, entries))
    }

    /// The choices of a dictionary: remembered ones, or else those that `decide` returns.
    fn choices(
        &self,
        py: Python<'_>,
        entries: &Entries<'_>,
        decide: impl FnOnce() -> Option<(Py<PyTuple>, bool)>,
    ) -> Option<Arc<Choices>> {
        let last = self.names.len() - 2;
        let deciding = &entries[self.values..last];
        let policy = entries[last].as_ref().filter(|policy| !policy.is_none());
        let policy = policy.map(|policy| policy.cast_exact::<PyDict>()).transpose().ok()?;
        let remembered = self.choices.with(py, |choices| {
            choices.iter().rev().find(|choices| choices.are(deciding, policy)).cloned()
        });
        if remembered.is_some() {
            return remembered;
        }
        let mut policy_entries = Vec::new();
        if let Some(policy) = policy {
            for pair in pairs(policy) {
                let (name, value) = pair.ok()?;
                if !is_constant(&name) || !is_constant(&value) {
                    return None;
                }
                policy_entries.push((name.unbind(), value.unbind()));
            }
        }
        if !deciding.iter().flatten().all(is_constant) {
            return None;
        }
        let (arguments, pad) = decide()?;
        let returns = self.names[self.values..last]
            .iter()
            .zip(deciding)
            .find(|(name, _)| name.bind(py).to_str().is_ok_and(|name| name == "return_type"))
            .and_then(|(_, value)| value.as_ref().filter(|value| !value.is_none()));
        let choices = Arc::new(Choices {
            entries: deciding.iter().map(|entry| entry.clone().map(Bound::unbind)).collect(),
            policy: policy.is_some().then_some(policy_entries),
            arguments,
            pad,
            returns: returns.map(|returns| returns.clone().unbind()),
        });
        let forgotten = self.choices.with(py, |all| {
            let forgotten =
                if all.len() >= MOST_CHOICES { std::mem::take(all) } else { Vec::new() };
            all.push(choices.clone());
            forgotten
        });
        drop(forgotten);
        Some(choices)
    }

    /// The code and the encoding of an operation with these entries.
    fn pack(
        &self,
        py: Python<'_>,
        mut entries: Entries<'_>,
        choices: &Choices,
        bools: bool,
    ) -> Option<(u8, Vec<u8>)> {
        let following = choices.arguments.bind(py).as_slice();
        let mut arguments = Vec::with_capacity(self.values + following.len());
        for (at, value) in entries[..self.values].iter_mut().enumerate() {
            let value = match value.take() {
                Some(value) => value,
                None if at >= self.required => py.None().into_bound(py),
                None => return None,
            };
            let is_absent = at >= self.required && value.is_none();
            let fits = if self.integers[at] {
                is_absent || value.is_exact_instance_of::<PyInt>()
            } else {
                plain::outgoing(&value, bools)
            };
            if !fits {
                return None;
            }
            arguments.push(value);
        }
        arguments.extend(following.iter().cloned());
        let arguments = PyTuple::new(py, arguments).ok()?;
        let path: Vec<PathStep<Vec<u8>>> = Vec::new();
        self.family.pack(&self.kind, &CallArguments(&arguments), path, choices.pad).ok()
    }
}

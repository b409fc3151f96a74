//! A chain of several steps, run as one batch with the rows of all steps and keys.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

use super::home::Home;
use super::plain::PlainBase;
use super::read::{ReadBase, ReadOperands};
use super::step::StepBase;
use super::verb::Verb;
use super::write::{WriteBase, WriteOperands};
use crate::aerospike::many::mixed::{Mixed, OneRow};
use crate::aerospike::many::{BatchCall, Resolve};
use crate::aerospike::operation::Operation;
use crate::aerospike::rows::{Delete, Read, Write};
use crate::aerospike::verbs::{AttemptKeywords, Defaults, Limits, RowOptions};
use crate::bridge::cached::intern;
use crate::errors::{repr_of, type_error, value_error};

/// Makes the call of the chain that ends with this step. Its batch, or the future of that, and
/// how records that are not there are treated, row by row.
#[pyfunction]
pub fn _send_chain<'py>(
    last: &Bound<'py, StepBase>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = last.py();
    let home = last.get().home(py)?;
    let whole = PyDict::new(py);
    let mut parts = Vec::new();
    for step in StepBase::chain(last) {
        parts.push(Part::of(&step, &whole)?);
    }
    let missing = PyList::empty(py);
    for part in &parts {
        part.keys.iter().try_for_each(|_| missing.append(part.verb.missing(py)))?;
    }
    Ok((call(py, home.get(), &parts, &whole)?, missing.into_any()))
}

fn call<'py>(
    py: Python<'py>,
    home: &Home,
    parts: &[Part<'py>],
    whole: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(direct) = home.direct() {
        let (limits, deadline) = (limits(whole)?, whole.get_item("deadline")?);
        return direct.run_many(py, |defaults, resolve| {
            gather(py, defaults, resolve, parts, &limits, deadline.as_ref())
        });
    }
    let rows = PyList::empty(py);
    for part in parts {
        for key in &part.keys {
            rows.append(part.action.as_object(py, key)?)?;
        }
    }
    home.verbs.bind(py).call_method(intern!(py, "batch"), (rows,), Some(whole))
}

fn gather(
    py: Python<'_>,
    defaults: &Defaults,
    resolve: Resolve<'_>,
    parts: &[Part<'_>],
    limits: &Limits<'_>,
    deadline: Option<&Bound<'_, PyAny>>,
) -> PyResult<BatchCall> {
    let usual = RowOptions::default();
    let mut mixed = Mixed::new(defaults, resolve, limits, &usual)?;
    for part in parts {
        let row = match &part.action {
            RowAction::Read(row) => OneRow::Read(row),
            RowAction::Write(row) => OneRow::Write(row),
            RowAction::Delete(row) => OneRow::Delete(row),
        };
        mixed.add(py, &row, &part.keys)?;
    }
    mixed.finish().within(deadline)
}

/// A step of the chain.
struct Part<'py> {
    verb: Verb,
    keys: Vec<Bound<'py, PyAny>>,
    action: RowAction,
}

/// What the step does to each of its keys, as a row without a key.
enum RowAction {
    Read(Read),
    Write(Write),
    Delete(Delete),
}

/// Options of the whole call. All other options apply to rows.
const OF_THE_CALL: [&str; 14] = [
    "deadline",
    "replica",
    "timeout",
    "retry_in_doubt",
    "max_retries",
    "sleep_between_retries",
    "sleep_multiplier",
    "max_sleep_between_retries",
    "sleep_jitter",
    "priority",
    "compress",
    "commit_level",
    "error_details",
    "on_locking_only",
];

impl<'py> Part<'py> {
    /// Takes the keys and options of a step. Options of the whole call go to `whole`.
    fn of(step: &Bound<'py, StepBase>, whole: &Bound<'py, PyDict>) -> PyResult<Self> {
        let py = step.py();
        let options = step.get().options(py);
        let mut rules = Rules::default();
        if let Some(options) = &options {
            step.call_method0(intern!(py, "_check_batch"))?;
            for (name, value) in options.iter() {
                let word = name.cast::<PyString>()?.to_str()?;
                if !OF_THE_CALL.contains(&word) {
                    rules.set(word, &value)?;
                } else if !value.is_none() {
                    match whole.get_item(&name)? {
                        Some(other) if !other.eq(&value)? => {
                            return Err(value_error(format!(
                                "steps of one chain have different values for {word}"
                            )));
                        }
                        _ => whole.set_item(&name, &value)?,
                    }
                }
            }
        }
        let of = step.get();
        let (verb, single, keys) = (of.verb(py), of.single(py), of.keys(py));
        let action = rules.action(step, verb)?;
        let keys = if single {
            vec![keys]
        } else {
            let keys = step.call_method0(intern!(py, "_taken"))?;
            keys.try_iter()?.collect::<PyResult<_>>()?
        };
        Ok(Self { verb, keys, action })
    }
}

/// The options of a row.
#[derive(Default)]
struct Rules {
    r#where: Option<Py<PyAny>>,
    ttl: Option<Py<PyAny>>,
    generation: Option<Py<PyAny>>,
    read_touch: Option<Py<PyAny>>,
    read_mode: Option<Py<PyAny>>,
    durable: Option<bool>,
    send_key: Option<bool>,
}

impl Rules {
    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let setting = (!value.is_none()).then(|| value.clone().unbind());
        match name {
            "where" => self.r#where = setting,
            "ttl" => self.ttl = setting,
            "generation" => self.generation = setting,
            "read_touch" => self.read_touch = setting,
            "read_mode" => self.read_mode = setting,
            "durable" => self.durable = Some(flag(name, value)?),
            "send_key" => self.send_key = Some(flag(name, value)?),
            // The step has already refused them, unless they have no effect.
            "hedge" | "share_reads" => {}
            _ => return Err(type_error(format!("rows of a batch have no option {name:?}"))),
        }
        Ok(())
    }

    fn action(mut self, step: &Bound<'_, StepBase>, verb: Verb) -> PyResult<RowAction> {
        let py = step.py();
        if let Ok(step) = step.cast::<ReadBase>() {
            let ReadOperands { bins, ops } = step.get().operands(py);
            return Ok(self.read(py, bins.map(Py::into_any), ops.map(Py::into_any)));
        }
        if let Ok(step) = step.cast::<WriteBase>() {
            let WriteOperands { bins, ops, ttl } = step.get().operands(py);
            let what = match (ops, bins) {
                (Some(ops), _) => ops.into_any(),
                (None, Some(bins)) => bins.into_any(),
                (None, None) => PyDict::new(py).unbind().into_any(),
            };
            self.ttl = ttl;
            return Ok(self.write(py, verb, what));
        }
        step.cast::<PlainBase>()?;
        Ok(match verb {
            Verb::Delete => self.delete(py),
            Verb::Touch => {
                let touch = Operation::new(intern!(py, "touch").as_any(), None, None)?;
                let what = PyList::new(py, [Bound::new(py, touch)?])?.into_any().unbind();
                self.write(py, verb, what)
            }
            _ => self.read(py, Some(PyList::empty(py).into_any().unbind()), None),
        })
    }

    fn read(self, py: Python<'_>, bins: Option<Py<PyAny>>, ops: Option<Py<PyAny>>) -> RowAction {
        let Self { r#where, read_touch, read_mode, .. } = self;
        RowAction::Read(Read { key: py.None(), bins, ops, r#where, read_touch, read_mode })
    }

    fn write(self, py: Python<'_>, verb: Verb, what: Py<PyAny>) -> RowAction {
        let exists = verb.rule(py).map(|rule| rule.clone().into_any().unbind());
        let Self { r#where, ttl, generation, durable, send_key, .. } = self;
        RowAction::Write(Write {
            key: py.None(),
            what,
            ttl,
            generation,
            exists,
            durable,
            send_key,
            r#where,
            commit_level: None,
            on_locking_only: None,
        })
    }

    fn delete(self, py: Python<'_>) -> RowAction {
        let Self { r#where, generation, durable, send_key, .. } = self;
        RowAction::Delete(Delete {
            key: py.None(),
            generation,
            durable,
            send_key: send_key.unwrap_or(false),
            r#where,
            commit_level: None,
            on_locking_only: None,
        })
    }
}

impl RowAction {
    /// The row for a key, as `batch` expects it.
    fn as_object<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let key = key.clone().unbind();
        Ok(match self {
            Self::Read(row) => Bound::new(py, row.with_key(py, key))?.into_any(),
            Self::Write(row) => Bound::new(py, row.with_key(py, key))?.into_any(),
            Self::Delete(row) => Bound::new(py, row.with_key(py, key))?.into_any(),
        })
    }
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let flag = value.cast::<PyBool>().map(PyBoolMethods::is_true);
    flag.map_err(|_| type_error(format!("{name} must be True or False, not {}", repr_of(value))))
}

/// The limits of the whole call.
fn limits<'py>(whole: &Bound<'py, PyDict>) -> PyResult<Limits<'py>> {
    let of = |name: &str| whole.get_item(name);
    let switch = |name: &str| {
        let value = whole.get_item(name)?;
        value.map(|value| flag(name, &value)).transpose()
    };
    if whole.is_empty() {
        let retry = AttemptKeywords::default();
        return Ok(Limits { replica: None, timeout: None, retry });
    }
    let retry = AttemptKeywords {
        max_retries: of("max_retries")?,
        sleep: of("sleep_between_retries")?,
        multiplier: of("sleep_multiplier")?,
        longest: of("max_sleep_between_retries")?,
        jitter: switch("sleep_jitter")?,
        in_doubt: switch("retry_in_doubt")?,
        priority: of("priority")?,
        compress: switch("compress")?,
        commit_level: of("commit_level")?,
        error_details: of("error_details")?,
        on_locking_only: switch("on_locking_only")?,
        respond_all_keys: None,
    };
    Ok(Limits { replica: of("replica")?, timeout: of("timeout")?, retry })
}

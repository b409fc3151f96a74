//! Statements as arguments, and the options of one execution.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use spikewire_cassandra::statement::StatementOptions;

use super::batch::Batch;
use super::core::Core;
use super::prepared::read_single;
use crate::arguments::OptionArgument;
use crate::bridge::errors::{type_error, type_name};

pub use super::prepared::Statement;

/// Statements as arguments.
pub trait ReadStatement: Sized {
    /// Parses the first argument of a verb.
    fn read(statement: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl ReadStatement for Statement {
    fn read(statement: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(single) = read_single(statement)? {
            return Ok(single);
        }
        if let Ok(batch) = statement.cast::<Batch>() {
            return Ok(Self::Batch(batch.get().content()));
        }
        Err(type_error(format!(
            "a statement must be a str, a prepared one or a batch, not {}",
            type_name(statement)
        )))
    }
}

/// Parses the keywords of an execution; `core` knows the nodes.
///
/// `None` if there are none, which is the usual case.
#[inline]
pub fn options(
    core: &Core,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Box<StatementOptions>>> {
    keywords
        .filter(|keywords| !keywords.is_empty())
        .map(|keywords| read(core, keywords).map(Box::new))
        .transpose()
}

fn read(core: &Core, keywords: &Bound<'_, PyDict>) -> PyResult<StatementOptions> {
    let mut options = StatementOptions::default();
    for (name, value) in keywords {
        let name = name.cast::<PyString>()?.to_str()?;
        options.set(name, &OptionArgument(value), core.session.cluster())?;
    }
    Ok(options)
}

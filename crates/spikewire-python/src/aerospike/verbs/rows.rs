//! Keywords of batches whose rows have some of their own.

use pyo3::prelude::*;

use spikewire_aerospike::Policy;
use spikewire_aerospike::command;

use super::single::{AttemptKeywords, ReadRules};
use crate::aerospike::arguments;

/// Keywords for the limits of calls that have no other limits.
pub struct Limits<'py> {
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: AttemptKeywords<'py>,
}

impl Limits<'_> {
    /// The client's limits, modified by the keywords.
    pub fn policy(&self, base: &Policy) -> PyResult<Policy> {
        let timeout = self.timeout.as_ref().map(arguments::timeout).transpose()?;
        let replica = self.replica.as_ref().map(arguments::replica).transpose()?;
        Ok(command::limits(base, timeout, replica, self.retry.checked()?.as_deref()))
    }
}

/// Keywords for the rows of a batch that do not set them.
#[derive(Default)]
pub struct RowOptions<'py> {
    pub rules: ReadRules<'py>,
    pub ttl: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
}

impl RowOptions<'_> {
    /// Rejects values that are invalid for every row.
    pub fn check(&self) -> PyResult<()> {
        self.rules.checked()?;
        self.ttl.as_ref().map(arguments::ttl).transpose()?;
        self.exists.as_ref().map(arguments::exists).transpose().map(drop)
    }
}

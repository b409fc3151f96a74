//! The keywords of a call, and what they make of its command.

use std::ops::Deref;
use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::command::{self, CommandDefaults, ReadMode, ReadTouch};

use crate::arguments;
use crate::expression;
use crate::value::Codec;

/// What every call inherits from its client.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub commands: CommandDefaults,
    pub codec: Option<Arc<Codec>>,
}

impl Deref for Defaults {
    type Target = CommandDefaults;

    fn deref(&self) -> &CommandDefaults {
        &self.commands
    }
}

/// Keywords about reading alone.
pub struct ReadRules<'py> {
    pub touch: Option<Bound<'py, PyAny>>,
    pub mode: Option<Bound<'py, PyAny>>,
}

impl ReadRules<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<(Option<ReadTouch>, Option<ReadMode>)> {
        let mode = self.mode.as_ref().map(arguments::read_mode).transpose()?;
        Ok((arguments::read_touch(self.touch.as_ref())?, mode))
    }
}

/// Keywords that every read takes.
pub struct ReadOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub rules: ReadRules<'py>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

impl ReadOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::ReadOptions> {
        let filter = expression::filter(self.filter.as_ref())?;
        let timeout = arguments::timeout_of(self.timeout.as_ref())?;
        let replica = self.replica.as_ref().map(arguments::replica).transpose()?;
        let (touch, mode) = self.rules.checked()?;
        Ok(command::ReadOptions { filter, touch, mode, replica, timeout })
    }
}

/// Keywords that every write takes.
#[derive(Default)]
pub struct WriteOptions<'py> {
    pub ttl: Option<Bound<'py, PyAny>>,
    pub generation: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
    pub filter: Option<Bound<'py, PyAny>>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

impl WriteOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::WriteOptions> {
        Ok(command::WriteOptions {
            ttl: arguments::ttl(self.ttl.as_ref())?,
            generation: arguments::generation(self.generation.as_ref())?,
            exists: arguments::exists(self.exists.as_ref())?,
            durable: self.durable,
            send_key: self.send_key,
            filter: expression::filter(self.filter.as_ref())?,
            timeout: arguments::timeout_of(self.timeout.as_ref())?,
            replica: self.replica.as_ref().map(arguments::replica).transpose()?,
        })
    }
}

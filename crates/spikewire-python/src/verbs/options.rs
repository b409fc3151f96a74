//! The keywords of a call, and what they make of its request.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_engine::Policy;
use spikewire_protocol::message::{Header, info2};

use crate::arguments::{self, ReadMode};
use crate::value::Codec;

/// What every call inherits from its client.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub policy: Policy,
    pub send_key: bool,
    pub read_mode: ReadMode,
    pub codec: Option<Arc<Codec>>,
}

/// What a request is besides its address and its operations.
#[derive(Debug)]
pub struct Outline {
    pub header: Header,
    pub write: bool,
    /// Whether the user key goes along.
    pub send_key: bool,
    /// The filter expression, encoded.
    pub filter: Option<Vec<u8>>,
    pub policy: Policy,
    pub codec: Option<Arc<Codec>>,
}

impl Outline {
    /// Makes it a read under these rules.
    pub fn reads(&mut self, defaults: &Defaults, rules: &ReadRules<'_>) -> PyResult<()> {
        let mode = rules.mode.as_ref().map(ReadMode::named).transpose()?;
        self.header.ttl = arguments::read_touch(rules.touch.as_ref())?;
        mode.unwrap_or(defaults.read_mode).apply(&mut self.header, &mut self.policy);
        (self.write, self.send_key) = (false, false);
        Ok(())
    }
}

/// Keywords about reading alone.
pub struct ReadRules<'py> {
    pub touch: Option<Bound<'py, PyAny>>,
    pub mode: Option<Bound<'py, PyAny>>,
}

/// Keywords that every read takes.
pub struct ReadOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub rules: ReadRules<'py>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

impl ReadOptions<'_> {
    pub fn outline(&self, defaults: &Defaults, header: Header) -> PyResult<Outline> {
        let (timeout, replica) = (self.timeout.as_ref(), self.replica.as_ref());
        let mut outline = Outline {
            header,
            write: false,
            send_key: false,
            filter: arguments::filter(self.filter.as_ref())?,
            policy: arguments::policy(&defaults.policy, timeout, replica)?,
            codec: defaults.codec.clone(),
        };
        outline.reads(defaults, &self.rules)?;
        Ok(outline)
    }
}

/// Keywords that every write takes.
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
    /// Nothing was given.
    pub fn none() -> Self {
        Self {
            ttl: None,
            generation: None,
            exists: None,
            durable: false,
            send_key: None,
            filter: None,
            replica: None,
            timeout: None,
        }
    }

    pub fn outline(&self, defaults: &Defaults) -> PyResult<Outline> {
        let mut header = Header {
            info2: info2::WRITE,
            ttl: arguments::ttl(self.ttl.as_ref())?,
            ..Header::default()
        };
        arguments::generation(&mut header, self.generation.as_ref())?;
        arguments::exists(&mut header, self.exists.as_ref())?;
        if self.durable {
            header.info2 |= info2::DURABLE_DELETE;
        }
        let (timeout, replica) = (self.timeout.as_ref(), self.replica.as_ref());
        Ok(Outline {
            header,
            write: true,
            send_key: self.send_key.unwrap_or(defaults.send_key),
            filter: arguments::filter(self.filter.as_ref())?,
            policy: arguments::policy(&defaults.policy, timeout, replica)?,
            codec: defaults.codec.clone(),
        })
    }
}

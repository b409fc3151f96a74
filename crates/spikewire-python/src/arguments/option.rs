//! The value of an option by name, for the options of both databases and of the embedded cluster.

use std::fmt::Display;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PySequence, PyString};

use spikewire_options::{Form, OptionValue};
use spikewire_transport::tls::{TlsOptions, TlsValue};

use super::{count, seconds, text};
use crate::bridge::keywords::flag;
use crate::bridge::tls;
use crate::errors::{LazyRepr, RequestError, type_error, type_name};

/// An option's value as it was passed.
pub struct OptionArgument<'py>(pub Bound<'py, PyAny>);

impl OptionValue for OptionArgument<'_> {
    type Error = RequestError;
    const LIST: &'static str = "a list";
    const MAP: &'static str = "a dict";

    fn form(&self) -> Form {
        let value = &self.0;
        if value.is_none() {
            Form::None
        } else if value.is_instance_of::<PyBool>() {
            Form::Flag
        } else if value.is_instance_of::<PyString>() {
            Form::Text
        } else if value.is_instance_of::<PyDict>() {
            Form::Map
        } else if value.cast::<PySequence>().is_ok() {
            Form::List
        } else {
            Form::Other
        }
    }

    fn kind(&self) -> String {
        type_name(&self.0)
    }

    fn describe(&self) -> impl Display {
        LazyRepr(&self.0)
    }

    fn flag(&self, name: &str) -> Result<bool, RequestError> {
        Ok(flag(name, &self.0)?)
    }

    fn count(&self, name: &str, (least, most): (u64, u64)) -> Result<u64, RequestError> {
        Ok(count(name, &self.0, least, most)?)
    }

    fn integer(&self) -> Option<i64> {
        self.0.extract().ok()
    }

    fn number(&self) -> Option<f64> {
        if self.0.is_instance_of::<PyBool>() { None } else { self.0.extract().ok() }
    }

    fn span(&self, name: &str) -> Result<Duration, RequestError> {
        Ok(seconds(name, &self.0)?)
    }

    fn text(&self, name: &str) -> Result<String, RequestError> {
        Ok(text(name, &self.0)?.to_owned())
    }

    fn bytes<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> T) -> Result<T, RequestError> {
        match self.0.cast::<PyBytes>() {
            Ok(bytes) => Ok(read(bytes.as_bytes())),
            Err(_) => Err(self.wrong_type(format_args!("{name} must be bytes"))),
        }
    }

    fn elements(&self, _: &str) -> Result<Vec<Self>, RequestError> {
        let elements = self.0.try_iter()?.map(|element| Ok(Self(element?)));
        elements.collect()
    }

    fn entries(&self, name: &str) -> Result<Vec<(String, Self)>, RequestError> {
        let Ok(dict) = self.0.cast::<PyDict>() else {
            return Err(type_error(format!("{name} must be a dict")).into());
        };
        let names = format!("a name in {name}");
        let entries =
            dict.iter().map(|(key, value)| Ok((text(&names, &key)?.to_owned(), Self(value))));
        entries.collect()
    }
}

impl TlsValue for OptionArgument<'_> {
    fn tls(&self, _: &str) -> Result<Option<TlsOptions>, RequestError> {
        Ok(tls::options(&self.0)?)
    }
}

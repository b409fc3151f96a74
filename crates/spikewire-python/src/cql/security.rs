//! Authentication and translation of addresses by objects of the program.

use std::net::SocketAddr;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spikewire_cassandra::address_translator::AddressTranslator;
use spikewire_cassandra::authenticator::{Authenticator, Conversation};

use crate::bridge::cached::intern;
use crate::bridge::errors::{type_error, type_name};

/// Parses `authenticator`: an object whose `begin(class_name)`, or `begin_at(class_name, node)`,
/// returns, for each login, an object with `answer(challenge)`.
pub fn authenticator(value: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Authenticator>> {
    let py = value.py();
    if !value.hasattr(intern!(py, "begin"))? && !value.hasattr(intern!(py, "begin_at"))? {
        let kind = type_name(value);
        return Err(type_error(format!(
            "authenticator must have a method begin(class_name), which {kind} has not"
        )));
    }
    Ok(Arc::new(PythonAuthenticator(value.clone().unbind())))
}

/// An authenticator written in Python. It is called by whatever thread opens a connection.
#[derive(Debug)]
struct PythonAuthenticator(Py<PyAny>);

impl Authenticator for PythonAuthenticator {
    fn begin(&self, class: &str) -> Result<Box<dyn Conversation>, String> {
        self.login(class, None)
    }

    fn begin_at(&self, class: &str, node: SocketAddr) -> Result<Box<dyn Conversation>, String> {
        self.login(class, Some(node))
    }
}

impl PythonAuthenticator {
    /// Calls its `begin_at` with the node, if it has that.
    fn login(
        &self,
        class: &str,
        node: Option<SocketAddr>,
    ) -> Result<Box<dyn Conversation>, String> {
        Python::attach(|py| {
            let (object, name) = (self.0.bind(py), intern!(py, "begin_at"));
            let takes_node = object.hasattr(name).map_err(|error| error_text(py, &error))?;
            let login = match node.filter(|_| takes_node) {
                Some(node) => object.call_method1(name, (class, node.to_string())),
                None => object.call_method1(intern!(py, "begin"), (class,)),
            };
            let login = login.map_err(|error| error_text(py, &error))?;
            Ok(Box::new(Login(login.unbind())) as Box<dyn Conversation>)
        })
    }
}

/// What its `begin` returned for one login.
#[derive(Debug)]
struct Login(Py<PyAny>);

impl Conversation for Login {
    fn answer(&mut self, challenge: Option<&[u8]>) -> Result<Vec<u8>, String> {
        Python::attach(|py| {
            let challenge = challenge.map(|bytes| PyBytes::new(py, bytes));
            let answer = self.0.bind(py).call_method1(intern!(py, "answer"), (challenge,));
            let answer = answer.map_err(|error| error_text(py, &error))?;
            match answer.cast::<PyBytes>() {
                Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
                Err(_) => Err(format!("answer() must give bytes, not {}", type_name(&answer))),
            }
        })
    }

    fn succeeded(&mut self, token: Option<&[u8]>) -> Result<(), String> {
        Python::attach(|py| {
            let (login, name) = (self.0.bind(py), intern!(py, "succeeded"));
            if !login.hasattr(name).map_err(|error| error_text(py, &error))? {
                return Ok(());
            }
            let token = token.map(|bytes| PyBytes::new(py, bytes));
            login.call_method1(name, (token,)).map_err(|error| error_text(py, &error))?;
            Ok(())
        })
    }
}

/// Parses `address_translator`: a function of an advertised address, as `host:port`, that returns
/// where it is reached.
pub fn address_translator(value: &Bound<'_, PyAny>) -> PyResult<Arc<dyn AddressTranslator>> {
    if !value.is_callable() {
        let kind = type_name(value);
        return Err(type_error(format!("address_translator must be a function, not {kind}")));
    }
    Ok(Arc::new(PythonTranslator(value.clone().unbind())))
}

/// A function written in Python. It is called by the thread that watches the cluster.
#[derive(Debug)]
struct PythonTranslator(Py<PyAny>);

impl AddressTranslator for PythonTranslator {
    fn translate(&self, advertised: SocketAddr) -> Result<String, String> {
        Python::attach(|py| {
            let address = self.0.bind(py).call1((advertised.to_string(),)).map_err(|error| {
                let name = error.get_type(py).name();
                let name = name.map_or_else(|_| "an error".into(), |name| name.to_string());
                format!("the function raised {name}: {}", error.value(py))
            })?;
            let kind = type_name(&address);
            address.extract().map_err(|_| format!("the function must return str, not {kind}"))
        })
    }
}

/// The message of an authenticator's exception, which ends the login.
fn error_text(py: Python<'_>, error: &PyErr) -> String {
    let name =
        error.get_type(py).name().map_or_else(|_| "an error".into(), |name| name.to_string());
    format!("the authenticator raised {name}: {}", error.value(py))
}

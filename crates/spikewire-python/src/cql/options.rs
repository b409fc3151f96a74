//! The options of a session, from keyword arguments.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cassandra::{Options, SessionOptions};

use super::security;
use crate::arguments::{Hosts, OptionArgument, SUBMIT_LIMIT, submit_limit};
use crate::bridge::keywords::{optional, text};
use crate::errors::invalid_argument;

/// The parsed options of a session.
#[derive(Debug, Clone)]
pub struct Opening {
    pub options: Options,
    pub submit_limit: usize,
}

const CONTACT_POINTS: Hosts = Hosts {
    names: "contact points",
    name: "contact point",
    example: "127.0.0.1:9042",
    opener: "Session",
};

/// Parses contact points and keyword arguments.
pub fn read(points: &Bound<'_, PyAny>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Opening> {
    let mut session = SessionOptions::default();
    let points = CONTACT_POINTS.join(points)?;
    let mut limit = SUBMIT_LIMIT;
    for (name, value) in keywords.into_iter().flatten() {
        match text("option", &name)? {
            "authenticator" => {
                let authenticator = |_: &str, value: &_| security::authenticator(value);
                session.options.authenticator = optional("authenticator", &value, authenticator)?;
            }
            "address_translator" => {
                let translator = |_: &str, value: &_| security::address_translator(value);
                session.options.address_translator =
                    optional("address_translator", &value, translator)?;
            }
            "submit_limit" => limit = submit_limit(&value)?,
            name => {
                let others = ["address_translator", "authenticator", "submit_limit"];
                session.set(name, &OptionArgument(value), &others)?;
            }
        }
    }
    session.set_contact_points(&points).map_err(invalid_argument)?;
    let options = session.finish().map_err(invalid_argument)?;
    Ok(Opening { options, submit_limit: limit })
}

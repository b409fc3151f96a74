//! A namespace and a set, with everything about them that a request needs ready made.

use std::sync::Arc;

use spikewire_protocol::key::SetHasher;
use spikewire_protocol::{limits, request};

use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Space {
    pub namespace: Arc<str>,
    pub set: String,
    /// The two message fields, encoded.
    pub fields: Vec<u8>,
    pub hasher: SetHasher,
}

impl Space {
    /// Checks the names.
    pub fn new(namespace: &str, set: &str) -> Result<Arc<Self>> {
        check("namespace", namespace, limits::NAMESPACE_NAME)?;
        check("set", set, limits::SET_NAME)?;
        if namespace.is_empty() {
            return Err(Error::invalid("namespace must not be empty"));
        }
        Ok(Arc::new(Self {
            namespace: namespace.into(),
            set: set.to_owned(),
            fields: request::address(namespace, set),
            hasher: SetHasher::new(set),
        }))
    }
}

fn check(what: &str, name: &str, limit: usize) -> Result<()> {
    if name.len() > limit {
        return Err(Error::invalid(format!(
            "{what} {name:?} is {} bytes long; the server's limit is {limit}",
            name.len()
        )));
    }
    match name.chars().find(|sign| matches!(sign, '\0' | ':' | ';')) {
        Some(sign) => Err(Error::invalid(format!("{what} {name:?} contains {sign:?}"))),
        None => Ok(()),
    }
}

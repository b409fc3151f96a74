//! A namespace and a set, with everything that requests need precomputed.

use std::any::Any;
use std::sync::Arc;

use spikewire_aerospike_protocol::key::{self, Digest, UserKey};
use spikewire_aerospike_protocol::{limits, request};

use super::InvalidArgument;

/// A namespace and one of its sets.
#[derive(Debug)]
pub struct SetRef {
    /// The namespace's name.
    pub namespace: Arc<str>,
    /// The set's name; empty for records without a set.
    pub set: String,
    /// The two message fields, encoded.
    pub fields: Vec<u8>,
    /// What the host knows about the set's records, such as their type in its language.
    pub attached: Option<Arc<dyn Any + Send + Sync>>,
}

impl SetRef {
    /// Validates the names.
    pub fn new(namespace: &str, set: &str) -> Result<Arc<Self>, InvalidArgument> {
        check("namespace", namespace, limits::NAMESPACE_NAME, &['\0', ':', ';'])?;
        // A request carries the set's name with its length, so servers take any text. Info commands
        // do not: `Name` checks what goes into them.
        check("set", set, limits::SET_NAME, &['\0'])?;
        if namespace.is_empty() {
            return Err(InvalidArgument::of_value("namespace must not be empty"));
        }
        Ok(Arc::new(Self {
            namespace: namespace.into(),
            set: set.to_owned(),
            fields: request::address(namespace, set),
            attached: None,
        }))
    }

    /// The same names, with this attached.
    pub fn with(&self, attached: Arc<dyn Any + Send + Sync>) -> Arc<Self> {
        Arc::new(Self {
            namespace: self.namespace.clone(),
            set: self.set.clone(),
            fields: self.fields.clone(),
            attached: Some(attached),
        })
    }

    /// The digest of a key in this set.
    pub fn digest(&self, key: &UserKey<'_>) -> Digest {
        key::digest(&self.set, key)
    }

    /// The set's name; `None` for records without a set.
    pub fn set_name(&self) -> Option<&str> {
        (!self.set.is_empty()).then_some(self.set.as_str())
    }

    /// Whether both have the same names.
    pub fn same_as(&self, other: &Self) -> bool {
        self.namespace == other.namespace && self.set == other.set
    }
}

fn check(what: &str, name: &str, limit: usize, without: &[char]) -> Result<(), InvalidArgument> {
    if name.len() > limit {
        return Err(InvalidArgument::of_value(format!(
            "{what} {name:?} is {} bytes long; the server's limit is {limit}",
            name.len()
        )));
    }
    match name.chars().find(|sign| without.contains(sign)) {
        Some(sign) => Err(InvalidArgument::of_value(format!("{what} {name:?} contains {sign:?}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_namespace_and_set_names_are_rejected() {
        let error_of =
            |namespace: &str, set: &str| SetRef::new(namespace, set).unwrap_err().to_string();
        assert_eq!(error_of("", "s"), "namespace must not be empty");
        assert!(error_of(&"n".repeat(32), "s").contains("32 bytes long; the server's limit is 31"));
        assert!(error_of("test", &"s".repeat(64)).contains("limit is 63"));
        assert_eq!(error_of("te:st", "s"), "namespace \"te:st\" contains ':'");
        assert_eq!(error_of("test", "a\0b"), "set \"a\\0b\" contains '\\0'");
        for odd in ["session:1", "a;b", "a=b", "a b\n"] {
            assert_eq!(SetRef::new("test", odd).unwrap().set, odd);
        }
        assert!(SetRef::new("test", "").is_ok());
    }
}

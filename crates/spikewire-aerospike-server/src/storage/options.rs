//! Options of a namespace.

use std::io;

use spikewire_aerospike_protocol::limits;
use spikewire_options::{Form, OptionValue, parse};

use crate::bounds::BOUNDS;
use crate::error::invalid;
use crate::record::sets::MAX_SETS;

/// Options of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOptions {
    /// Its name.
    pub name: String,
    /// Copies of each partition, including the master's.
    pub replication_factor: usize,
    /// Default TTL in seconds; 0 = never expire.
    pub default_ttl: u32,
    /// Seconds between two checks for expired records. 0 = never check, and reject TTLs.
    pub nsup_period: u32,
    /// Largest stored record in bytes.
    pub max_record_size: usize,
    /// Sets with an index of all their records.
    pub indexed_sets: Vec<String>,
    /// Whether it is strongly consistent, which transactions need.
    pub strong_consistency: bool,
    /// Whether records of a strongly consistent namespace may be deleted without durability.
    pub strong_consistency_allow_expunge: bool,
}

impl Default for NamespaceOptions {
    fn default() -> Self {
        Self {
            name: "test".to_owned(),
            replication_factor: 2,
            default_ttl: 0,
            nsup_period: 1,
            max_record_size: limits::RECORD_SIZE,
            indexed_sets: Vec::new(),
            strong_consistency: false,
            strong_consistency_allow_expunge: false,
        }
    }
}

impl NamespaceOptions {
    /// The names of the options that hosts set.
    pub const NAMES: [&str; 7] = [
        "default_ttl",
        "indexed_sets",
        "max_record_size",
        "nsup_period",
        "replication_factor",
        "strong_consistency",
        "strong_consistency_allow_expunge",
    ];

    /// Sets the option with this name; `what` is the name for messages.
    pub(crate) fn set<V: OptionValue>(
        &mut self,
        name: &str,
        what: &str,
        value: &V,
    ) -> Result<(), V::Error> {
        let count = || BOUNDS.count(what, value);
        match name {
            "default_ttl" => self.default_ttl = count()? as u32,
            "indexed_sets" => self.indexed_sets = value.texts(what, "names of sets", "a set")?,
            "max_record_size" => self.max_record_size = count()? as usize,
            "nsup_period" => self.nsup_period = count()? as u32,
            "replication_factor" => self.replication_factor = count()? as usize,
            "strong_consistency" => self.strong_consistency = value.flag(what)?,
            "strong_consistency_allow_expunge" => {
                self.strong_consistency_allow_expunge = value.flag(what)?;
            }
            _ => return Err(parse::unknown("unknown option", name, &Self::NAMES).into()),
        }
        Ok(())
    }

    /// Reads namespaces from a host: a list of names, or names with options. `each` has those of
    /// every namespace.
    pub(crate) fn read<V: OptionValue>(
        name: &str,
        value: &V,
        each: &Self,
    ) -> Result<Vec<Self>, V::Error> {
        match value.form() {
            Form::List => {
                let names = value.texts(name, "names", "a namespace")?.into_iter();
                Ok(names.map(|name| Self { name, ..each.clone() }).collect())
            }
            Form::Map => value.entries(name)?.into_iter().map(|entry| each.of(entry)).collect(),
            _ => {
                let (list, map) = (V::LIST, V::MAP);
                let forms = format!("{list} of names, or {map} of names and options");
                Err(value.wrong_type(format_args!("{name} must be {forms}")))
            }
        }
    }

    /// A namespace with these options and, besides, those of every namespace.
    fn of<V: OptionValue>(&self, (name, options): (String, V)) -> Result<Self, V::Error> {
        let what = format!("namespace {name:?}");
        let mut own = Self { name, ..self.clone() };
        let unknown = format!("{what}: unknown option");
        for (name, value) in options.options(&what, &unknown, &Self::NAMES)? {
            own.set(name, &format!("{what}: {name}"), &value)?;
        }
        Ok(own)
    }

    /// A namespace with this name and default options.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Validates the namespaces of a cluster.
    pub(crate) fn check(namespaces: &[Self]) -> io::Result<()> {
        for (at, namespace) in namespaces.iter().enumerate() {
            let name = namespace.name.as_str();
            let odd = |c: char| c.is_control() || c.is_whitespace() || ":;,/=".contains(c);
            if name.is_empty() || name.len() > limits::NAMESPACE_NAME || name.contains(odd) {
                return Err(invalid(format!(
                    "namespace {name:?}: 1 to 31 bytes, without space and any of : ; , / ="
                )));
            }
            if namespaces[..at].iter().any(|other| other.name == name) {
                return Err(invalid(format!("namespace {name:?} is given twice")));
            }
            for (option, count) in [
                ("replication_factor", namespace.replication_factor as u64),
                ("max_record_size", namespace.max_record_size as u64),
                ("default_ttl", namespace.default_ttl.into()),
            ] {
                BOUNDS.check_count(&format!("namespace {name:?}: {option}"), count)?;
            }
            if namespace.strong_consistency_allow_expunge && !namespace.strong_consistency {
                return Err(invalid(format!(
                    "namespace {name:?}: strong_consistency_allow_expunge needs strong_consistency"
                )));
            }
            for set in &namespace.indexed_sets {
                let odd = |c: char| c.is_control() || ":;".contains(c);
                if set.is_empty() || set.len() > limits::SET_NAME || set.contains(odd) {
                    return Err(invalid(format!(
                        "indexed set {set:?}: 1 to 63 bytes, without : and ;"
                    )));
                }
            }
            if namespace.indexed_sets.len() > MAX_SETS {
                return Err(invalid(format!("namespace {name:?}: more than {MAX_SETS} sets")));
            }
        }
        Ok(())
    }
}

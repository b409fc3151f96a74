//! The value of `rack-ids`: the rack of a node, per namespace.
//!
//! `rack-ids` is `<ns>:<rack>` joined by `;`. Community Edition replies with code 25 instead.

use crate::Malformed;

/// The rack of the node for one namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RackId {
    /// Namespace name.
    pub namespace: String,
    /// Rack id; 0 if none is configured.
    pub rack: u32,
}

/// Parses the value of `rack-ids`.
pub fn parse(value: &str) -> Result<Vec<RackId>, Malformed> {
    let fail = |why| Malformed::new("rack-ids", why);
    value
        .split(';')
        .filter(|entry| !entry.is_empty())
        .map(|entry| {
            let (namespace, rack) = entry.split_once(':').ok_or(fail("no rack id"))?;
            if namespace.is_empty() {
                return Err(fail("no namespace"));
            }
            let rack = rack.parse().map_err(|_| fail("bad rack id"))?;
            Ok(RackId { namespace: namespace.to_owned(), rack })
        })
        .collect()
}

/// Formats the value of `rack-ids`.
pub fn format(entries: &[RackId]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|entry| format!("{}:{}", entry.namespace, entry.rack)).collect();
    entries.join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racks_of_two_namespaces_parse() {
        let entries = parse("test:1;bar:1000000").unwrap();
        assert_eq!(entries[0], RackId { namespace: "test".into(), rack: 1 });
        assert_eq!(entries[1], RackId { namespace: "bar".into(), rack: 1_000_000 });
        assert_eq!(format(&entries), "test:1;bar:1000000");
    }

    #[test]
    fn empty_values_and_a_trailing_separator_are_accepted() {
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(parse("test:0;").unwrap().len(), 1);
        assert_eq!(format(&[]), "");
    }

    #[test]
    fn broken_values_are_rejected() {
        for text in ["test", "test:", ":1", "test:-1", "test:x", "test:1:2", "test:4294967296"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}

//! Names of user-defined types, as given by programs.

use super::Udt;

/// Keyspace and name of a user-defined type, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeName {
    /// Its keyspace.
    pub keyspace: String,
    /// Its name.
    pub name: String,
}

impl TypeName {
    /// Parses `keyspace.name`, or a name in `keyspace`. Unquoted names are case-insensitive. The
    /// error for anything else shows the text.
    pub fn parse(text: &str, keyspace: Option<&str>) -> Result<Self, String> {
        let wrong = || format!("a type is named as in \"shop.address\", not {text:?}");
        let (first, rest) = part(text).ok_or_else(wrong)?;
        if let Some(rest) = rest.strip_prefix('.') {
            return match part(rest) {
                Some((name, "")) => Ok(Self { keyspace: first, name }),
                _ => Err(wrong()),
            };
        }
        match keyspace {
            _ if !rest.is_empty() => Err(wrong()),
            Some(keyspace) => Ok(Self { keyspace: keyspace.to_owned(), name: first }),
            None => Err(format!(
                "the session has no keyspace: name it with the type, as in \"shop.{text}\""
            )),
        }
    }

    /// Whether a type has this name.
    pub fn is_of(&self, udt: &Udt) -> bool {
        self.name == udt.name && self.keyspace == udt.keyspace
    }
}

/// The name that a text begins with, and the rest.
fn part(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut name = String::new();
        let mut rest = quoted;
        loop {
            let (piece, behind) = rest.split_once('"')?;
            name.push_str(piece);
            match behind.strip_prefix('"') {
                // A doubled quote stands for one.
                Some(behind) => {
                    name.push('"');
                    rest = behind;
                }
                None => return Some((name, behind)),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_lowercase(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_parse_with_keyspace_and_quotes() {
        let is = |keyspace: &str, name: &str| {
            Ok(TypeName { keyspace: keyspace.to_owned(), name: name.to_owned() })
        };
        assert_eq!(TypeName::parse("Shop.Address", None), is("shop", "address"));
        assert_eq!(TypeName::parse("address", Some("Shop")), is("Shop", "address"));
        assert_eq!(TypeName::parse("\"A.\"\"b\".c", None), is("A.\"b", "c"));
        for text in ["", ".", "a.", ".a", "a.b.c", "\"a", "a b"] {
            let why = TypeName::parse(text, Some("k")).unwrap_err();
            assert!(why.contains(&format!("not {text:?}")), "{why}");
        }
        assert!(TypeName::parse("a", None).unwrap_err().contains("shop.a"));
    }
}

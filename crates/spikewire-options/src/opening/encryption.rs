//! `tls` in URLs and variables: each entry is an option, `tls_ca` for the entry `ca`.

use super::settings::{Level, Setting, Used};
use super::text::TextType;
use crate::{Form, InvalidArgument, Literal, OptionValue};

/// The option that the entries belong to.
pub(super) const TLS: &str = "tls";
const TEXT: TextType = TextType::Optional(&TextType::Text);

/// The entries.
const ENTRIES: [(&str, TextType); 10] = [
    ("tls_ca", TEXT),
    ("tls_certificate", TEXT),
    ("tls_crl_check", TextType::Text),
    ("tls_crls", TEXT),
    ("tls_private_key", TEXT),
    ("tls_private_key_password", TEXT),
    ("tls_server_name", TEXT),
    ("tls_system_ca", TextType::Optional(&TextType::Flag)),
    ("tls_verify", TextType::Flag),
    ("tls_verify_hostname", TextType::Flag),
];

/// Options that make sense together alone.
const TOGETHER: [&str; 13] = [
    "auth",
    "password",
    "secure_connect_bundle",
    "tls",
    "tls_certificate",
    "tls_crl_check",
    "tls_crls",
    "tls_private_key",
    "tls_private_key_password",
    "tls_server_name",
    "tls_system_ca",
    "tls_verify_hostname",
    "user",
];

/// The options that can be set by text.
pub(super) fn texts(
    options: impl Iterator<Item = (&'static str, TextType)>,
) -> Vec<(&'static str, TextType)> {
    options.chain(ENTRIES).collect()
}

/// The entry of `tls` that an option sets, if it does.
fn entry(name: &str) -> Option<&str> {
    let is_entry = ENTRIES.iter().any(|(known, _)| *known == name);
    is_entry.then(|| name.strip_prefix("tls_")).flatten()
}

/// An option on its own, as an engine takes it; nothing if it makes no sense alone.
pub(super) fn alone(name: &str, value: &Literal) -> Option<(String, Literal)> {
    if TOGETHER.contains(&name) {
        return None;
    }
    Some(match entry(name) {
        Some(entry) => (TLS.to_owned(), Literal::Map(vec![(entry.to_owned(), value.clone())])),
        None => (name.to_owned(), value.clone()),
    })
}

/// Merges several sets of options, with the source of each; later ones take precedence. Entries of
/// `tls` are collected in it and imply it. `tls=false` discards earlier entries, `tls=true` keeps
/// them, and the entries of an argument replace them.
pub(super) fn merge<V: OptionValue>(
    levels: Vec<Level<V>>,
) -> Result<Vec<Used<V>>, InvalidArgument> {
    let mut merged: Vec<Used<V>> = Vec::new();
    for level in levels {
        let (entries, plain): (Level<V>, Level<V>) =
            level.into_iter().partition(|it| entry(&it.name).is_some());
        let own = plain.iter().find(|it| it.name == TLS);
        let own = own.map(|it| (it.value.flag(), it.source.clone()));
        if let (Some(first), Some((Some(false), _))) =
            (entries.iter().min_by(|one, other| one.name.cmp(&other.name)), &own)
        {
            return Err(InvalidArgument::of_value(format!(
                "{}, option {}: connections are not encrypted (tls=false)",
                first.source, first.name
            )));
        }
        let before = merged.iter().find(|it| it.name == TLS);
        let before = before.and_then(|it| match &it.value {
            Setting::Text(Literal::Map(entries)) => Some((entries.clone(), it.source.clone())),
            _ => None,
        });
        for used in plain {
            put(&mut merged, used);
        }
        if entries.is_empty() && !matches!(own, Some((Some(true), _))) {
            continue;
        }
        let (mut named, mut sources) = match before {
            Some((entries, source)) => (entries, vec![source]),
            None => Default::default(),
        };
        sources.extend(own.map(|(_, source)| source));
        for used in entries {
            let name = entry(&used.name).unwrap_or_default().to_owned();
            if let Setting::Text(value) = used.value {
                named.retain(|(known, _)| *known != name);
                named.push((name, value));
            }
            sources.push(used.source);
        }
        let value = if named.is_empty() { Literal::Flag(true) } else { Literal::Map(named) };
        let mut source = String::new();
        for (at, part) in sources.iter().enumerate() {
            if !sources[..at].contains(part) {
                source.push_str(if source.is_empty() { "" } else { ", " });
                source.push_str(part);
            }
        }
        put(&mut merged, Used { name: TLS.to_owned(), value: Setting::Text(value), source });
    }
    Ok(merged)
}

fn put<V>(merged: &mut Vec<Used<V>>, used: Used<V>) {
    merged.retain(|it| it.name != used.name);
    merged.push(used);
}

impl<V: OptionValue> Setting<V> {
    /// True or false; nothing if it is neither.
    fn flag(&self) -> Option<bool> {
        match self {
            Self::Text(Literal::Flag(flag)) => Some(*flag),
            Self::Argument(value) if value.form() == Form::Flag => value.flag(TLS).ok(),
            _ => None,
        }
    }
}

//! SUPPORTED: the options of a server.

use crate::notation::{Reader, Result, TooLong, put_short, put_string, put_string_list};
use crate::version::Version;

/// The options of a server, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Supported<'a>(pub Vec<(&'a str, Vec<&'a str>)>);

impl<'a> Supported<'a> {
    /// The values of an option; empty if it is missing.
    pub fn get(&self, key: &str) -> &[&'a str] {
        self.0.iter().find(|(name, _)| *name == key).map_or(&[], |(_, values)| values)
    }

    /// The best version that both sides support. A server that does not announce any supports
    /// version 4.
    pub fn version(&self) -> Option<Version> {
        match self.get("PROTOCOL_VERSIONS") {
            [] => Some(Version::V4),
            entries => Version::best(entries),
        }
    }

    /// Whether it supports LZ4 compression.
    pub fn has_lz4(&self) -> bool {
        self.get("COMPRESSION").iter().any(|name| name.eq_ignore_ascii_case("lz4"))
    }

    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self> {
        let options = (0..reader.short()?).map(|_| {
            let key = reader.string()?;
            let values = (0..reader.short()?).map(|_| reader.string()).collect::<Result<_>>()?;
            Ok((key, values))
        });
        Ok(Self(options.collect::<Result<_>>()?))
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> std::result::Result<(), TooLong> {
        put_short(out, "options of a server", self.0.len())?;
        self.0.iter().try_for_each(|(key, values)| {
            put_string(out, "the name of an option", key)?;
            put_string_list(out, "values of an option", values)
        })
    }
}

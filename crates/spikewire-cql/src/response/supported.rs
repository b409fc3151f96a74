//! SUPPORTED: the options of a server.

use super::error::code;
use crate::dialect::{self, Extensions, TabletRouting};
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

    /// The extensions that it offers and this crate knows. One whose argument is not valid is left
    /// out.
    pub fn extensions(&self) -> Extensions {
        let has = |key| !self.get(key).is_empty();
        let argument = |key, name| {
            let mut values = self.get(key).iter().filter_map(|value| value.strip_prefix(name));
            values.next()
        };
        let mask = argument(dialect::LWT_MARK, dialect::LWT_MARK_ARGUMENT);
        let mask = mask.and_then(|mask| mask.parse().ok());
        let number = argument(dialect::RATE_LIMIT, dialect::RATE_LIMIT_ARGUMENT);
        let number = number.and_then(|number| number.parse().ok());
        Extensions {
            lwt_mark: mask.filter(|mask| *mask != 0),
            rate_limit: number.filter(|number| code::learn_rate_limit(*number)),
            metadata_id: has(dialect::METADATA_ID),
            tablets: match (has(dialect::TABLETS_V1), has(dialect::TABLETS_V2)) {
                (_, true) => TabletRouting::V2,
                (true, false) => TabletRouting::V1,
                (false, false) => TabletRouting::None,
            },
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Extensions = Extensions {
        lwt_mark: Some(1 << 31),
        rate_limit: Some(0x4321),
        metadata_id: true,
        tablets: TabletRouting::V2,
    };

    fn of(pairs: &[(&str, &str)]) -> Extensions {
        Supported(pairs.iter().map(|(key, value)| (*key, vec![*value])).collect()).extensions()
    }

    #[test]
    fn what_a_server_offers_is_what_the_client_takes() {
        let offered = ALL.supported();
        let pairs: Vec<_> = offered.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(of(&pairs), ALL);
        let startup = of(&pairs).startup();
        let startup: Vec<_> = startup.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(
            startup,
            [
                ("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=2147483648"),
                ("SCYLLA_RATE_LIMIT_ERROR", ""),
                ("SCYLLA_USE_METADATA_ID", ""),
                ("TABLETS_ROUTING_V2_EXPERIMENTAL_V2", ""),
            ]
        );
        assert_eq!(ALL.in_startup(&startup), ALL);
        assert_eq!(ALL.in_startup(&startup[..1]), Extensions { lwt_mark: ALL.lwt_mark, ..of(&[]) });
    }

    #[test]
    fn an_offer_that_makes_no_sense_is_left_out() {
        for pairs in [
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=0")][..],
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=4294967296")],
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "")],
            &[("SCYLLA_RATE_LIMIT_ERROR", "ERROR_CODE=many")],
            // It is the code of another error.
            &[("SCYLLA_RATE_LIMIT_ERROR", "ERROR_CODE=4097")],
            &[("TABLETS_ROUTING_V2_EXPERIMENTAL", "")],
        ] {
            assert_eq!(of(pairs), Extensions::default(), "{pairs:?}");
        }
        let both = [("TABLETS_ROUTING_V1", ""), ("TABLETS_ROUTING_V2_EXPERIMENTAL", "")];
        assert_eq!(of(&both).tablets, TabletRouting::V1);
    }
}

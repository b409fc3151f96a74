//! Tablets: parts of a table's ring that Scylla moves between nodes and shards. Replies name the
//! tablet of a request that came to the wrong place, in their custom payload.

use crate::envelope::Payload;
use crate::notation::{Malformed, Reader, Result};

/// The name of a tablet in a custom payload.
pub const V1: &str = "tablets-routing-v1";
/// The name of a tablet with its version.
pub const V2: &str = "tablets-routing-v2";

/// Maximum number of replicas: more than any replication has.
const MOST_REPLICAS: usize = 255;

/// A tablet: the tokens behind `first`, up to and including `last`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tablet {
    /// The last token of the tablet before it.
    pub first: i64,
    /// Its last token.
    pub last: i64,
    /// Its replicas: the id of the node, and the shard there. With a version, the first is the
    /// leader if the keyspace has one.
    pub replicas: Vec<([u8; 16], u16)>,
    /// What its replicas are, as a number that changes with them.
    pub version: Option<u64>,
}

impl Tablet {
    /// The tablet in the payload of a reply, if there is one.
    pub fn of(payload: &Payload<'_>) -> Result<Option<Self>> {
        let has_version = |name: &str| match name {
            V1 => Some(false),
            V2 => Some(true),
            _ => None,
        };
        for (name, value) in payload {
            if let Some(has_version) = has_version(name) {
                let bytes = value.ok_or_else(|| Malformed::new("a tablet that is null"))?;
                return Self::read(bytes, has_version).map(Some);
            }
        }
        Ok(None)
    }

    /// Whether it has the rows of a token.
    pub fn has(&self, token: i64) -> bool {
        self.first < token && token <= self.last
    }

    /// The block of its version with this number, from 0 for the least significant one, for the end
    /// of EXECUTE.
    pub fn block(version: u64, number: u8) -> u8 {
        let number = number & 15;
        number << 4 | (version >> (4 * u32::from(number)) & 15) as u8
    }

    fn read(bytes: &[u8], has_version: bool) -> Result<Self> {
        let mut tuple = Reader(bytes);
        let (first, last) = (long(&mut tuple)?, long(&mut tuple)?);
        if last <= first {
            return Err(Malformed(format!("a tablet from {first} to {last}")));
        }
        let mut list = Reader(element(&mut tuple)?);
        let count = list.count()?;
        if count > MOST_REPLICAS {
            return Err(Malformed(format!("a tablet with {count} replicas")));
        }
        let replicas = (0..count).map(|_| {
            let mut replica = Reader(element(&mut list)?);
            let host = element(&mut replica)?.try_into();
            let host = host.map_err(|_| Malformed::new("a node id that is not a UUID"))?;
            let shard = element(&mut replica)?.try_into().map(i32::from_be_bytes);
            let shard = shard.ok().and_then(|shard| u16::try_from(shard).ok());
            Ok((host, shard.ok_or_else(|| Malformed::new("a shard out of range"))?))
        });
        let replicas = replicas.collect::<Result<_>>()?;
        let version = has_version.then(|| long(&mut tuple)).transpose()?;
        Ok(Self { first, last, replicas, version: version.map(|version| version as u64) })
    }

    /// Its name in a custom payload, and its bytes there.
    pub fn to_payload(&self) -> (&'static str, Vec<u8>) {
        let mut list = (self.replicas.len() as u32).to_be_bytes().to_vec();
        for (host, shard) in &self.replicas {
            let mut replica = Vec::new();
            put(&mut replica, host);
            put(&mut replica, &i32::from(*shard).to_be_bytes());
            put(&mut list, &replica);
        }
        let mut tuple = Vec::new();
        put(&mut tuple, &self.first.to_be_bytes());
        put(&mut tuple, &self.last.to_be_bytes());
        put(&mut tuple, &list);
        if let Some(version) = self.version {
            put(&mut tuple, &version.to_be_bytes());
        }
        (if self.version.is_some() { V2 } else { V1 }, tuple)
    }
}

fn put(out: &mut Vec<u8>, element: &[u8]) {
    out.extend_from_slice(&(element.len() as u32).to_be_bytes());
    out.extend_from_slice(element);
}

fn element<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8]> {
    reader.bytes()?.ok_or_else(|| Malformed::new("a tablet with a part that is null"))
}

fn long(reader: &mut Reader<'_>) -> Result<i64> {
    let bytes = element(reader)?.try_into();
    bytes.map(i64::from_be_bytes).map_err(|_| Malformed::new("a token that is not 8 bytes long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "00000008bfffffffffffffff00000008ffffffffffffffff00000024000000010000001c\
                           00000010111111112222333344445555555555550000000400000002";

    fn example() -> Tablet {
        let host = 0x1111_1111_2222_3333_4444_5555_5555_5555_u128.to_be_bytes();
        let first = -4_611_686_018_427_387_905;
        Tablet { first, last: -1, replicas: vec![(host, 2)], version: None }
    }

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<_> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        digits.chunks(2).map(|digits| pair(digits).unwrap()).collect()
    }

    #[test]
    fn the_documented_example_is_read_and_written() {
        let (bytes, tablet) = (bytes(EXAMPLE), example());
        let payload = vec![("other", None), (V1, Some(&bytes[..]))];
        assert_eq!(Tablet::of(&payload), Ok(Some(tablet.clone())));
        assert_eq!(tablet.to_payload(), (V1, bytes));
        assert!(tablet.has(-1) && tablet.has(tablet.first + 1));
        assert!(!tablet.has(0) && !tablet.has(tablet.first));
    }

    #[test]
    fn a_version_follows_the_replicas() {
        let hex = format!("{EXAMPLE}000000081122334455667788");
        let tablet = Tablet { version: Some(0x1122_3344_5566_7788), ..example() };
        let bytes = bytes(&hex);
        assert_eq!(Tablet::of(&vec![(V2, Some(&bytes[..]))]), Ok(Some(tablet.clone())));
        assert_eq!(tablet.to_payload(), (V2, bytes));
        let blocks = [0, 1, 15, 16].map(|number| Tablet::block(0x1122_3344_5566_7788, number));
        assert_eq!(blocks, [0x08, 0x18, 0xf1, 0x08]);
    }

    #[test]
    fn malformed_tablets_are_errors() {
        let whole = bytes(EXAMPLE);
        for len in 0..whole.len() {
            assert!(Tablet::of(&vec![(V1, Some(&whole[..len]))]).is_err(), "{len} bytes");
        }
        assert!(Tablet::of(&vec![(V1, None)]).is_err());
        assert!(Tablet::of(&vec![(V2, Some(&whole[..]))]).is_err(), "without its version");
        for tablet in [
            Tablet { last: example().first, ..example() },
            Tablet { replicas: vec![([1; 16], 0); 256], ..example() },
        ] {
            let (name, bytes) = tablet.to_payload();
            assert!(Tablet::of(&vec![(name, Some(&bytes[..]))]).is_err(), "{tablet:?}");
        }
        let mut negative = whole;
        negative[60] = 0xff;
        assert!(Tablet::of(&vec![(V1, Some(&negative[..]))]).is_err(), "a negative shard");
    }
}

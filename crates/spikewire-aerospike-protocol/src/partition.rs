//! Which partitions a node holds: bitmaps, and the `replicas` info value that contains them.
//!
//! `replicas` is `<ns>:<regime>,<rf>,<b64>{,<b64>}` joined by `;`. Each bitmap is 512 bytes:
//! partition p is byte `p >> 3`, mask `0x80 >> (p & 7)`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Malformed;
use crate::limits::PARTITIONS;

const BYTES: usize = PARTITIONS / 8;

/// A set of partitions.
#[derive(Clone, PartialEq, Eq)]
pub struct Bitmap(Box<[u8; BYTES]>);

impl Default for Bitmap {
    fn default() -> Self {
        Self(Box::new([0; BYTES]))
    }
}

impl std::fmt::Debug for Bitmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bitmap({} of {PARTITIONS})", self.count())
    }
}

impl Bitmap {
    /// Whether partition `pid` is in the set.
    pub fn contains(&self, pid: u16) -> bool {
        self.0[usize::from(pid >> 3)] & (0x80 >> (pid & 7)) != 0
    }

    /// Adds partition `pid`.
    pub fn insert(&mut self, pid: u16) {
        self.0[usize::from(pid >> 3)] |= 0x80 >> (pid & 7);
    }

    /// Number of partitions in the set.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|byte| byte.count_ones()).sum()
    }

    /// The partitions in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0..PARTITIONS as u16).filter(|pid| self.contains(*pid))
    }

    fn decode(text: &str) -> Result<Self, Malformed> {
        let bytes =
            STANDARD.decode(text).map_err(|_| Malformed::new("partition bitmap", "not base64"))?;
        let bytes: Box<[u8; BYTES]> = bytes
            .into_boxed_slice()
            .try_into()
            .map_err(|_| Malformed::new("partition bitmap", "not 512 bytes"))?;
        Ok(Self(bytes))
    }
}

/// The partitions of one namespace on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replicas {
    /// Namespace name.
    pub namespace: String,
    /// 0 for AP namespaces, otherwise the regime of a strong-consistency namespace.
    pub regime: u32,
    /// The namespace's effective replication factor.
    pub factor: u8,
    /// Column i: the partitions of which this node is replica i (0 is the working master).
    pub columns: Vec<Bitmap>,
}

impl Replicas {
    /// Parses the value of `replicas`.
    pub fn parse(value: &str) -> Result<Vec<Self>, Malformed> {
        let fail = |why| Malformed::new("replicas", why);
        value
            .split(';')
            .filter(|entry| !entry.is_empty())
            .map(|entry| {
                let (namespace, rest) = entry.split_once(':').ok_or(fail("no namespace"))?;
                let mut parts = rest.split(',');
                let regime = parts.next().and_then(|text| text.parse().ok());
                let factor: Option<u8> = parts.next().and_then(|text| text.parse().ok());
                let columns = parts.map(Bitmap::decode).collect::<Result<Vec<_>, _>>()?;
                let factor = factor.ok_or(fail("bad replication factor"))?;
                if columns.len() > usize::from(factor) {
                    return Err(fail("more bitmaps than the replication factor"));
                }
                Ok(Self {
                    namespace: namespace.to_owned(),
                    regime: regime.ok_or(fail("bad regime"))?,
                    factor,
                    columns,
                })
            })
            .collect()
    }

    /// Formats the value of `replicas`.
    pub fn format(entries: &[Self]) -> String {
        let entries: Vec<String> = entries
            .iter()
            .map(|entry| {
                let mut text = format!("{}:{},{}", entry.namespace, entry.regime, entry.factor);
                for column in &entry.columns {
                    text.push(',');
                    STANDARD.encode_string(column.0.as_slice(), &mut text);
                }
                text
            })
            .collect();
        entries.join(";")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fully_owned_bitmap_as_a_server_prints_it() {
        let text = format!("test:0,1,{}//8=", "/".repeat(680));
        let entries = Replicas::parse(&text).unwrap();
        assert_eq!((entries[0].columns[0].count(), entries[0].factor), (4096, 1));
        assert_eq!(Replicas::format(&entries), text);
    }

    #[test]
    fn the_most_significant_bit_comes_first() {
        let mut map = Bitmap::default();
        map.insert(0);
        map.insert(4095);
        let entry = Replicas { namespace: "n".into(), regime: 3, factor: 2, columns: vec![map] };
        let text = Replicas::format(std::slice::from_ref(&entry));
        assert!(text.starts_with("n:3,2,gAAA"), "{text}");
        assert_eq!(Replicas::parse(&text).unwrap()[0], entry);
        assert_eq!(entry.columns[0].iter().collect::<Vec<_>>(), [0, 4095]);
    }

    #[test]
    fn broken_values_are_rejected() {
        for text in ["x", "x:", "x:0", "x:0,one", "x:0,1,AAAA", "x:0,1,****"] {
            assert!(Replicas::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(Replicas::parse("").unwrap(), []);
    }
}

//! Records, as returned by reads.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use spikewire_aerospike::command::{Sink, read_bins};
use spikewire_aerospike_protocol::message::{Message, Op};
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_protocol::{Malformed, limits, void_time};

/// A record: its bins, its generation and its TTL.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The bins that were read.
    pub bins: Bins,
    /// Number of writes to the record, modulo the server's 16 bits; starts at 1.
    pub generation: u32,
    /// Remaining TTL when the record was read, in whole seconds; `None` if it never expires.
    pub ttl: Option<Duration>,
}

impl Record {
    /// The value of a bin.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.bins.get(name)
    }

    /// Decodes a record from its message; `answered` says for each operation of an `operate`
    /// whether the server sends a result for it.
    pub(crate) fn decode(body: &[u8], answered: &[bool]) -> Result<Self, Malformed> {
        let (message, _) = Message::parse(body)?;
        let header = &message.header;
        let mut bins = Vec::with_capacity(answered.len().max(usize::from(header.ops)));
        read_bins(&message, answered, &mut BinCollector(&mut bins))?;
        Ok(Self::of_parts(bins, header.generation, header.ttl))
    }

    pub(crate) fn of_parts(bins: Vec<Bin>, generation: u32, void_time: u32) -> Self {
        let ttl = void_time::ttl(void_time).map(|seconds| Duration::from_secs(seconds.into()));
        Self { bins: Bins(bins), generation, ttl }
    }
}

/// Collects bins directly from the wire.
struct BinCollector<'a>(&'a mut Vec<Bin>);

impl Sink for BinCollector<'_> {
    type Error = Malformed;

    fn result(&mut self, answer: Option<Op<'_>>) -> Result<(), Malformed> {
        if let Some(answer) = answer {
            return self.bin(answer);
        }
        self.0.push(Bin { name: Name::default(), value: Value::Nil });
        Ok(())
    }

    fn bin(&mut self, bin: Op<'_>) -> Result<(), Malformed> {
        self.0.push(Bin::decode(&bin)?);
        Ok(())
    }
}

/// One bin of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Value,
}

impl Bin {
    pub(crate) fn decode(answer: &Op<'_>) -> Result<Self, Malformed> {
        let value = Value::decode(answer.particle, answer.value)?;
        Ok(Self { name: Name::new(answer.name)?, value })
    }
}

/// The bins of a record, in the order received. A slice of [`Bin`]s with lookup by name.
///
/// After `operate` there is one entry per operation, in order: index it like a slice. Operations
/// without a result leave [`Value::Nil`] there.
#[derive(Clone, PartialEq, Default)]
pub struct Bins(Vec<Bin>);

impl Bins {
    /// The value of the bin with this name. If several results of `operate` refer to the same bin,
    /// the last one with a value.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut named = self.0.iter().rev().filter(|bin| bin.name == *name).map(|bin| &bin.value);
        named.find(|value| **value != Value::Nil)
    }

    /// Removes and returns the value of a bin, as found by [`Bins::get`].
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let is_match = |bin: &Bin| bin.name == *name && bin.value != Value::Nil;
        let at = self.0.iter().rposition(is_match)?;
        Some(self.0.remove(at).value)
    }
}

impl Deref for Bins {
    type Target = [Bin];

    fn deref(&self) -> &[Bin] {
        &self.0
    }
}

impl IntoIterator for Bins {
    type Item = Bin;
    type IntoIter = std::vec::IntoIter<Bin>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Bins {
    type Item = &'a Bin;
    type IntoIter = std::slice::Iter<'a, Bin>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Debug for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|bin| (&bin.name, &bin.value))).finish()
    }
}

/// A bin name: at most 15 bytes of text, stored inline. Derefs to `str`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name {
    bytes: [u8; limits::BIN_NAME],
    len: u8,
}

impl Name {
    fn new(name: &[u8]) -> Result<Self, Malformed> {
        let mut bytes = [0; limits::BIN_NAME];
        let room = bytes.get_mut(..name.len());
        room.ok_or(Malformed::new("bin name", "longer than 15 bytes"))?.copy_from_slice(name);
        if !name.is_ascii() && std::str::from_utf8(name).is_err() {
            return Err(Malformed::new("bin name", "not valid UTF-8"));
        }
        Ok(Self { bytes, len: name.len() as u8 })
    }

    /// The name as a string.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.bytes[..usize::from(self.len)] == *other.as_bytes()
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bin_names_hold_up_to_15_bytes_of_utf8() {
        let name = Name::new(b"fifteen-bytes-x").unwrap();
        assert_eq!((name.as_str(), name.len()), ("fifteen-bytes-x", 15));
        assert!(Name::new(b"sixteen-bytes-xx").is_err());
        assert!(Name::new(b"\xff").is_err());
        assert_eq!(Name::new("größe".as_bytes()).unwrap(), "größe");
    }

    #[test]
    fn the_last_result_with_a_value_counts() {
        let bin = |name: &str, value| Bin { name: Name::new(name.as_bytes()).unwrap(), value };
        let mut bins = Bins(vec![
            bin("n", Value::Int(1)),
            bin("n", Value::Int(2)),
            bin("n", Value::Nil),
            bin("m", Value::Nil),
        ]);
        assert_eq!(bins.get("n"), Some(&Value::Int(2)));
        assert_eq!(bins.get("m"), None);
        assert_eq!(bins.remove("n"), Some(Value::Int(2)));
        assert_eq!(bins.get("n"), Some(&Value::Int(1)));
    }
}

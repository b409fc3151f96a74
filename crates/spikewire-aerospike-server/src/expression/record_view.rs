//! A record as seen by expressions: bins, key and metadata, stored or being written.

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::{Meta, Type};
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::limits::EPOCH_2010;
use spikewire_aerospike_protocol::value::{self, particle};

use super::Val;
use crate::record::bins::{self, Bin};
use crate::record::clock::Moment;
use crate::record::device;
use crate::record::sets::Sets;
use crate::record::{Draft, View};

/// The bins of a record.
#[derive(Debug, Clone, Copy)]
pub enum Bins<'a> {
    /// In the stored record.
    Stored(&'a [u8]),
    /// Being edited by a command.
    Edited(&'a bins::Bins),
}

impl<'a> Bins<'a> {
    fn find(self, name: &[u8]) -> Option<Bin<'a>> {
        match self {
            Self::Stored(wire) => Bin::find(wire, name),
            Self::Edited(bins) => bins.iter().find(|bin| bin.name == name),
        }
    }
}

/// A record that an expression is evaluated on.
#[derive(Debug, Clone, Copy)]
pub struct RecordView<'a> {
    /// The sets of its namespace.
    pub sets: &'a Sets,
    /// What identifies it.
    pub digest: Digest,
    /// The stored record; `None` while it is being created.
    pub record: Option<View<'a>>,
    /// Its bins.
    pub bins: Bins<'a>,
    /// The new header from a write.
    pub draft: Option<Draft>,
    /// The time.
    pub now: Moment,
}

impl<'a> RecordView<'a> {
    /// A record as it is stored.
    pub fn stored(sets: &'a Sets, record: View<'a>, now: Moment) -> Self {
        let digest = Digest(*record.digest());
        let bins = Bins::Stored(record.bins());
        Self { sets, digest, record: Some(record), bins, draft: None, now }
    }

    /// The value of a bin; unknown if it is missing or of another type.
    pub(super) fn bin(&self, kind: Type, name: &[u8]) -> Val<'a> {
        match self.bins.find(name) {
            Some(bin) if bin.particle == kind.particle() => read(kind, bin.value),
            _ => Val::Unknown,
        }
    }

    /// The particle type of a bin, 0 if it is missing.
    pub(super) fn bin_type(&self, name: &[u8]) -> i64 {
        self.bins.find(name).map_or(0, |bin| i64::from(bin.particle))
    }

    /// The stored user key; unknown if none of this type is stored.
    pub(super) fn key(&self, kind: Type) -> Val<'a> {
        match self.record.and_then(View::key) {
            Some([of, key @ ..]) if *of == kind.particle() => read(kind, key),
            _ => Val::Unknown,
        }
    }

    pub(super) fn digest_modulo(&self, divisor: i64) -> i64 {
        let tail = self.digest.0.last_chunk().copied().unwrap_or_default();
        i64::from(u32::from_le_bytes(tail)).wrapping_rem(divisor)
    }

    fn stored_size(&self) -> usize {
        self.record
            .map_or(0, |record| device::stored_size(record, self.sets.name_len(record.set())))
    }

    pub(super) fn meta(&self, meta: Meta) -> Val<'a> {
        let millis = self.record.map_or(self.now.millis(), View::last_update);
        let stored = || self.record.map_or(0, View::void_time);
        let void_time = self.draft.as_ref().map_or_else(stored, |draft| draft.void_time);
        let unix = |seconds: u32| (u64::from(seconds) + EPOCH_2010) * 1_000_000_000;
        Val::Int(match meta {
            Meta::DeviceSize => 0,
            Meta::MemorySize | Meta::RecordSize => self.stored_size() as i64,
            Meta::LastUpdate => ((millis + EPOCH_2010 * 1000) * 1_000_000) as i64,
            Meta::SinceUpdate => self.now.millis().saturating_sub(millis) as i64,
            Meta::VoidTime | Meta::Ttl if void_time == 0 => -1,
            Meta::VoidTime => unix(void_time) as i64,
            Meta::Ttl => i64::from(void_time.saturating_sub(self.now.seconds())),
            Meta::IsTombstone => return Val::Bool(false),
            Meta::KeyExists => return Val::Bool(self.record.is_some_and(|it| it.key().is_some())),
            Meta::SetName => {
                let own = self.record.map(View::set);
                let set = own.or(self.draft.as_ref().map(|draft| draft.set));
                let set = set.and_then(|set| self.sets.get(set));
                let name = set.map_or_else(Vec::new, |set| set.name.to_vec());
                return Val::Bytes(Type::Str, Cow::Owned(name));
            }
        })
    }
}

/// Converts a particle to a value.
pub(super) fn read(kind: Type, bytes: &[u8]) -> Val<'_> {
    let parsed = match kind {
        Type::Int => value::read_int(bytes).map(Val::Int),
        Type::Float => value::read_float(bytes).map(Val::Float),
        Type::Bool => value::read_bool(bytes).map(Val::Bool),
        Type::Geo => value::geojson_text(bytes).map(|text| Val::Bytes(kind, Cow::Borrowed(text))),
        Type::List | Type::Map => Ok(Val::Packed(kind, Cow::Borrowed(bytes))),
        Type::Str | Type::Blob | Type::Hll => Ok(Val::Bytes(kind, Cow::Borrowed(bytes))),
        Type::Nil => Ok(Val::Nil),
    };
    parsed.unwrap_or(Val::Unknown)
}

impl Val<'_> {
    /// The particle of this value: type and bytes; `None` for nil. Unknown has none.
    pub fn particle(&self) -> Option<(u8, Vec<u8>)> {
        Some(match self {
            Self::Unknown | Self::Nil => return None,
            Self::Bool(flag) => (particle::BOOL, vec![u8::from(*flag)]),
            Self::Int(int) => (particle::INTEGER, int.to_be_bytes().to_vec()),
            Self::Float(float) => (particle::FLOAT, float.to_be_bytes().to_vec()),
            Self::Bytes(Type::Geo, text) => (particle::GEOJSON, [&[0, 0, 0], &text[..]].concat()),
            Self::Bytes(kind, bytes) | Self::Packed(kind, bytes) => {
                (kind.particle(), bytes.to_vec())
            }
        })
    }
}

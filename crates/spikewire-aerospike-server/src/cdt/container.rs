//! A list or map, parsed into slices of its stored form.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::cdt::{flags, take};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};

use super::item::compare;

/// List or map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerKind {
    /// A list.
    List,
    /// A map.
    Map,
}

/// The elements of a list, or the keys and values of a map in the order of its keys.
#[derive(Debug, Clone)]
pub struct Container<'a> {
    /// Which it is.
    pub kind: ContainerKind,
    /// Its order flags.
    pub flags: u8,
    /// Keys; empty for a list.
    pub keys: Vec<&'a [u8]>,
    /// Elements or values.
    pub values: Vec<&'a [u8]>,
}

impl<'a> Container<'a> {
    /// An empty container. Only the order flags of `flags` are kept.
    pub fn new(kind: ContainerKind, flags: i64) -> Self {
        let known = match kind {
            ContainerKind::List => flags::ORDERED,
            ContainerKind::Map => flags::ORDERED | flags::VALUE_ORDERED,
        };
        Self { kind, flags: flags as u8 & known, keys: Vec::new(), values: Vec::new() }
    }

    /// Parses a stored value; `None` if it is neither list nor map.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (kind, announced) = match reader.next().ok()? {
            Token::Array(count) => (ContainerKind::List, count),
            Token::Map(count) => (ContainerKind::Map, count),
            _ => return None,
        };
        let flags = if announced > 0 { reader.flags() } else { None };
        let count = announced - u32::from(flags.is_some());
        let mut container = Self::new(kind, i64::from(flags.unwrap_or(0)));
        let room = reader.capacity(count, 1);
        container.values.reserve(room);
        if kind == ContainerKind::Map {
            container.keys.reserve(room);
            if flags.is_some() {
                take(&mut reader).ok()?;
            }
        }
        for _ in 0..count {
            if kind == ContainerKind::Map {
                container.keys.push(take(&mut reader).ok()?);
            }
            container.values.push(take(&mut reader).ok()?);
        }
        Some(container)
    }

    /// Number of elements or pairs.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether it is an ordered list.
    pub fn is_sorted_list(&self) -> bool {
        self.kind == ContainerKind::List && self.flags & flags::ORDERED != 0
    }

    /// Its stored form.
    pub fn encode(&self) -> Vec<u8> {
        encode(self.kind, self.flags, self.len(), |at| {
            (self.keys.get(at).copied(), self.values[at])
        })
    }

    /// Sorts the elements of a list; stable.
    pub fn sort(&mut self) {
        self.values.sort_by(|a, b| compare(a, b));
    }

    /// The indexes of all elements from the smallest value to the largest; equal values in index
    /// order.
    pub fn by_rank(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        if !self.is_sorted_list() {
            order.sort_by(|a, b| compare(self.values[*a], self.values[*b]));
        }
        order
    }

    /// The position of a key, or where it would be inserted.
    pub fn find_key(&self, key: &[u8]) -> Result<usize, usize> {
        let at = self.keys.partition_point(|other| compare(other, key).is_lt());
        match self.keys.get(at) {
            Some(other) if compare(other, key).is_eq() => Ok(at),
            _ => Err(at),
        }
    }

    /// The first element or value that equals this one.
    pub fn find_value(&self, value: &[u8]) -> Option<usize> {
        self.values.iter().position(|other| compare(other, value).is_eq())
    }

    /// Number of values less than this one.
    pub fn count_less(&self, value: &[u8]) -> usize {
        let less = |other: &&&[u8]| compare(other, value) == Ordering::Less;
        self.values.iter().filter(less).count()
    }

    /// Removes the marked elements.
    pub fn remove(&mut self, marked: &[bool]) {
        let mut marks = marked.iter();
        self.values.retain(|_| !marks.next().copied().unwrap_or(false));
        let mut marks = marked.iter();
        self.keys.retain(|_| !marks.next().copied().unwrap_or(false));
    }
}

/// Encodes a list or map of `count` elements in stored form.
pub fn encode<'e>(
    kind: ContainerKind,
    flags: u8,
    count: usize,
    element: impl Fn(usize) -> (Option<&'e [u8]>, &'e [u8]),
) -> Vec<u8> {
    let size = (0..count).map(|at| {
        let (key, value) = element(at);
        key.map_or(0, <[u8]>::len) + value.len()
    });
    let mut out = Vec::with_capacity(10 + size.sum::<usize>());
    let announced = count as u32 + u32::from(flags != 0);
    match kind {
        ContainerKind::List => msgpack::array(&mut out, announced),
        ContainerKind::Map => msgpack::map(&mut out, announced),
    }
    if flags != 0 {
        out.extend_from_slice(&[0xc7, 0, flags]);
        if kind == ContainerKind::Map {
            msgpack::nil(&mut out);
        }
    }
    for at in 0..count {
        let (key, value) = element(at);
        out.extend_from_slice(key.unwrap_or_default());
        out.extend_from_slice(value);
    }
    out
}

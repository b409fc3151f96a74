//! A record's bins during a command.
//!
//! The bins are stored one after another in an arena, in wire form. An edit appends the new form
//! and updates the bin's slot; nothing is moved. Buffers are reused from command to command.

use hashbrown::HashTable;
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{self, op};

use crate::hash::fnv;

/// From this many bins on, names are looked up in a hash table instead of linearly.
const INDEXED: usize = 24;
/// A larger arena is compacted.
const COMPACT_AT: usize = 16 << 20;
/// Bytes of a wire operation before its bin name.
pub const OP_HEAD: usize = 8;

/// A decoded bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Particle type.
    pub particle: u8,
    /// Particle bytes.
    pub value: &'a [u8],
    /// The complete encoded operation.
    pub wire: &'a [u8],
}

impl<'a> Bin<'a> {
    /// Decodes the bin at the start of `wire`, which this server has encoded.
    pub fn parse(wire: &'a [u8]) -> Self {
        let len = u32::from_be_bytes([wire[0], wire[1], wire[2], wire[3]]) as usize;
        let name_end = OP_HEAD + wire[7] as usize;
        let end = 4 + len;
        Self {
            name: &wire[OP_HEAD..name_end],
            particle: wire[5],
            value: &wire[name_end..end],
            wire: &wire[..end],
        }
    }

    /// All bins of a record.
    pub fn all(mut wire: &'a [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            if wire.is_empty() {
                return None;
            }
            let bin = Self::parse(wire);
            wire = &wire[bin.wire.len()..];
            Some(bin)
        })
    }

    /// The bin with this name.
    pub fn find(wire: &'a [u8], name: &[u8]) -> Option<Self> {
        Self::all(wire).find(|bin| bin.name == name)
    }
}

/// Bins being edited.
#[derive(Debug)]
pub struct Bins {
    arena: Vec<u8>,
    /// The range of each bin, in order; empty for a removed bin.
    slots: Vec<(u32, u32)>,
    live: usize,
    index: HashTable<u32>,
    indexed: bool,
    compact_at: usize,
}

impl Default for Bins {
    fn default() -> Self {
        Self {
            arena: Vec::new(),
            slots: Vec::new(),
            live: 0,
            index: HashTable::new(),
            indexed: false,
            compact_at: COMPACT_AT,
        }
    }
}

fn hash(name: &[u8]) -> u64 {
    let hash = fnv(name);
    hash ^ hash >> 29
}

impl Bins {
    /// Loads a record's bins.
    pub fn load(&mut self, wire: &[u8]) {
        self.clear();
        self.arena.extend_from_slice(wire);
        let mut at = 0;
        for bin in Bin::all(wire) {
            let end = at + bin.wire.len();
            self.slots.push((at as u32, end as u32));
            at = end;
        }
        self.live = self.slots.len();
        if self.slots.len() > INDEXED {
            self.build_index();
        }
    }

    /// Removes every bin.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.arena.shrink_to(COMPACT_AT);
        self.compact_at = COMPACT_AT;
        self.slots.clear();
        self.live = 0;
        self.indexed = false;
        self.index.clear();
    }

    /// Number of bins.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether the bins of a command have grown beyond what can be sent. The arena may hold as much
    /// again of stale data.
    pub fn are_too_big(&self) -> bool {
        self.arena.len() > 2 * frame::MAX_BODY
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The bins in order.
    pub fn iter(&self) -> impl Iterator<Item = Bin<'_>> {
        self.slots
            .iter()
            .filter(|(start, end)| start != end)
            .map(|(start, end)| Bin::parse(&self.arena[*start as usize..*end as usize]))
    }

    /// The bin with this name.
    pub fn get(&mut self, name: &[u8]) -> Option<Bin<'_>> {
        let (start, end) = self.slots[self.position(name)?];
        Some(Bin::parse(&self.arena[start as usize..end as usize]))
    }

    /// Sets a bin.
    pub fn set(&mut self, name: &[u8], particle: u8, value: &[u8]) {
        let start = self.arena.len();
        message::write_op(&mut self.arena, op::READ, name, particle, value);
        self.place(name, start);
    }

    /// Sets a bin whose value `write` appends to the given buffer, after reading the old value if
    /// needed. If `write` fails, nothing changes.
    pub fn set_with<E>(
        &mut self,
        name: &[u8],
        particle: u8,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = message::begin_op(&mut self.arena, op::READ, name);
        if let Err(error) = write(&mut self.arena) {
            self.arena.truncate(start);
            return Err(error);
        }
        message::finish_op(&mut self.arena, start, particle);
        self.place(name, start);
        Ok(())
    }

    /// Sets a bin to its old value with `front` before and `back` after it.
    pub fn extend(&mut self, name: &[u8], front: &[u8], back: &[u8]) {
        let Some(at) = self.position(name) else { return };
        let (old_start, old_end) = self.slots[at];
        let (value, end) = (old_start as usize + OP_HEAD + name.len(), old_end as usize);
        let particle = self.arena[old_start as usize + 5];
        let start = message::begin_op(&mut self.arena, op::READ, name);
        self.arena.extend_from_slice(front);
        self.arena.extend_from_within(value..end);
        self.arena.extend_from_slice(back);
        message::finish_op(&mut self.arena, start, particle);
        self.place(name, start);
    }

    /// Removes a bin; returns whether it existed.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let Some(at) = self.position(name) else { return false };
        if self.indexed
            && let Ok(entry) = self.index.find_entry(hash(name), |slot| *slot as usize == at)
        {
            entry.remove();
        }
        self.slots[at] = (0, 0);
        self.live -= 1;
        true
    }

    /// Appends the bins in wire form.
    pub fn write(&self, out: &mut Vec<u8>) {
        for (start, end) in &self.slots {
            out.extend_from_slice(&self.arena[*start as usize..*end as usize]);
        }
    }

    /// Points the slot of `name` to the operation written at `start`.
    fn place(&mut self, name: &[u8], start: usize) {
        let range = (start as u32, self.arena.len() as u32);
        self.put_slot(name, range);
        if self.arena.len() > self.compact_at {
            self.compact();
        }
    }

    fn put_slot(&mut self, name: &[u8], range: (u32, u32)) {
        if let Some(at) = self.position(name) {
            self.slots[at] = range;
            return;
        }
        self.slots.push(range);
        self.live += 1;
        if self.indexed {
            self.index_slot(self.slots.len() - 1);
        } else if self.slots.len() > INDEXED {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        self.indexed = true;
        for at in 0..self.slots.len() {
            self.index_slot(at);
        }
    }

    /// Removes stale data of earlier edits from the arena.
    fn compact(&mut self) {
        let mut arena = Vec::with_capacity(self.arena.len() / 2);
        for (start, end) in &mut self.slots {
            let moved = arena.len() as u32;
            arena.extend_from_slice(&self.arena[*start as usize..*end as usize]);
            (*start, *end) = (moved, arena.len() as u32);
        }
        self.arena = arena;
        self.compact_at = COMPACT_AT.max(self.arena.len() * 2);
    }

    fn index_slot(&mut self, at: usize) {
        let (start, end) = self.slots[at];
        if start == end {
            return;
        }
        let (arena, slots) = (&self.arena, &self.slots);
        let name = |slot: &u32| Bin::parse(&arena[slots[*slot as usize].0 as usize..]).name;
        self.index.insert_unique(hash(name(&(at as u32))), at as u32, |slot| hash(name(slot)));
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        let is = |at: usize| {
            let (start, end) = self.slots[at];
            start != end && Bin::parse(&self.arena[start as usize..end as usize]).name == name
        };
        if self.indexed {
            self.index.find(hash(name), |slot| is(*slot as usize)).map(|slot| *slot as usize)
        } else {
            (0..self.slots.len()).find(|at| is(*at))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bins: &Bins) -> Vec<String> {
        bins.iter().map(|bin| String::from_utf8_lossy(bin.name).into_owned()).collect()
    }

    #[test]
    fn edits_keep_the_order_of_bins() {
        let mut bins = Bins::default();
        for name in ["a", "b", "c"] {
            bins.set(name.as_bytes(), 3, name.as_bytes());
        }
        bins.set(b"a", 3, b"new");
        assert!(bins.remove(b"b") && !bins.remove(b"b"));
        bins.set(b"b", 4, b"");
        bins.extend(b"c", b"<", b">");
        assert_eq!(names(&bins), ["a", "c", "b"]);
        let mut wire = Vec::new();
        bins.write(&mut wire);
        assert_eq!(Bin::find(&wire, b"c").unwrap().value, b"<c>");
        assert_eq!(Bin::find(&wire, b"a").unwrap().value, b"new");
        assert!(Bin::find(&wire, b"z").is_none());
        let mut again = Bins::default();
        again.load(&wire);
        assert_eq!((names(&again), again.len()), (names(&bins), 3));
        assert_eq!(again.set_with(b"a", 1, |_| Err("no")), Err("no"));
        assert_eq!(again.get(b"a").unwrap().value, b"new");
    }

    #[test]
    fn many_bins_are_looked_up_by_hash() {
        let mut bins = Bins::default();
        for at in 0..5000 {
            bins.set(format!("n{at}").as_bytes(), 1, &[at as u8]);
        }
        for at in (0..5000).step_by(2) {
            assert!(bins.remove(format!("n{at}").as_bytes()));
        }
        bins.set(b"n1", 1, b"!");
        assert_eq!((bins.len(), bins.get(b"n1").unwrap().value), (2500, &b"!"[..]));
        assert!(bins.get(b"n2").is_none() && bins.get(b"n4999").is_some());
        bins.set(b"n2", 1, b"?");
        assert_eq!(bins.iter().last().unwrap().name, b"n2");
    }
}

//! One record as one block of bytes.
//!
//! ```text
//!  0..20  digest
//! 20..22  generation, u16 little-endian (like the rest of this head)
//! 22..24  set number, 0 = no set
//! 24..28  void time, seconds since 2010, 0 = never
//! 28..34  last update, milliseconds since 2010
//! 34..36  bin count; the top bit says that a user key follows the bins
//! 36..    bins, each laid out as a read operation on the wire
//!         user key, then its length as u32 (only with the top bit)
//! ```
//!
//! Bins are stored in wire form, so that a read of all bins copies one range into the reply.
//!
//! | module | what it holds |
//! |---|---|
//! | [`bins`] | a record's bins while a command edits them |
//! | [`sets`] | set names and their numbers |
//! | [`device`] | how large a record is where servers store it |
//! | [`clock`] | the time of this cluster |

pub mod bins;
pub mod clock;
pub mod device;
pub mod sets;

use spikewire_aerospike_protocol::key::Digest;

/// Bytes before the bins.
pub const HEAD: usize = 36;
const HAS_KEY: u16 = 0x8000;

/// The bytes of a record, borrowed; created by [`Draft`].
#[derive(Debug, Clone, Copy)]
pub struct View<'a>(&'a [u8]);

/// A stored record.
#[derive(Debug)]
pub struct Record(Box<[u8]>);

/// The header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draft {
    /// The digest of the record.
    pub digest: Digest,
    /// Its generation.
    pub generation: u16,
    /// The set's number, 0 for none.
    pub set: u16,
    /// Its expiry in seconds since 2010; 0 = never.
    pub void_time: u32,
    /// Its last update in milliseconds since 2010.
    pub last_update: u64,
    /// Number of bins.
    pub bins: u16,
}

impl Draft {
    /// Writes a complete record to `image`: header, bins in wire form, user key.
    pub fn compose(&self, image: &mut Vec<u8>, bins: &[u8], key: Option<&[u8]>) {
        self.begin(image);
        image.extend_from_slice(bins);
        self.finish(image, key);
    }

    /// Starts a record in `image`; the caller appends the bins.
    pub fn begin(&self, image: &mut Vec<u8>) {
        image.clear();
        image.extend_from_slice(&self.digest.0);
        image.extend_from_slice(&self.generation.to_le_bytes());
        image.extend_from_slice(&self.set.to_le_bytes());
        image.extend_from_slice(&self.void_time.to_le_bytes());
        image.extend_from_slice(&self.last_update.to_le_bytes()[..6]);
        image.extend_from_slice(&self.bins.to_le_bytes());
    }

    /// Completes the record started by [`Draft::begin`].
    pub fn finish(&self, image: &mut Vec<u8>, key: Option<&[u8]>) {
        if let Some(key) = key {
            image[34..36].copy_from_slice(&(self.bins | HAS_KEY).to_le_bytes());
            image.extend_from_slice(key);
            image.extend_from_slice(&(key.len() as u32).to_le_bytes());
        }
    }
}

impl Record {
    /// Stores a copy of an image created by [`Draft`].
    pub fn new(image: &[u8]) -> Self {
        Self(image.into())
    }

    /// Replaces the image of the same record, in place if the length allows.
    pub fn replace(&mut self, image: &[u8]) {
        if self.0.len() == image.len() {
            self.0.copy_from_slice(image);
        } else {
            self.0 = image.into();
        }
    }

    /// Its contents.
    pub fn view(&self) -> View<'_> {
        View(&self.0)
    }
}

impl<'a> View<'a> {
    /// A view of an image created by [`Draft`].
    pub fn new(image: &'a [u8]) -> Self {
        debug_assert!(image.len() >= HEAD);
        Self(image)
    }

    fn half(self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    /// The complete image.
    pub fn image(self) -> &'a [u8] {
        self.0
    }

    /// The digest of the record.
    pub fn digest(self) -> &'a [u8; 20] {
        self.0.first_chunk().expect("a record starts with its digest")
    }

    /// Its generation.
    pub fn generation(self) -> u16 {
        self.half(20)
    }

    /// The set's number, 0 for none.
    pub fn set(self) -> u16 {
        self.half(22)
    }

    /// Its expiry in seconds since 2010; 0 = never.
    pub fn void_time(self) -> u32 {
        u32::from(self.half(24)) | u32::from(self.half(26)) << 16
    }

    /// Its last update in milliseconds since 2010.
    pub fn last_update(self) -> u64 {
        u64::from(self.half(28)) | u64::from(self.half(30)) << 16 | u64::from(self.half(32)) << 32
    }

    /// Number of bins.
    pub fn bin_count(self) -> u16 {
        self.half(34) & !HAS_KEY
    }

    /// Its bins, each encoded like a read operation.
    pub fn bins(self) -> &'a [u8] {
        &self.0[HEAD..self.split()]
    }

    /// The user key stored with it: particle type, then bytes.
    pub fn key(self) -> Option<&'a [u8]> {
        (self.half(34) & HAS_KEY != 0).then(|| &self.0[self.split()..self.0.len() - 4])
    }

    /// Where the bins end.
    fn split(self) -> usize {
        if self.half(34) & HAS_KEY == 0 {
            return self.0.len();
        }
        let tail = self.0.last_chunk::<4>().expect("a stored key has a length");
        self.0.len() - 4 - u32::from_le_bytes(*tail) as usize
    }

    /// Whether it has expired at `now`, in seconds since 2010.
    pub fn is_expired(self, now: u32) -> bool {
        let void_time = self.void_time();
        void_time != 0 && void_time < now
    }

    /// Its header, for writing the record again.
    pub fn draft(self) -> Draft {
        Draft {
            digest: Digest(*self.digest()),
            generation: self.generation(),
            set: self.set(),
            void_time: self.void_time(),
            last_update: self.last_update(),
            bins: self.bin_count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_image_round_trips() {
        let draft = Draft {
            digest: Digest([7; 20]),
            generation: 65_535,
            set: 4_095,
            void_time: 0xFEDC_BA98,
            last_update: 0xFFEE_DDCC_BBAA,
            bins: 32_767,
        };
        let mut image = Vec::new();
        for key in [None, Some(&b"\x03k"[..]), Some(&b""[..])] {
            draft.compose(&mut image, b"bins", key);
            let record = Record::new(&image);
            assert_eq!(record.view().draft(), draft);
            assert_eq!(record.view().bins(), b"bins");
            assert_eq!(record.view().key(), key);
        }
    }

    #[test]
    fn a_record_lives_through_its_last_second() {
        let mut image = Vec::new();
        let draft = Draft {
            digest: Digest([0; 20]),
            generation: 1,
            set: 0,
            void_time: 100,
            last_update: 0,
            bins: 0,
        };
        draft.compose(&mut image, b"", None);
        assert!(!View::new(&image).is_expired(100) && View::new(&image).is_expired(101));
        Draft { void_time: 0, ..draft }.compose(&mut image, b"", None);
        assert!(!View::new(&image).is_expired(u32::MAX));
    }
}

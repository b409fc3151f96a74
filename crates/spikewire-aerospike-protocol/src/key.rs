//! User keys, digests and partition ids.
//!
//! `digest = RIPEMD-160(set name ‖ particle type ‖ key bytes)`; the namespace is not hashed.
//! `partition = (digest[0] | digest[1] << 8) & 0x0FFF`.

use ripemd::{Digest as _, Ripemd160};

use crate::one_block::{Block, LONGEST, hash_one};
use crate::value::particle;

/// A user key, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UserKey<'a> {
    /// A 64-bit signed integer.
    Int(i64),
    /// UTF-8 text.
    Str(&'a str),
    /// Raw bytes.
    Bytes(&'a [u8]),
}

impl UserKey<'_> {
    /// The particle type that is part of the digest and precedes a stored key.
    pub fn particle_type(&self) -> u8 {
        match self {
            Self::Int(_) => particle::INTEGER,
            Self::Str(_) => particle::STRING,
            Self::Bytes(_) => particle::BLOB,
        }
    }

    /// The data of message field 2, which sends the key along with a request.
    pub fn stored(&self) -> Vec<u8> {
        let mut data = Vec::with_capacity(16);
        self.encode(&mut data);
        data
    }

    /// Appends `type byte ‖ key bytes`, the data of message field 2.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.particle_type());
        match self {
            Self::Int(int) => out.extend_from_slice(&int.to_be_bytes()),
            Self::Str(text) => out.extend_from_slice(text.as_bytes()),
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
        }
    }
}

/// The 20 bytes that identify a record within a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// The partition that holds this record, 0 to 4095.
    pub fn partition(&self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]]) & 0x0FFF
    }
}

/// The digest of one key; [`Digests`](crate::digests::Digests) is cheaper for many.
#[inline]
pub fn digest(set: &str, key: &UserKey<'_>) -> Digest {
    match block(set, key) {
        Some(block) => Digest(hash_one(&block)),
        None => digest_of_many_blocks(set, key),
    }
}

/// The digest of a string key that is not valid UTF-8, which some clients allow.
pub fn raw_text_digest(set: &str, text: &[u8]) -> Digest {
    let mut hash = Ripemd160::new_with_prefix(set);
    hash.update([particle::STRING]);
    hash.update(text);
    Digest(hash.finalize().into())
}

/// The input of the hash for a key, including padding; `None` if it exceeds one block.
// Inlined, because copying a block costs more than building it.
#[inline(always)]
pub(crate) fn block(set: &str, key: &UserKey<'_>) -> Option<Block> {
    let int;
    let bytes = match key {
        UserKey::Int(value) => {
            int = value.to_be_bytes();
            &int[..]
        }
        UserKey::Str(text) => text.as_bytes(),
        UserKey::Bytes(bytes) => bytes,
    };
    let len = set.len() + 1 + bytes.len();
    if len > LONGEST {
        return None;
    }
    let mut block = [0; 64];
    let (name, rest) = block.split_at_mut(set.len());
    name.copy_from_slice(set.as_bytes());
    rest[0] = key.particle_type();
    rest[1..=bytes.len()].copy_from_slice(bytes);
    rest[1 + bytes.len()] = 0x80;
    block[56..].copy_from_slice(&(8 * len as u64).to_le_bytes());
    Some(block)
}

fn digest_of_many_blocks(set: &str, key: &UserKey<'_>) -> Digest {
    let mut hash = Ripemd160::new_with_prefix(set);
    hash.update([key.particle_type()]);
    match key {
        UserKey::Int(int) => hash.update(int.to_be_bytes()),
        UserKey::Str(text) => hash.update(text),
        UserKey::Bytes(bytes) => hash.update(bytes),
    }
    Digest(hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: Digest) -> String {
        digest.0.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// Digests read back from a live server.
    #[test]
    fn digests_agree_with_the_server() {
        let cases: [(&str, UserKey<'_>, &str, u16); 10] = [
            ("demo", UserKey::Str("k1"), "b747f5854d0b33259928d0cfab7fad81d6abfbf6", 1975),
            ("demo", UserKey::Str("k2"), "a933ee0e8f82c106697150d15e504f08b2b2e01d", 937),
            ("demo", UserKey::Int(1), "b7f4b83889e2da67de683e1df6919a1eacc446c8", 1207),
            ("", UserKey::Str("k1"), "50149955959c2fef0a83613ae80c78bb9c96b269", 1104),
            ("set", UserKey::Int(0), "93d943aae37b017ad7e011b0c1d2e2143c2fb37d", 2451),
            ("set", UserKey::Int(-1), "22116d253745e29fc63fdf760b6e26f7e197e01d", 290),
            ("set", UserKey::Int(i64::MIN), "7185c2a47fb02c996daed26b4e01b83240aee9d4", 1393),
            ("set", UserKey::Str(""), "2819b1ff6e346a43b4f5f6b77a88bc3eaac22a83", 2344),
            ("set", UserKey::Bytes(b"s"), "ca2d96dc9a184d15a7fa2927565e844e9254e001", 3530),
            ("set", UserKey::Bytes(b""), "327e2877b8815c7aeede0d5a8620d4ef8df4a4b4", 3634),
        ];
        for (set, key, expected, partition) in cases {
            let digest = digest(set, &key);
            assert_eq!((hex(digest).as_str(), digest.partition()), (expected, partition));
            if let UserKey::Str(text) = key {
                assert_eq!(raw_text_digest(set, text.as_bytes()), digest);
            }
        }
    }
}

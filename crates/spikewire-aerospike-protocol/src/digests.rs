//! Digests of many keys, hashed several at a time.

use crate::key::{Digest, UserKey, block, digest};
use crate::one_block::{Block, LANES, hash_each};

/// Collects keys until there are enough to be hashed together. Each comes with a ticket, which is
/// passed back with its digest.
#[derive(Debug, Default)]
pub struct Digests {
    tickets: Vec<usize>,
    blocks: Vec<Block>,
}

impl Digests {
    /// Returns the digest of a key that is hashed by itself, or `None` if it waits for the next
    /// [`Digests::flush`].
    pub fn add(&mut self, set: &str, key: &UserKey<'_>, ticket: usize) -> Option<Digest> {
        let Some(block) = block(set, key) else { return Some(digest(set, key)) };
        self.tickets.push(ticket);
        self.blocks.push(block);
        None
    }

    /// Whether a flush is due: adding more keys would not make hashing any cheaper.
    pub fn is_full(&self) -> bool {
        self.blocks.len() >= LANES
    }

    /// Passes on the digests of the waiting keys.
    pub fn flush(&mut self, mut take: impl FnMut(usize, Digest)) {
        for (tickets, blocks) in self.tickets.chunks(LANES).zip(self.blocks.chunks(LANES)) {
            let mut digests = [[0; 20]; LANES];
            hash_each(blocks, &mut digests);
            for (ticket, digest) in tickets.iter().zip(digests) {
                take(*ticket, Digest(digest));
            }
        }
        self.tickets.clear();
        self.blocks.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use ripemd::{Digest as _, Ripemd160};

    use super::*;

    /// The digest as computed by the `ripemd` crate.
    fn digest(set: &str, key: &UserKey<'_>) -> Digest {
        let mut message = set.as_bytes().to_vec();
        key.encode(&mut message);
        Digest(Ripemd160::digest(message).into())
    }

    fn all(set: &str, keys: &[UserKey<'_>]) -> Vec<Digest> {
        let mut digests = Digests::default();
        let mut results = vec![None; keys.len()];
        for (ticket, key) in keys.iter().enumerate() {
            assert_eq!(crate::key::digest(set, key), digest(set, key));
            if digests.is_full() {
                digests.flush(|ticket, digest| results[ticket] = Some(digest));
            }
            if let Some(digest) = digests.add(set, key, ticket) {
                results[ticket] = Some(digest);
            }
        }
        digests.flush(|ticket, digest| assert!(results[ticket].replace(digest).is_none()));
        results.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn every_length_up_to_two_blocks_and_every_number_of_keys() {
        let text = "abcdefghij".repeat(13);
        for set in ["", "s", &text[..63]] {
            for many in 0..20 {
                let keys: Vec<_> = (0..many).map(UserKey::Int).collect();
                let one_by_one: Vec<_> = keys.iter().map(|key| digest(set, key)).collect();
                assert_eq!(all(set, &keys), one_by_one);
            }
            let keys: Vec<_> = (0..text.len()).map(|len| UserKey::Str(&text[..len])).collect();
            let one_by_one: Vec<_> = keys.iter().map(|key| digest(set, key)).collect();
            assert_eq!(all(set, &keys), one_by_one);
        }
    }

    proptest! {
        #[test]
        fn batched_digests_equal_single_digests(
            set in "[a-z]{0,60}",
            ints in proptest::collection::vec(any::<i64>(), 0..20),
            texts in proptest::collection::vec(".{0,40}", 0..9),
            blobs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..9),
        ) {
            let keys: Vec<_> = ints.iter().map(|int| UserKey::Int(*int))
                .chain(texts.iter().map(|text| UserKey::Str(text)))
                .chain(blobs.iter().map(|blob| UserKey::Bytes(blob)))
                .collect();
            let one_by_one: Vec<_> = keys.iter().map(|key| digest(&set, key)).collect();
            prop_assert_eq!(all(&set, &keys), one_by_one);
        }
    }
}

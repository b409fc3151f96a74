//! Cursors: the progress of a query as bytes, from which another process can resume it.
//!
//! `"SWQC", version u8, query u64, limited u8, left u64, [index], 512 bytes of partitions, points...,
//! check u32`: integers big-endian. Version 2 has the index that a node has chosen. The bitmap contains the partitions that are not done; for each of
//! them that was started there is a point, with digest and index value. `query` identifies the
//! query, so that a cursor cannot be used with another one; `check` is the start of a hash over
//! everything before it.

use spikewire_aerospike_protocol::key::{Digest, UserKey, digest};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::query::{ChosenIndex, Point, Query, Share};

use super::Tracker;
use crate::model::{Error, Result};

const MAGIC: &[u8; 4] = b"SWQC";
const VERSION: u8 = 1;
/// The version of cursors with an index that a node has chosen.
const WITH_INDEX: u8 = 2;
const HEAD: usize = 4 + 1 + 8 + 1 + 8;
const BITMAP: usize = PARTITIONS / 8;
const POINT: usize = 28;
const CHECK: usize = 4;

/// Encodes the cursor of a query. `left`: records that its limit still allows.
pub fn encode(query: &Query, tracker: &Tracker, left: Option<u64>) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + BITMAP + CHECK);
    out.extend_from_slice(MAGIC);
    out.push(if query.chosen.is_some() { WITH_INDEX } else { VERSION });
    out.extend_from_slice(&fingerprint(query));
    out.push(u8::from(left.is_some()));
    out.extend_from_slice(&left.unwrap_or(0).to_be_bytes());
    if let Some(chosen) = &query.chosen {
        chosen.store(&mut out);
    }
    let bitmap = out.len();
    out.resize(bitmap + BITMAP, 0);
    for (pid, point) in tracker.unread() {
        out[bitmap + usize::from(pid >> 3)] |= 0x80 >> (pid & 7);
        if let Some(point) = point {
            out.extend_from_slice(&point.digest.0);
            out.extend_from_slice(&point.value.to_be_bytes());
        }
    }
    let check = check(&out);
    out.extend_from_slice(&check);
    out
}

/// Decodes the progress of a query, the records that its limit still allows, and the index that a
/// node has chosen for it.
pub fn decode(query: &Query, cursor: &[u8]) -> Result<(Tracker, Option<u64>, Option<ChosenIndex>)> {
    let bad = |why: &str| Error::invalid(format!("the cursor cannot be used: {why}"));
    if cursor.len() < HEAD + BITMAP + CHECK || !cursor.starts_with(MAGIC) {
        return Err(bad("it is not one of a query"));
    }
    let (body, sum) = cursor.split_at(cursor.len() - CHECK);
    if !matches!(body[4], VERSION | WITH_INDEX) {
        return Err(bad(&format!("its version is {}, this client knows {WITH_INDEX}", body[4])));
    }
    if check(body) != sum {
        return Err(bad("its bytes are damaged"));
    }
    if body[5..13] != fingerprint(query) {
        return Err(bad(
            "it is from another query: namespace, set, index, filter and bins must be the same",
        ));
    }
    let left = body[14..22].iter().fold(0, |left, byte| left << 8 | u64::from(*byte));
    let left = match body[13] {
        0 => None,
        1 => Some(left),
        _ => return Err(bad("its bytes are invalid")),
    };
    let invalid = || bad("its bytes are invalid");
    let (chosen, rest) = match body[4] {
        WITH_INDEX => {
            let (chosen, used) = ChosenIndex::restore(&body[HEAD..]).map_err(|_| invalid())?;
            (Some(chosen), &body[HEAD + used..])
        }
        _ => (None, &body[HEAD..]),
    };
    let (bitmap, points) = rest.split_at_checked(BITMAP).ok_or_else(invalid)?;
    let (points, rest) = points.as_chunks::<POINT>();
    let mut points = points.iter().map(|bytes| {
        let (digest, value) = bytes.split_at(20);
        let value = value.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        let mut digest_bytes = [0; 20];
        digest_bytes.copy_from_slice(digest);
        Point { digest: Digest(digest_bytes), value }
    });
    let mut tracker = Tracker::empty();
    let mut next = points.next();
    for pid in 0..PARTITIONS as u16 {
        if bitmap[usize::from(pid >> 3)] & (0x80 >> (pid & 7)) != 0 {
            let own = next.filter(|point| point.digest.partition() == pid);
            if own.is_some() {
                next = points.next();
            }
            tracker.want(pid, own);
        }
    }
    if next.is_some() || !rest.is_empty() {
        return Err(invalid());
    }
    Ok((tracker, left, chosen))
}

/// Identifies a query: a hash of what all its requests have in common, except the rate limit and
/// what a node has chosen.
fn fingerprint(query: &Query) -> [u8; 8] {
    let query = Query { records_per_second: 0, text: None, chosen: None, ..query.clone() };
    let mut request = Vec::new();
    let share = Share { id: 0, patience: 0, partitions: &[], points: &[], limit: 0 };
    // A query that is too large is rejected before there is a cursor.
    let _ = query.write(&share, &mut request);
    hash(&request)
}

fn check(bytes: &[u8]) -> [u8; CHECK] {
    hash(bytes)
}

fn hash<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let Digest(full) = digest("", &UserKey::Bytes(bytes));
    let mut start = [0; N];
    start.copy_from_slice(&full[..N]);
    start
}

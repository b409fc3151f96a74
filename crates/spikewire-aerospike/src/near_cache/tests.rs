use spikewire_aerospike_protocol::message::{info1, op, write_op};
use spikewire_aerospike_protocol::{request, void_time};

use super::*;

const NOW: Tick = Tick(1_000_000_000_000);
const STALENESS: Duration = Duration::from_millis(100);

fn cache(bytes: usize, heat: u32) -> NearCache<()> {
    NearCache::new(&NearCacheOptions { bytes, staleness: STALENESS, heat }).unwrap()
}

/// A read of all bins.
fn read<'a>(fields: &'a [u8], digest: &'a [u8]) -> ReadRequest<'a> {
    ReadRequest { info1: info1::READ | info1::GET_ALL, fields, digest, ops: &[], count: 0 }
}

fn body(generation: u32, ttl: u32, value: &[u8]) -> Vec<u8> {
    let header = Header { generation, ttl, ops: 1, ..Header::default() };
    let mut body = header.to_bytes().to_vec();
    write_op(&mut body, op::READ, b"b", 4, value);
    body
}

fn claim(cache: &NearCache<()>, read: &ReadRequest<'_>, now: Tick) -> Option<Box<Claim>> {
    match cache.look_up(read, now) {
        Lookup::Hit { .. } => panic!("a hit"),
        Lookup::Miss(claim) => claim,
    }
}

fn hit(cache: &NearCache<()>, read: &ReadRequest<'_>, now: Tick) -> Option<Arc<Entry<()>>> {
    match cache.look_up(read, now) {
        Lookup::Hit { entry, .. } => Some(entry),
        Lookup::Miss(_) => None,
    }
}

fn fill(cache: &NearCache<()>, read: &ReadRequest<'_>, now: Tick, body: &[u8]) {
    let claim = claim(cache, read, now).expect("a claim");
    cache.fill(&claim, body, &Arc::new(()));
}

#[test]
fn without_bytes_there_is_no_cache() {
    assert!(NearCache::<()>::new(&NearCacheOptions::default()).is_none());
}

#[test]
fn only_hot_keys_are_kept() {
    let (cache, fields, digest) = (cache(1 << 20, 40), request::address("test", "s"), [1; 20]);
    let read = read(&fields, &digest);
    for _ in 0..9 {
        assert!(claim(&cache, &read, NOW).is_none());
    }
    fill(&cache, &read, NOW, &body(1, 0, b"v"));
    assert_eq!(hit(&cache, &read, NOW).unwrap().body(), body(1, 0, b"v"));
    let stats = cache.stats();
    assert_eq!((stats.hits, stats.misses, stats.entries), (1, 10, 1));
}

#[test]
fn nothing_is_older_than_the_staleness() {
    let (cache, fields, digest) = (cache(1 << 20, 0), request::address("test", "s"), [1; 20]);
    let read = read(&fields, &digest);
    fill(&cache, &read, NOW, &body(1, 0, b"v"));
    let entry = hit(&cache, &read, NOW.after(STALENESS)).unwrap();
    assert!(hit(&cache, &read, NOW.after(STALENESS + Duration::from_nanos(1))).is_none());
    assert!(!cache.claims_refresh(&entry, NOW.after(STALENESS / 3)));
    assert!(cache.claims_refresh(&entry, NOW.after(STALENESS / 2)));
    assert!(!cache.claims_refresh(&entry, NOW.after(STALENESS / 2)), "one caller");
    entry.refreshed(Some(NOW.after(STALENESS)));
    assert!(hit(&cache, &read, NOW.after(STALENESS * 2)).is_some());
}

#[test]
fn own_writes_end_entries_and_bar_replies_to_earlier_reads() {
    let (cache, fields, digest) = (cache(1 << 20, 0), request::address("test", "s"), [1; 20]);
    let read = read(&fields, &digest);
    fill(&cache, &read, NOW, &body(1, 0, b"old"));
    let before = Claim::again(&hit(&cache, &read, NOW).unwrap(), NOW);
    let write = cache.write(&digest);
    assert!(hit(&cache, &read, NOW).is_none());
    assert!(claim(&cache, &read, NOW).is_none(), "a read during the write is not stored");
    drop(write);
    cache.fill(&before, &body(1, 0, b"old"), &Arc::new(()));
    assert!(hit(&cache, &read, NOW).is_none(), "sent before the write");
    fill(&cache, &read, NOW, &body(2, 0, b"new"));
    assert_eq!(hit(&cache, &read, NOW).unwrap().body(), body(2, 0, b"new"));
    cache.invalidate_all();
    assert!(hit(&cache, &read, NOW).is_none());
}

#[test]
fn missing_records_are_kept_and_errors_are_not() {
    let (cache, fields) = (cache(1 << 20, 0), request::address("test", "s"));
    let (missing, failed) = ([1; 20], [2; 20]);
    let reply = |code: ResultCode| Header { result: code.0, ..Header::default() }.to_bytes();
    fill(&cache, &read(&fields, &missing), NOW, &reply(ResultCode::NOT_FOUND));
    fill(&cache, &read(&fields, &failed), NOW, &reply(ResultCode::TIMEOUT));
    assert!(!hit(&cache, &read(&fields, &missing), NOW).unwrap().has_record());
    assert!(hit(&cache, &read(&fields, &failed), NOW).is_none());
}

#[test]
fn records_expire() {
    let (cache, fields, digest) = (cache(1 << 20, 0), request::address("test", "s"), [1; 20]);
    let read = read(&fields, &digest);
    let expired = void_time::after(Some(0), void_time::now());
    fill(&cache, &read, NOW, &body(1, expired, b"v"));
    assert!(hit(&cache, &read, NOW).is_none());
    fill(&cache, &read, NOW.after(Duration::from_nanos(1)), &body(1, expired + 60, b"v"));
    assert!(hit(&cache, &read, NOW).is_some());
}

#[test]
fn it_is_bounded_in_bytes() {
    let (cache, fields) = (cache(1 << 16, 0), request::address("test", "s"));
    for number in 0..200_u8 {
        fill(&cache, &read(&fields, &[number; 20]), NOW, &body(1, 0, &[0; 1000]));
    }
    let stats = cache.stats();
    assert!(stats.bytes <= 1 << 16 && stats.entries > 10, "{stats:?}");
    assert_eq!(stats.entries + stats.evictions as usize, 200);
    let digest = [199; 20];
    let write = cache.write(&digest);
    drop(write);
    fill(&cache, &read(&fields, &digest), NOW, &body(2, 0, &[0; 1000]));
    assert_eq!(cache.stats().evictions, stats.evictions, "another entry for the same read");
}

#[test]
fn reads_are_told_apart() {
    let (cache, digest) = (cache(1 << 20, 0), [1; 20]);
    let (fields, other) = (request::address("test", "s"), request::address("bar", "s"));
    fill(&cache, &read(&fields, &digest), NOW, &body(1, 0, b"v"));
    assert!(hit(&cache, &read(&other, &digest), NOW).is_none());
    let bare = ReadRequest { info1: info1::READ | info1::NO_BINS, ..read(&fields, &digest) };
    assert!(hit(&cache, &bare, NOW).is_none());
    assert!(hit(&cache, &read(&fields, &digest), NOW).is_some());
    // Rates are those of the latest windows, which may end between two lines.
    let rated = || {
        cache.look_up(&read(&fields, &digest), Tick::now());
        cache.stats().hot_keys.into_iter().next()
    };
    let hot = std::iter::repeat_with(rated).flatten().next().unwrap();
    assert_eq!((&*hot.namespace, &*hot.set, hot.digest), ("test", "s", digest));
}

#[test]
fn only_plain_reads_can_be_cached() {
    let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let of_frame = |header: Header, filter: bool| {
        let mut bytes = Vec::new();
        let mut request = request::Request::begin(&mut bytes, &header);
        request.encoded_fields(2, &request::address("test", "s"));
        request.digest(&spikewire_aerospike_protocol::key::Digest([3; 20]));
        if filter {
            request.field(spikewire_aerospike_protocol::message::field::FILTER, &[1]);
        }
        request.finish().unwrap();
        assert_eq!(digest_of(&bytes), Some(&[3; 20][..]));
        ReadRequest::of_frame(&bytes).map(|read| CacheKey::of(&read))
    };
    let key = of_frame(header, false).unwrap();
    assert_eq!(
        (key.digest(), key.read().fields),
        (&[3; 20][..], &request::address("test", "s")[..])
    );
    assert!(of_frame(header, true).is_none());
    for odd in [
        Header { info1: header.info1 | info1::READ_MODE_AP_ALL, ..header },
        Header { info2: 1, ..header },
        Header { info3: 0x40, ..header },
        Header { ttl: 50, ..header },
    ] {
        assert!(of_frame(odd, false).is_none());
    }
}

//! A particle type and its bytes; what decodes is encoded, and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::value::Value;

fuzz_target!(|input: &[u8]| {
    let Some((particle, bytes)) = input.split_first() else { return };
    let Ok(value) = Value::decode(*particle, bytes) else { return };
    let mut first = Vec::new();
    let particle = value.encode(&mut first);
    let again = Value::decode(particle, &first).expect("our own encoding");
    let mut second = Vec::new();
    assert_eq!(again.encode(&mut second), particle);
    // By bytes, since a NaN does not equal itself.
    assert_eq!(first, second);
});

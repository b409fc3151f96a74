//! Encoded expressions; what decodes is encoded, and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::expression::Expression;

fuzz_target!(|bytes: &[u8]| {
    let _ = Expression::decode_operation(bytes);
    if let Ok(read) = Expression::from_image(bytes) {
        let image = read.image();
        assert_eq!(Expression::from_image(&image).expect("our own image").image(), image);
    }
    let Ok(read) = Expression::decode(bytes) else { return };
    let first = read.encode().expect("what was read is whole");
    let again = Expression::decode(&first).expect("our own encoding");
    assert_eq!(again.encode().expect("what was read is whole"), first);
    let _ = read.to_string();
});

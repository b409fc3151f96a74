//! Path operations and their steps; what decodes is encoded, and is the same from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::expression::{PathOperation, PathStep};

fuzz_target!(|bytes: &[u8]| {
    let encoded = |operation: &PathOperation| {
        let mut out = Vec::new();
        operation.encode(&mut out);
        out
    };
    if let Ok(read) = PathOperation::decode(bytes) {
        let first = encoded(&read);
        assert!(PathOperation::is_in(&first));
        let again = PathOperation::decode(&first).expect("our own encoding");
        assert_eq!(encoded(&again), first);
    }
    if let Ok(step) = PathStep::decode(bytes) {
        let mut out = vec![0x92];
        step.encode(&mut out);
        PathStep::decode(&out).expect("our own step");
    }
});

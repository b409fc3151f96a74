//! Text expressions: parsed or rejected with a position in the text, and what parses survives
//! encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::expression::Expression;
use spikewire_aerospike_protocol::expression::text::parse_element;

fuzz_target!(|text: &str| {
    match parse_element(text, &[]) {
        Ok(read) => {
            let bytes = read.encode().expect("what was read is whole");
            let again = Expression::decode(&bytes).expect("our own encoding");
            assert_eq!(again.encode().expect("what was read is whole"), bytes);
            let _ = read.to_string();
        }
        Err(error) => {
            assert!(error.at.start <= error.at.end && error.at.end <= text.len());
            let _ = error.excerpt(text);
        }
    }
});

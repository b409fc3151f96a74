//! Text expressions: parsed or rejected with a position in the text, and what parses survives
//! encoding, and the language of servers where it has a form there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::expression::Expression;
use spikewire_aerospike_protocol::expression::ael::read::read_expression;
use spikewire_aerospike_protocol::expression::text::parse_element;

fuzz_target!(|text: &str| {
    let _ = read_expression(text);
    match parse_element(text, &[]) {
        Ok(read) => {
            let bytes = read.encode().expect("what was read is whole");
            let again = Expression::decode(&bytes).expect("our own encoding");
            assert_eq!(again.encode().expect("what was read is whole"), bytes);
            let _ = read.to_string();
            // What has more parentheses there may be nested too deep.
            if let Ok(ael) = read.ael()
                && let Ok(again) = read_expression(&ael)
            {
                assert_eq!(again.encode().expect("what was read is whole"), bytes, "{ael}");
            }
        }
        Err(error) => {
            assert!(error.at.start <= error.at.end && error.at.end <= text.len());
            let _ = error.excerpt(text);
        }
    }
});

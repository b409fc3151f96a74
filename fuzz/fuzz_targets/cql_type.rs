//! A text as a server class and as a CQL type. What parses is formatted, and parses to the same
//! again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::types::Type;

fuzz_target!(|text: &str| {
    let ty = Type::of_class(text);
    assert_eq!(Type::of_class(&ty.class_name()), ty);
    if let Ok(ty) = Type::parse(text) {
        // A user-defined type, which only a quoted class can contain, is not found.
        if let Ok(again) = Type::parse(&ty.to_string()) {
            assert_eq!(again, ty);
        }
    }
});

//! A text as a class of the server and as a type in CQL. What was understood is written, and read
//! as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::types::Type;

fuzz_target!(|text: &str| {
    let ty = Type::of_class(text);
    assert_eq!(Type::of_class(&ty.class_name()), ty);
    if let Ok(ty) = Type::parse(text) {
        // A user-defined type, which only a class in quotes can have brought, is not found.
        if let Ok(again) = Type::parse(&ty.to_string()) {
            assert_eq!(again, ty);
        }
    }
});

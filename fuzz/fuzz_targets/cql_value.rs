//! A CQL type and the bytes of a value. What decodes is encoded, unless a server would reject it,
//! and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::notation::Reader;
use spikewire_cql::types::Type;
use spikewire_cql::value::{Values, decode, encode};
use spikewire_cql::version::Version;

fuzz_target!(|input: &[u8]| {
    let mut reader = Reader(input);
    let Ok(ty) = Type::read(&mut reader) else { return };
    let mut option = Vec::new();
    ty.write(&mut option, Version::V5).expect("a type that was read");
    assert_eq!(Type::read(&mut Reader(&option)).expect("our own type"), ty);

    let Ok(value) = decode(&ty, Some(reader.rest()), &Values) else { return };
    let mut first = Vec::new();
    if encode(&ty, &value, &mut first).is_err() {
        return;
    }
    let bytes = Reader(&first).bytes().expect("our own bytes");
    let again = decode(&ty, bytes, &Values).expect("our own bytes");
    let mut second = Vec::new();
    encode(&ty, &again, &mut second).expect("a value of its type");
    // By bytes, since a NaN does not equal itself.
    assert_eq!(first, second);
});

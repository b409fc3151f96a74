//! Properties of all types, all values and arbitrary bytes.

mod support;

use std::sync::Arc;

use proptest::prelude::*;
use spikewire_cql::notation::Reader;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Value, Values, decode, encode};
use spikewire_cql::version::Version;

/// A type and a value of it.
fn typed() -> impl Strategy<Value = (Type, Value)> {
    support::types().prop_flat_map(|ty| {
        let values = support::values(&ty);
        (Just(ty), values)
    })
}

/// The user-defined types within a type.
fn user_defined(ty: &Type, udts: &mut Vec<Arc<Udt>>) {
    match ty {
        Type::List(element) | Type::Set(element) => user_defined(element, udts),
        Type::Map(entry) => [&entry.0, &entry.1].iter().for_each(|ty| user_defined(ty, udts)),
        Type::Tuple(components) => components.iter().for_each(|ty| user_defined(ty, udts)),
        Type::Vector(vector) => user_defined(&vector.element, udts),
        Type::Udt(udt) => {
            udts.push(udt.clone());
            udt.fields.iter().for_each(|(_, ty)| user_defined(ty, udts));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn values_round_trip((ty, value) in typed()) {
        let mut out = Vec::new();
        encode(&ty, &value, &mut out).expect("a value of its type");
        let mut reader = Reader(&out);
        let bytes = reader.bytes().expect("a value").expect("no null");
        prop_assert!(reader.is_empty());
        prop_assert_eq!(decode(&ty, Some(bytes), &Values).expect("our own bytes"), value);
        if let Some(width) = ty.width() {
            prop_assert_eq!(bytes.len(), width);
        }
    }

    #[test]
    fn type_options_round_trip(ty in support::types()) {
        let mut out = Vec::new();
        ty.write(&mut out, Version::V5).expect("a short type");
        let mut reader = Reader(&out);
        prop_assert_eq!(Type::read(&mut reader).expect("our own bytes"), ty);
        prop_assert!(reader.is_empty());
    }

    #[test]
    fn class_names_round_trip(ty in support::types()) {
        prop_assert_eq!(Type::of_class(&ty.class_name()), ty);
    }

    #[test]
    fn type_spellings_round_trip(ty in support::types()) {
        let mut known = Vec::new();
        user_defined(&ty, &mut known);
        // Types with the same name cannot be distinguished.
        let mut names: Vec<_> = known.iter().map(|udt| &udt.name).collect();
        names.sort();
        names.dedup();
        prop_assume!(names.len() == known.len());
        let find = |_: Option<&str>, name: &str| known.iter().find(|udt| udt.name == name).cloned();
        prop_assert_eq!(Type::parse_with(&ty.to_string(), find).expect("our own spelling"), ty);
    }

    #[test]
    fn any_bytes_are_a_value_or_an_error(
        ty in support::types(),
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(255), any::<u8>()], 0..64),
    ) {
        let Ok(value) = decode(&ty, Some(&bytes), &Values) else { return Ok(()) };
        // What was read can be written, unless the server would reject it.
        let mut out = Vec::new();
        if encode(&ty, &value, &mut out).is_ok() {
            let again = Reader(&out).bytes().expect("a value");
            let again = decode(&ty, again, &Values).expect("our own bytes");
            prop_assert_eq!(format!("{again:?}"), format!("{value:?}"));
        }
    }

    #[test]
    fn damaged_bytes_never_panic((ty, value) in typed(), at: prop::sample::Index, byte: u8) {
        let mut out = Vec::new();
        encode(&ty, &value, &mut out).expect("a value of its type");
        let bytes = &mut out[4..];
        if !bytes.is_empty() {
            bytes[at.index(bytes.len())] = byte;
            let _ = decode(&ty, Some(bytes), &Values);
            let _ = decode(&ty, Some(&bytes[..at.index(bytes.len())]), &Values);
        }
    }

    #[test]
    fn any_bytes_are_a_type_or_an_error(bytes: Vec<u8>, text: String) {
        let _ = Type::read(&mut Reader(&bytes));
        let _ = Type::of_class(&text);
        let _ = Type::parse(&text);
    }

    #[test]
    fn values_of_other_types_are_rejected_or_sent((_, value) in typed(), ty in support::types()) {
        let mut out = vec![7];
        if encode(&ty, &value, &mut out).is_err() {
            prop_assert_eq!(out, [7]);
        } else {
            let bytes = Reader(&out[1..]).bytes().expect("a value");
            decode(&ty, bytes, &Values).expect("our own bytes");
        }
    }
}

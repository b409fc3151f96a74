use super::words::LIST_RETURNING;
use super::{ArgumentConverter, Family, Gives, Words, bit, hll, list, map, number_of, string};
use crate::bits::BitOp;
use crate::cdt::call::Arguments;
use crate::cdt::{Request, Step};
use crate::expression::{Fault, Type};
use crate::hll::HllOp;
use crate::msgpack;
use crate::strings;

/// Arguments that differ at each position; flags are false, keywords the first one.
struct Samples {
    count: usize,
    words: Vec<&'static str>,
    flags: Vec<usize>,
    empty: bool,
}

impl Samples {
    fn new(count: usize) -> Self {
        Self { count, words: Vec::new(), flags: Vec::new(), empty: false }
    }
}

fn packed(at: usize) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::int(&mut out, at as i64 + 1);
    out
}

impl ArgumentConverter for Samples {
    type Value = Vec<u8>;
    type Number = i64;
    type Error = Fault;

    fn count(&self) -> usize {
        self.count
    }

    fn is_absent(&self, _: usize) -> bool {
        false
    }

    fn value(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok(packed(at))
    }

    fn key(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok(packed(at))
    }

    fn list(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok([&[0x91], packed(at).as_slice()].concat())
    }

    fn map(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok([&[0x81], packed(at).as_slice(), &[1]].concat())
    }

    fn bytes(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok(vec![0xa2, 4, at as u8])
    }

    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Fault> {
        self.list(at, name)
    }

    fn text(&mut self, at: usize, _: &'static str) -> Result<Vec<u8>, Fault> {
        Ok(vec![0xa2, 3, b'a' + at as u8])
    }

    fn texts(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Fault> {
        Ok([&[0x91], self.text(at, name)?.as_slice()].concat())
    }

    fn place(&mut self, at: usize, _: &'static str) -> Result<i64, Fault> {
        Ok(at as i64 + 1)
    }

    fn number(&mut self, at: usize, _: &'static str) -> Result<i64, Fault> {
        Ok(at as i64 + 1)
    }

    fn bits(&mut self, at: usize, _: &'static str, _: (i64, i64)) -> Result<i64, Fault> {
        Ok(at as i64 + 4)
    }

    fn flag(&mut self, at: usize, _: &'static str) -> Result<bool, Fault> {
        Ok(self.flags.contains(&at))
    }

    fn word(&mut self, _: usize, name: &'static str, known: &Words) -> Result<i64, Fault> {
        number_of(known, name, self.words.first().copied().unwrap_or(known[0].0))
    }

    fn is_empty(&self, _: &Vec<u8>) -> bool {
        self.empty
    }
}

fn encoded(family: Family, name: &str) -> (u8, Vec<u8>) {
    let signature = family.signature(name).unwrap();
    let composed = family.compose(name, &mut Samples::new(signature.parameters.len())).unwrap();
    let mut out = Vec::new();
    composed.encode::<i64>(&[], &mut out);
    (composed.code(), out)
}

/// All operations of the generated `make` functions, with their family.
fn everything() -> impl Iterator<Item = (Family, &'static str)> {
    let each = |family, names: &'static [&'static str]| names.iter().map(move |it| (family, *it));
    each(Family::List, list::NAMES)
        .chain(each(Family::Map, map::NAMES))
        .chain(each(Family::Bit, bit::NAMES))
        .chain(each(Family::Hll, hll::NAMES))
        .chain(each(Family::String, string::NAMES).filter(|(_, name)| *name != "to_text"))
}

#[test]
fn each_operation_has_its_number_and_its_decoder() {
    for (family, name) in everything() {
        let signature = family.signature(name).unwrap();
        let (_, bytes) = encoded(family, name);
        let (number, _) = Arguments::open(&bytes).unwrap();
        assert_eq!(number, i64::from(signature.code), "{family:?} {name}");
        let modifies = match family {
            Family::List | Family::Map => Request::decode(&bytes).unwrap().op.modifies(),
            Family::Bit => BitOp::decode(&bytes).unwrap().modifies(),
            Family::Hll => HllOp::decode(&bytes).unwrap().modifies(),
            Family::String => strings::Request::decode(&bytes).unwrap().op.modifies(),
        };
        assert_eq!(modifies, signature.gives == Gives::Changed, "{family:?} {name}");
    }
    assert!(everything().count() > 90);
}

#[test]
fn arguments_keep_their_order() {
    let (_, bytes) = encoded(Family::List, "insert");
    assert_eq!(bytes, [0x93, 3, 1, 2]);
    let (_, bytes) = encoded(Family::List, "get_by_value_relative_rank");
    assert_eq!(bytes, [0x95, 27, 0, 1, 2, 3]);
    let (_, bytes) = encoded(Family::Bit, "lshift");
    assert_eq!(bytes, [0x95, 8, 1, 2, 3, 0]);
    let (code, bytes) = encoded(Family::String, "replace_matches");
    assert_eq!((code, &*bytes), (18, &b"\x94\x42\x92\xa2\x03a\xa2\x03b\0\0"[..]));
    let (code, bytes) = encoded(Family::String, "find");
    assert_eq!((code, &*bytes), (17, &b"\x93\x03\xa2\x03a\x02"[..]));
    assert_eq!(encoded(Family::String, "to_text"), (19, Vec::new()));
    let (_, bytes) = encoded(Family::List, "join");
    assert_eq!(bytes, b"\x92\x1c\xa2\x03a");
    let (_, bytes) = encoded(Family::Bit, "base64");
    assert_eq!(bytes, [0x94, 55, 1, 2, 0]);
    let (_, bytes) = encoded(Family::Hll, "add");
    assert_eq!(bytes, [0x95, 1, 0x91, 1, 5, 6, 0]);
}

#[test]
fn the_context_precedes_the_operation() {
    let mut samples = Samples::new(0);
    let size = Family::Map.compose("size", &mut samples).unwrap();
    assert_eq!((size.modifies(), size.gives()), (false, Some(Type::Int)));
    let mut out = Vec::new();
    size.encode(&[Step::map_key(7_i64)], &mut out);
    assert_eq!(out, [0x93, 0xcc, 0xff, 0x92, 0x22, 7, 0x91, 96]);
}

#[test]
fn the_return_word_decides_the_result_type() {
    let gives = |name, word| {
        let signature = list::signature(name).unwrap();
        let mut samples = Samples::new(signature.parameters.len());
        samples.words = vec![word];
        Family::List.compose(name, &mut samples).unwrap().gives()
    };
    assert_eq!(gives("get_by_rank", "value"), None);
    assert_eq!(gives("get_by_rank", "index"), Some(Type::Int));
    assert_eq!(gives("get_by_value", "value"), Some(Type::List));
    assert_eq!(gives("get_by_value", "exists"), Some(Type::Bool));
    assert_eq!(gives("remove_by_value", "count"), None);
}

fn error_text(family: Family, name: &str, mut samples: Samples) -> String {
    samples.count = family.signature(name).map_or(0, |it| it.parameters.len());
    family.compose(name, &mut samples).unwrap_err().to_string()
}

#[test]
fn unknown_operations_and_conflicting_flags_are_rejected() {
    let plain = || Samples::new(0);
    assert!(error_text(Family::List, "fly", plain()).contains("unknown list operation \"fly\""));
    let flags = |flags: &[usize]| Samples { flags: flags.to_vec(), ..Samples::new(0) };
    assert!(error_text(Family::Map, "put", flags(&[4, 5])).contains("create_only and update_only"));
    assert!(
        error_text(Family::Bit, "resize", flags(&[2, 3])).contains("grow_only and shrink_only")
    );
    let range = Samples { words: vec!["rank_range"], ..flags(&[3]) };
    assert!(error_text(Family::List, "get_by_rank_range", range).contains("no inversion"));
    let word = Samples { words: vec!["key"], ..plain() };
    assert!(
        error_text(Family::List, "get_by_rank", word)
            .contains("or 'reverse_rank_range', got 'key'")
    );
    let wrong = Family::Hll.compose("get_count", &mut Samples::new(2)).unwrap_err().to_string();
    assert_eq!(wrong, "0 arguments are wanted and 2 were given");
}

#[test]
fn an_empty_list_inverted_is_rejected_where_it_would_bring_entries() {
    for name in
        ["get_by_key_list", "get_by_value_list", "remove_by_key_list", "remove_by_value_list"]
    {
        for (word, _) in LIST_RETURNING.iter().filter(|(word, _)| !word.contains("rank")) {
            let samples = |flags: &[usize], empty| Samples {
                count: 3,
                words: vec![word],
                flags: flags.to_vec(),
                empty,
            };
            let allowed = matches!(*word, "none" | "count");
            let result = Family::Map.compose(name, &mut samples(&[2], true));
            assert_eq!(result.is_ok(), allowed, "{name} {word}");
            if let Err(error) = result {
                assert!(error.to_string().contains("an empty list, inverted"), "{error}");
            }
            assert!(Family::Map.compose(name, &mut samples(&[], true)).is_ok());
            assert!(Family::Map.compose(name, &mut samples(&[2], false)).is_ok());
            if !name.contains("key") {
                assert!(Family::List.compose(name, &mut samples(&[2], true)).is_ok());
            }
        }
    }
}

//! Values as a server sends and accepts them, and what is rejected before it is sent.

use std::net::IpAddr;

use spikewire_cql::notation::Reader;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{
    Decimal, Duration, EncodeError, Fixed, Problem, Value, Values, Varint, decode, encode,
    encode_bound,
};

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.bytes().filter(|digit| *digit != b' ').collect();
    let pairs = digits.chunks(2).map(|pair| std::str::from_utf8(pair).expect("hex"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hex")).collect()
}

fn encoded(ty: &Type, value: &Value) -> Result<Vec<u8>, EncodeError> {
    let mut out = b"before".to_vec();
    let outcome = encode(ty, value, &mut out);
    let value = out.split_off(6);
    assert_eq!(out, b"before");
    assert!(outcome.is_ok() || value.is_empty());
    outcome.map(|()| value)
}

fn decoded(ty: &Type, bytes: &[u8]) -> Result<Value, String> {
    decode(ty, Some(bytes), &Values).map_err(|malformed| malformed.0)
}

#[track_caller]
fn error_text(ty: &Type, value: &Value) -> String {
    encoded(ty, value).expect_err("an error").to_string()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn address() -> Type {
    let fields = [("street", Type::Text), ("number", Type::Int)];
    Type::Udt(
        Udt {
            keyspace: "shop".to_owned(),
            name: "address".to_owned(),
            fields: fields.map(|(name, ty)| (name.to_owned(), ty)).to_vec(),
        }
        .into(),
    )
}

fn person(fields: &[(&str, Value)]) -> Value {
    Value::Udt(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[test]
fn values_match_the_bytes_of_a_server() {
    let uuid = 0x5055_4d6e_29bb_11e5_b345_feff_819c_dc9f_u128.to_be_bytes();
    let decimal = |scale, digits: i64| Value::Decimal(Decimal { scale, digits: digits.into() });
    let duration =
        |months, days, nanoseconds| Value::Duration(Duration { months, days, nanoseconds });
    let list = |items: &[i32]| Value::List(items.iter().copied().map(Value::Int).collect());
    let floats = |items: &[f32]| Value::List(items.iter().copied().map(Value::Float).collect());
    let inet = |address: &str| Value::Inet(address.parse::<IpAddr>().expect("an address"));
    let vectors = [
        (Type::Text, text("é€"), "c3a9e282ac"),
        (Type::Text, text(""), ""),
        (Type::Ascii, text("abc"), "616263"),
        (Type::Blob, Value::Blob(vec![0, 255]), "00ff"),
        (Type::Boolean, Value::Boolean(true), "01"),
        (Type::Tinyint, Value::Tinyint(-128), "80"),
        (Type::Smallint, Value::Smallint(-300), "fed4"),
        (Type::Int, Value::Int(7), "00000007"),
        (Type::Bigint, Value::Bigint(-2), "fffffffffffffffe"),
        (Type::Counter, Value::Bigint(1), "0000000000000001"),
        (Type::Float, Value::Float(-0.25), "be800000"),
        (Type::Double, Value::Double(1.5), "3ff8000000000000"),
        (Type::Varint, Value::Varint(128_i64.into()), "0080"),
        (Type::Varint, Value::Varint((-129_i64).into()), "ff7f"),
        (Type::Varint, Value::Varint((1_i128 << 64).into()), "010000000000000000"),
        (Type::Varint, Value::Varint(0_i64.into()), "00"),
        (Type::Decimal, decimal(3, -12_345), "00000003cfc7"),
        (Type::Decimal, decimal(-10, 1), "fffffff601"),
        (Type::Decimal, decimal(2, 0), "0000000200"),
        (Type::Timestamp, Value::Timestamp(1_709_168_523_004), "0000018df261f6fc"),
        (Type::Date, Value::Date(19_782), "80004d46"),
        (Type::Date, Value::Date(-1), "7fffffff"),
        (Type::Time, Value::Time(29_574_123_456_789), "00001ae5c31f8915"),
        (Type::Duration, duration(14, 3, 14_706_007_008_009), "1c06fc1ac004a5c612"),
        (Type::Duration, duration(0, 0, 0), "000000"),
        (Type::Uuid, Value::Uuid(uuid), "50554d6e29bb11e5b345feff819cdc9f"),
        (Type::Timeuuid, Value::Uuid(uuid), "50554d6e29bb11e5b345feff819cdc9f"),
        (Type::Inet, inet("192.168.1.2"), "c0a80102"),
        (Type::Inet, inet("::1"), "00000000000000000000000000000001"),
        (Type::list(Type::Int), list(&[1, 2]), "0000000200000004000000010000000400000002"),
        (
            Type::map(Type::Text, Type::Int),
            Value::Map(vec![(text("k"), Value::Int(7))]),
            "00000001000000016b0000000400000007",
        ),
        (
            Type::tuple([Type::Int, Type::Text]),
            Value::Tuple(vec![Value::Int(5), Value::Null]),
            "0000000400000005ffffffff",
        ),
        (
            address(),
            person(&[("street", text("F")), ("number", Value::Null)]),
            "0000000146ffffffff",
        ),
        (Type::vector(Type::Float, 3), floats(&[1.0, -2.5, 3.0]), "3f800000c020000040400000"),
        (Type::vector(Type::Text, 2), Value::List(vec![text("a"), text("bcd")]), "016103626364"),
    ];
    for (ty, value, hex) in vectors {
        let bytes = unhex(hex);
        let sent = encoded(&ty, &value).expect(hex);
        assert_eq!(Reader(&sent).bytes(), Ok(Some(&bytes[..])), "{ty}");
        assert_eq!(decoded(&ty, &bytes), Ok(value), "{ty}");
    }
}

#[test]
fn null_unset_and_empty_encode_differently() {
    let null = [0xff; 4];
    assert_eq!(encoded(&Type::Int, &Value::Null).unwrap(), null);
    assert_eq!(encoded(&Type::Int, &Value::Unset).unwrap(), [0xff, 0xff, 0xff, 0xfe]);
    assert_eq!(decode(&Type::Int, None, &Values), Ok(Value::Null));
    let empty = [
        Type::Bigint,
        Type::Boolean,
        Type::Float,
        Type::Decimal,
        Type::Varint,
        Type::Uuid,
        Type::Timestamp,
        Type::Inet,
    ];
    for ty in empty {
        assert_eq!(encoded(&ty, &Value::Empty).unwrap(), [0; 4], "{ty}");
        assert_eq!(decoded(&ty, &[]), Ok(Value::Empty), "{ty}");
    }
    let never = [
        Type::Tinyint,
        Type::Smallint,
        Type::Date,
        Type::Time,
        Type::Duration,
        Type::list(Type::Int),
        Type::vector(Type::Float, 3),
    ];
    for ty in never {
        assert!(error_text(&ty, &Value::Empty).contains("empty"), "{ty}");
    }
}

#[test]
fn unusual_encodings_of_servers_decode() {
    // Stored as it was sent: an integer with redundant bytes, a boolean of 2, a decimal without
    // digits, a time beyond the day, a user-defined type from before a field was added.
    assert_eq!(decoded(&Type::Varint, &[0, 0, 5]), Ok(Value::Varint(5_i64.into())));
    assert_eq!(decoded(&Type::Varint, &[0xff, 0xff]), Ok(Value::Varint((-1_i64).into())));
    assert_eq!(decoded(&Type::Boolean, &[2]), Ok(Value::Boolean(true)));
    let none = Value::Decimal(Decimal { scale: 1, digits: 0_i64.into() });
    assert_eq!(decoded(&Type::Decimal, &[0, 0, 0, 1]), Ok(none));
    assert_eq!(decoded(&Type::Time, &[0xff; 8]), Ok(Value::Time(-1)));
    let short = person(&[("street", text("F")), ("number", Value::Null)]);
    assert_eq!(decoded(&address(), &unhex("0000000146")), Ok(short));
    let nothing = person(&[("street", Value::Null), ("number", Value::Null)]);
    assert_eq!(decoded(&address(), &[]), Ok(nothing));
    // Null in a list, which current servers do not store.
    let null = Value::List(vec![Value::Null]);
    assert_eq!(decoded(&Type::list(Type::Int), &unhex("00000001ffffffff")), Ok(null));
}

#[test]
fn malformed_values_are_rejected() {
    let vectors = [
        (Type::Int, "000000"),
        (Type::Bigint, "0000000000"),
        (Type::Boolean, "0000"),
        (Type::Text, "ff"),
        (Type::Uuid, "00"),
        (Type::Inet, "0102030405"),
        (Type::Decimal, "000000"),
        (Type::Duration, "0000"),
        (Type::Duration, "00000000"),
        (Type::Duration, "ffffffffffffffffff0000"),
        (Type::list(Type::Int), "000000"),
        (Type::list(Type::Int), "ffffffff"),
        (Type::list(Type::Int), "7fffffff"),
        (Type::list(Type::Int), "00000001"),
        (Type::list(Type::Int), "0000000100000004"),
        (Type::list(Type::Int), "000000010000000400000007ff"),
        (Type::list(Type::Int), "000000010000000300000007"),
        (Type::map(Type::Int, Type::Int), "000000010000000400000007"),
        (Type::map(Type::Int, Type::Int), "0000000000"),
        (Type::tuple([Type::Int]), "0000000400000007ffffffff"),
        (Type::tuple([Type::Int]), "00"),
        (address(), "ffffffffffffffffffffffff"),
        (Type::vector(Type::Float, 3), "3f800000"),
        (Type::vector(Type::Float, 1), "3f8000003f800000"),
        (Type::vector(Type::Text, 2), "0161"),
        (Type::vector(Type::Text, 1), "016162"),
        (Type::vector(Type::Text, 1), "ffffffffffffffffff"),
        (Type::vector(Type::Text, usize::MAX), "0161"),
        (Type::vector(Type::Float, usize::MAX), "3f800000"),
        (Type::vector(Type::vector(Type::Float, 0), 1 << 30), "00"),
    ];
    for (ty, hex) in vectors {
        assert!(decoded(&ty, &unhex(hex)).is_err(), "{ty} {hex}");
    }
    let error = decoded(&Type::Int, &[0; 3]).unwrap_err();
    assert_eq!(error, "int of 3 bytes");
}

#[test]
fn an_encode_error_names_place_type_and_value() {
    let int = &Type::Int;
    let range = "int takes -2147483648 to 2147483647, not 3000000000";
    assert_eq!(error_text(int, &Value::Bigint(3_000_000_000)), range);
    assert_eq!(error_text(int, &text("7")), "int takes an integer, not \"7\"");
    let people = Type::map(Type::Text, Type::list(address()));
    let wrong = person(&[("street", text("F")), ("number", Value::Bigint(3_000_000_000))]);
    let right = person(&[("street", text("G"))]);
    let value = Value::Map(vec![
        (text("a"), Value::List(Vec::new())),
        (text("b"), Value::List(vec![right, wrong])),
    ]);
    let expected = format!("[\"b\"][1].number: {range}");
    assert_eq!(error_text(&people, &value), expected);
    let mut out = Vec::new();
    let error = encode_bound("people", &people, &value, &mut out).unwrap_err();
    assert_eq!(error.to_string(), format!("people{expected}"));
    assert_eq!(error.ty, Type::Int);
    assert!(matches!(error.problem, Problem::Range { .. }));
    assert!(out.is_empty());
}

#[test]
fn values_out_of_range_are_rejected_before_sending() {
    let list = |value| Value::List(vec![Value::Int(1), value]);
    let ints = Type::list(Type::Int);
    let pair = Type::tuple([Type::Int, Type::Int]);
    let duration = Value::Duration(Duration { months: 1, days: -1, nanoseconds: 0 });
    let map = Value::Map(vec![(text("k"), Value::Null)]);
    let vectors = [
        (Type::Tinyint, Value::Int(128), "tinyint takes -128 to 127, not 128"),
        (Type::Smallint, Value::Int(-32_769), "smallint takes -32768 to 32767, not -32769"),
        (
            Type::Bigint,
            Value::Varint((1_i128 << 63).into()),
            "bigint takes -9223372036854775808 to 9223372036854775807, not 9223372036854775808",
        ),
        (Type::Ascii, text("é"), "ascii takes characters up to U+007F"),
        (Type::Timeuuid, Value::Uuid([0; 16]), "timeuuid: a UUID of version 1 is needed"),
        (
            Type::Time,
            Value::Time(86_400_000_000_000),
            "time takes 00:00:00 to 23:59:59.999999999, not Time(86400000000000)",
        ),
        (
            Type::Duration,
            duration,
            "duration: months, days and nanoseconds must have the same sign",
        ),
        (ints.clone(), list(Value::Null), "[1]: a collection cannot contain null (int)"),
        (ints.clone(), list(Value::Unset), "[1]: only a whole value can be left unset"),
        (Type::map(Type::Text, Type::Int), map, "[\"k\"]: a collection cannot contain null (int)"),
        (Type::set(Type::Int), Value::Int(1), "set<int> takes a set, not 1"),
        (Type::vector(Type::Int, 3), list(Value::Int(2)), "vector<int, 3> takes 3 elements, not 2"),
        (Type::vector(Type::Int, 1), list(Value::Int(2)), "vector<int, 1> takes 1 elements, not 2"),
        (Type::vector(Type::Int, 2), list(Value::Empty), "[1]: int cannot be empty here"),
        (
            pair.clone(),
            Value::Tuple(vec![Value::Int(1); 3]),
            "tuple<int, int> takes 2 elements, not 3",
        ),
        (address(), person(&[("city", text("B"))]), "address has no field \"city\""),
        (address(), text("B"), "address takes fields by their names, not \"B\""),
        (Type::Boolean, Value::Int(1), "boolean takes true or false, not 1"),
    ];
    for (ty, value, message) in vectors {
        assert_eq!(error_text(&ty, &value), message);
    }
    let short = encoded(&pair, &Value::Tuple(vec![Value::Int(1)])).unwrap();
    assert_eq!(short, unhex("0000000c 00000004 00000001 ffffffff"));
}

#[test]
fn fields_may_stand_in_any_order() {
    let value = person(&[("number", Value::Int(7)), ("street", text("F"))]);
    assert_eq!(
        encoded(&address(), &value).unwrap(),
        unhex("0000000d 00000001 46 00000004 00000007")
    );
}

#[test]
fn large_integers_print_in_full() {
    let huge = Varint::from_bytes(&[&[1_u8][..], &[0; 20]].concat());
    assert_eq!(huge.to_i128(), None);
    assert_eq!(huge.to_string(), "1461501637330902918203684832716283019655932542976");
    let low = Varint::from_bytes(&[&[0xff_u8][..], &[0; 20]].concat());
    assert_eq!(low.to_string(), "-1461501637330902918203684832716283019655932542976");
    for number in [0, 1, -1, 127, 128, -128, -129, i128::MAX, i128::MIN] {
        let varint = Varint::from(number);
        assert_eq!((varint.to_i128(), varint.to_string()), (Some(number), number.to_string()));
    }
    assert_eq!(Varint::from_bytes(&[]), Varint::from(0_i64));
}

#[test]
fn read_all_reads_consecutive_numbers() {
    let bytes = unhex("3f800000 c0200000 40400000 ff");
    assert_eq!(f32::read_all(&bytes).collect::<Vec<_>>(), [1.0, -2.5, 3.0]);
    assert_eq!(i64::read(&bytes[..8]), Some(0x3f80_0000_c020_0000));
    assert_eq!(i64::read(&bytes[..9]), None);
    assert_eq!(i16::WIDTH, 2);
}

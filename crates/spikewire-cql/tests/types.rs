//! Types on the wire, as class names and in CQL spelling.

use std::sync::Arc;

use spikewire_cql::notation::Reader;
use spikewire_cql::types::{DEEPEST, Type, Udt};
use spikewire_cql::version::Version;

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

fn address() -> Arc<Udt> {
    let fields = [("street", Type::Text), ("Größe", Type::list(Type::Int))];
    Arc::new(Udt {
        keyspace: "shop".to_owned(),
        name: "address".to_owned(),
        fields: fields.map(|(name, ty)| (name.to_owned(), ty)).to_vec(),
    })
}

fn read(bytes: &[u8]) -> Result<Type, String> {
    let mut reader = Reader(bytes);
    let ty = Type::read(&mut reader).map_err(|malformed| malformed.0)?;
    assert!(reader.is_empty(), "{ty}");
    Ok(ty)
}

fn custom(class: &str) -> Vec<u8> {
    let mut bytes = vec![0, 0];
    bytes.extend_from_slice(&(class.len() as u16).to_be_bytes());
    bytes.extend_from_slice(class.as_bytes());
    bytes
}

#[test]
fn type_options_parse() {
    let vectors: [(&[u8], Type); 9] = [
        (b"\x00\x09", Type::Int),
        (b"\x00\x0a", Type::Text),
        (b"\x00\x0d", Type::Text),
        (b"\x00\x15", Type::Duration),
        (b"\x00\x20\x00\x09", Type::list(Type::Int)),
        (b"\x00\x22\x00\x0c", Type::set(Type::Uuid)),
        (b"\x00\x21\x00\x0d\x00\x20\x00\x09", Type::map(Type::Text, Type::list(Type::Int))),
        (b"\x00\x31\x00\x02\x00\x09\x00\x0d", Type::tuple([Type::Int, Type::Text])),
        (
            b"\x00\x30\x00\x04shop\x00\x07address\x00\x02\x00\x06street\x00\x0d\
              \x00\x07Gr\xc3\xb6\xc3\x9fe\x00\x20\x00\x09",
            Type::Udt(address()),
        ),
    ];
    for (bytes, ty) in vectors {
        assert_eq!(read(bytes), Ok(ty));
    }
    let duration = custom("org.apache.cassandra.db.marshal.DurationType");
    assert_eq!(read(&duration), Ok(Type::Duration));
    let vector = custom(
        "org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.FloatType , 3)",
    );
    assert_eq!(read(&vector), Ok(Type::vector(Type::Float, 3)));
    let mut written = Vec::new();
    Type::vector(Type::Float, 3).write(&mut written, Version::V5).unwrap();
    assert_eq!(written, vector);
    for (version, expected) in [(Version::V4, &duration[..]), (Version::V5, b"\x00\x15")] {
        written.clear();
        Type::Duration.write(&mut written, version).unwrap();
        assert_eq!(written, expected);
    }
}

#[test]
fn invalid_type_options_are_rejected() {
    for bytes in [&b"\x00"[..], b"\x00\x16", b"\x7f\xff", b"\x00\x20", b"\x00\x31\xff\xff\x00\x09"]
    {
        assert!(read(bytes).is_err(), "{bytes:02x?}");
    }
    let deep = |depth: usize| [b"\x00\x20".repeat(depth), b"\x00\x09".to_vec()].concat();
    assert!(read(&deep(DEEPEST - 1)).is_ok());
    assert!(read(&deep(DEEPEST)).is_err());
    assert!(read(&deep(1_000_000)).is_err());
}

#[test]
fn class_names_parse() {
    let long = |short: &str| {
        // The names in the tests are abbreviated.
        let mut class = String::new();
        let mut in_word = false;
        for mark in short.chars() {
            if mark.is_ascii_uppercase() && !in_word {
                class.push_str(PACKAGE);
            }
            in_word = mark.is_alphanumeric();
            class.push(mark);
        }
        class
    };
    let hex =
        |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let user = format!(
        "UserType(shop,{},{}:UTF8Type,{}:ListType(Int32Type))",
        hex("address"),
        hex("street"),
        hex("Größe")
    );
    let vectors = [
        ("LongType".to_owned(), Type::Bigint),
        ("ReversedType(TimeUUIDType)".to_owned(), Type::Timeuuid),
        ("DateType".to_owned(), Type::Timestamp),
        ("FrozenType(ListType(Int32Type))".to_owned(), Type::list(Type::Int)),
        (
            "MapType(UTF8Type,SetType(ByteType))".to_owned(),
            Type::map(Type::Text, Type::set(Type::Tinyint)),
        ),
        (
            "TupleType(ShortType,SimpleDateType)".to_owned(),
            Type::tuple([Type::Smallint, Type::Date]),
        ),
        ("TupleType()".to_owned(), Type::tuple([])),
        (
            "VectorType(VectorType(FloatType , 2) , 3)".to_owned(),
            Type::vector(Type::vector(Type::Float, 2), 3),
        ),
        (format!("VectorType(FrozenType({user}),7)"), Type::vector(Type::Udt(address()), 7)),
    ];
    for (short, ty) in vectors {
        assert_eq!(Type::of_class(&short), ty, "{short}");
        assert_eq!(Type::of_class(&long(&short)), ty, "{short}");
        assert_eq!(Type::of_class(&ty.class_name()), ty, "{short}");
    }
}

#[test]
fn unknown_classes_become_custom_types() {
    let opaque = [
        "org.example.Int32Type",
        "DynamicCompositeType(a=>AsciiType,b=>BytesType)",
        "CompositeType(UTF8Type,Int32Type)",
        "LexicalUUIDType",
        "VectorType(FloatType , 0)",
        "VectorType(FloatType , -1)",
        "VectorType(FloatType , 99999999999999999999)",
        "VectorType(FloatType)",
        "ListType(Int32Type",
        "ListType(Int32Type))",
        "Int32Type(Int32Type)",
        "UserType(ks,zz,61:Int32Type)",
        "UserType(ks,ff)",
        "Odd((",
        "",
        "(",
        ")",
    ];
    for class in opaque {
        assert_eq!(Type::of_class(class), Type::Custom(class.into()), "{class}");
    }
    let inside = Type::of_class("ListType(DynamicCompositeType(a=>AsciiType,b=>(x)))");
    let inner = Type::Custom("DynamicCompositeType(a=>AsciiType,b=>(x))".into());
    assert_eq!(inside, Type::list(inner));
    let deep = format!("{}Int32Type{}", "ListType(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(Type::of_class(&deep), Type::Custom(deep.into()));
}

#[test]
fn type_spellings_parse() {
    let vectors = [
        ("int", Type::Int),
        ("map<text, frozen<list<int>>>", Type::map(Type::Text, Type::list(Type::Int))),
        ("vector<float, 3>", Type::vector(Type::Float, 3)),
        ("list<frozen<address>>", Type::list(Type::Udt(address()))),
        (
            "tuple<int, frozen<tuple<text, duration>>>",
            Type::tuple([Type::Int, Type::tuple([Type::Text, Type::Duration])]),
        ),
        ("'org.example.Odd'", Type::Custom("org.example.Odd".into())),
        ("'it''s odd'", Type::Custom("it's odd".into())),
    ];
    let find = |_: Option<&str>, name: &str| (name == "address").then(address);
    for (text, ty) in vectors {
        assert_eq!(Type::parse_with(text, find), Ok(ty.clone()));
        assert_eq!(ty.to_string(), text);
    }
    assert_eq!(Type::parse(" Map < VARCHAR,INT > "), Ok(Type::map(Type::Text, Type::Int)));
    let parsed = Type::parse_with("frozen<shop.\"address\">", |keyspace, name| {
        assert_eq!((keyspace, name), (Some("shop"), "address"));
        Some(address())
    });
    assert_eq!(parsed, Ok(Type::Udt(address())));
}

#[test]
fn the_deepest_type_is_spelled_and_read() {
    let deepest = (1..DEEPEST).fold(Type::Int, |ty, _| Type::list(ty));
    assert_eq!(Type::parse(&deepest.to_string()), Ok(deepest.clone()));
    assert_eq!(Type::of_class(&deepest.class_name()), deepest);
    let mut option = Vec::new();
    deepest.write(&mut option, Version::V5).unwrap();
    assert_eq!(read(&option), Ok(deepest));
}

#[test]
fn quoted_type_names_parse() {
    for name in ["Odd", "a\"b", "int", "1st", "größe", "list"] {
        let udt = Arc::new(Udt { name: name.to_owned(), ..(*address()).clone() });
        let spelled = Type::Udt(udt.clone()).to_string();
        let result =
            Type::parse_with(&spelled, |_, requested| (requested == name).then(|| udt.clone()));
        assert_eq!(result, Ok(Type::Udt(udt)), "{spelled}");
    }
}

#[test]
fn invalid_spellings_are_rejected() {
    let deep = format!("{}int{}", "list<".repeat(100_000), ">".repeat(100_000));
    let texts = [
        "",
        "list",
        "list<",
        "list<int",
        "list<>",
        "int<text>",
        "map<int>",
        "int int",
        "vector<int, 0>",
        "vector<int>",
        "\"open",
        "'open",
        "address",
        "ks.",
        &deep,
    ];
    for text in texts {
        let error = Type::parse(text).expect_err(text);
        assert_eq!(error.text, text);
    }
    let error = Type::parse("map<text, adress>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"map<text, adress>\" is not a CQL type: unknown type \"adress\""
    );
}

#[test]
fn fixed_width_types_know_their_width() {
    assert_eq!(Type::Smallint.width(), Some(2));
    assert_eq!(Type::Smallint.width_in_vector(), None);
    assert_eq!(Type::vector(Type::Float, 3).width(), Some(12));
    assert_eq!(Type::vector(Type::vector(Type::Float, 3), 2).width(), Some(24));
    assert_eq!(Type::vector(Type::Date, 3).width(), None);
    assert_eq!(Type::vector(Type::Float, usize::MAX).width(), None);
}

//! Round trips of every type: as `Value`, and as Rust's own types.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::net::IpAddr;

use spikewire::cql::{
    Date, Decimal, Duration, EncodeError, FromValue, Kind, Session, Source, Time, Timestamp,
    ToValue, Uuid, Value, Varint,
};

use crate::support::{Place, place};

/// A table with a column for each of several types, since creating tables is slow.
struct Columns {
    session: Session,
    table: String,
    types: Vec<String>,
}

impl Columns {
    fn new(place: &Place, types: &[&str]) -> Self {
        let session = place.session();
        let columns = types.iter().enumerate().map(|(at, ty)| format!(", c{at} {ty}"));
        let columns: String = columns.collect();
        let table = place.table(&session, &format!("id int PRIMARY KEY{columns}"));
        Self { session, table, types: types.iter().map(|&ty| ty.to_owned()).collect() }
    }

    /// The column of this type; it is called `v`.
    fn of(&self, ty: &str) -> Column<'_> {
        let at = self.types.iter().position(|known| known == ty).expect("there is a column of it");
        let table = &self.table;
        Column {
            session: &self.session,
            insert: format!("INSERT INTO {table} (id, c{at}) VALUES (1, :v)"),
            select: format!("SELECT c{at} AS v FROM {table} WHERE id = 1"),
        }
    }
}

/// A column `v`.
struct Column<'a> {
    session: &'a Session,
    insert: String,
    select: String,
}

impl Column<'_> {
    /// Writes a value and reads it back.
    fn there_and_back<T: FromValue>(&self, value: impl ToValue) -> T {
        self.session.execute(&self.insert, (value,)).unwrap();
        self.read().unwrap()
    }

    fn read<T: FromValue>(&self) -> spikewire::cql::Result<T> {
        let result = self.session.execute(&self.select, ())?;
        result.row(0).expect("there is a row").get("v")
    }

    fn bind_error(&self, value: impl ToValue) -> String {
        let error = self.session.execute(&self.insert, (value,)).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        error.message().to_owned()
    }

    fn same<T>(&self, values: &[T])
    where
        T: FromValue + Source<Error = EncodeError> + Send + Sync + Clone + PartialEq + Debug,
    {
        for value in values {
            assert_eq!(self.there_and_back::<T>(value.clone()), *value);
        }
        assert_eq!(self.there_and_back::<Option<T>>(None::<T>), None);
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn every_type_round_trips_as_value() {
    let place = place!();
    let session = place.session();
    let udt = format!("u{}", std::process::id());
    session
        .execute(format!("CREATE TYPE {udt} (street text, zip int, tags set<text>)"), ())
        .unwrap();
    let uuid: Uuid = "c9b1c9f0-9b3a-11ee-8c90-0242ac120002".parse().unwrap();
    let wide = Varint::from_bytes(&[0x7f; 40]);
    let frozen_udt = format!("frozen<{udt}>");
    let of_udt = Value::Udt(vec![
        ("street".to_owned(), text("Elm")),
        ("zip".to_owned(), Value::Null),
        ("tags".to_owned(), Value::Set(vec![text("a"), text("b")])),
    ]);
    let columns: Vec<(&str, Vec<Value>)> = vec![
        ("ascii", vec![text("plain"), text("")]),
        ("bigint", [i64::MIN, -1, 0, i64::MAX].map(Value::Bigint).to_vec()),
        ("blob", vec![Value::Blob(vec![0, 255, 7]), Value::Blob(vec![])]),
        ("boolean", [true, false].map(Value::Boolean).to_vec()),
        ("date", [i32::MIN, -1, 0, i32::MAX].map(Value::Date).to_vec()),
        (
            "decimal",
            vec![
                Value::Decimal(Decimal { scale: 2, digits: (-12345_i64).into() }),
                Value::Decimal(Decimal { scale: -3, digits: wide.clone() }),
            ],
        ),
        ("double", [f64::MIN, -0.0, f64::INFINITY].map(Value::Double).to_vec()),
        (
            "duration",
            vec![
                Value::Duration(Duration { months: 14, days: 3, nanoseconds: 1 }),
                Value::Duration(Duration { months: -1, days: 0, nanoseconds: i64::MIN }),
            ],
        ),
        ("float", [f32::MIN, 1.5].map(Value::Float).to_vec()),
        (
            "inet",
            vec![Value::Inet("10.1.2.3".parse().unwrap()), Value::Inet("fe80::1".parse().unwrap())],
        ),
        ("int", [i32::MIN, 0, i32::MAX].map(Value::Int).to_vec()),
        ("smallint", [i16::MIN, 0, i16::MAX].map(Value::Smallint).to_vec()),
        ("text", vec![text("größe 🍐"), text("")]),
        ("time", [0, 86_399_999_999_999].map(Value::Time).to_vec()),
        ("timestamp", [-62_135_596_800_000, 0, 253_402_300_799_999].map(Value::Timestamp).to_vec()),
        ("timeuuid", vec![Value::Uuid(uuid.0)]),
        ("tinyint", [i8::MIN, 0, i8::MAX].map(Value::Tinyint).to_vec()),
        ("uuid", vec![Value::Uuid([255; 16]), Value::Uuid(uuid.0)]),
        ("varint", vec![Value::Varint(wide), Value::Varint((-1_i64).into())]),
        ("list<int>", vec![Value::List([3, 1, 3].map(Value::Int).to_vec())]),
        ("set<text>", vec![Value::Set(vec![text("a"), text("b")])]),
        (
            "map<int, text>",
            vec![Value::Map(vec![(Value::Int(1), text("x")), (Value::Int(2), text(""))])],
        ),
        (
            "tuple<int, text, boolean>",
            vec![Value::Tuple(vec![Value::Int(1), Value::Null, Value::Boolean(true)])],
        ),
        ("vector<float, 3>", vec![Value::List([0.5, -1.0, 2.0].map(Value::Float).to_vec())]),
        ("vector<text, 2>", vec![Value::List(vec![text("a"), text("größe")])]),
        (&frozen_udt, vec![of_udt.clone()]),
        (
            "map<text, frozen<list<frozen<tuple<int, set<text>>>>>>",
            vec![Value::Map(vec![(
                text("k"),
                Value::List(vec![Value::Tuple(vec![Value::Int(1), Value::Set(vec![text("a")])])]),
            )])],
        ),
    ];
    let names = columns.iter().enumerate().map(|(at, (ty, _))| format!("c{at} {ty}"));
    let table = place
        .table(&session, &format!("id int PRIMARY KEY, {}", names.collect::<Vec<_>>().join(", ")));
    for (at, (ty, values)) in columns.iter().enumerate() {
        let insert = format!("INSERT INTO {table} (id, c{at}) VALUES (1, ?)");
        let insert = session.prepare(insert).unwrap();
        let select = session.prepare(format!("SELECT c{at} FROM {table}")).unwrap();
        for value in values.iter().chain([&Value::Null]) {
            session.execute(&insert, [value]).unwrap();
            let result = session.execute(&select, ()).unwrap();
            let row = result.row(0);
            let result: Option<Value> = row.map(|row| row.get(0).unwrap());
            assert_eq!(result.unwrap_or(Value::Null), *value, "{ty}");
        }
    }
    // The name of a field that does not exist.
    let columns = Columns::new(place, &[&frozen_udt]);
    let column = columns.of(&frozen_udt);
    let stranger =
        Value::Udt(vec![("street".to_owned(), text("Elm")), ("city".to_owned(), text("X"))]);
    assert_eq!(column.bind_error(stranger), format!("v: {udt} has no field \"city\""));
}

#[test]
fn scalars_round_trip() {
    let place = place!();
    let columns = Columns::new(
        place,
        &[
            "tinyint",
            "smallint",
            "int",
            "bigint",
            "varint",
            "decimal",
            "float",
            "double",
            "boolean",
            "text",
            "ascii",
            "blob",
            "uuid",
            "timeuuid",
            "inet",
            "timestamp",
            "date",
            "time",
            "duration",
        ],
    );
    let column = |ty: &str| columns.of(ty);
    column("tinyint").same(&[i8::MIN, i8::MAX]);
    column("smallint").same(&[i16::MIN, i16::MAX]);
    column("int").same(&[i32::MIN, i32::MAX]);
    column("bigint").same(&[i64::MIN, i64::MAX]);
    column("varint").same(&[i128::MIN, i128::from(i64::MAX) + 1, -129, 0]);
    column("varint").same(&[Varint::from_bytes(&[0x80; 30])]);
    column("decimal").same(&[Decimal { scale: 3, digits: 1_500_i64.into() }]);
    column("float").same(&[f32::MIN_POSITIVE]);
    column("double").same(&[f64::MIN_POSITIVE]);
    column("boolean").same(&[true, false]);
    column("text").same(&["größe".to_owned(), String::new()]);
    column("ascii").same(&["plain".to_owned()]);
    column("blob").same(&[vec![0_u8, 255]]);
    column("blob").same(&[[1_u8, 2, 3]]);
    column("uuid").same(&[[7_u8; 16]]);
    column("timeuuid").same(&["c9b1c9f0-9b3a-11ee-8c90-0242ac120002".parse::<Uuid>().unwrap()]);
    column("inet").same(&["10.1.2.3".parse::<IpAddr>().unwrap(), "::1".parse().unwrap()]);
    column("timestamp").same(&[Timestamp::now(), Timestamp(-1)]);
    column("date").same(&[Date(-1), Date(20_000)]);
    column("time").same(&[Time(0), Time(86_399_999_999_999)]);
    column("duration").same(&[Duration { months: 1, days: 2, nanoseconds: 3 }]);

    let bigint = column("bigint");
    assert_eq!(bigint.there_and_back::<i128>(u32::MAX), i128::from(u32::MAX));
    assert_eq!(column("decimal").there_and_back::<Decimal>(-7_i32), (-7).into());
    let text = column("text");
    assert_eq!(text.there_and_back::<String>(std::sync::Arc::<str>::from("x")), "x");
}

#[test]
fn containers_round_trip() {
    let place = place!();
    let columns = Columns::new(
        place,
        &[
            "list<int>",
            "set<text>",
            "set<int>",
            "map<text, double>",
            "map<int, frozen<list<text>>>",
            "tuple<int, text>",
            "vector<float, 3>",
            "vector<text, 2>",
            "list<frozen<tuple<int, set<int>>>>",
        ],
    );
    let column = |ty: &str| columns.of(ty);
    column("list<int>").same(&[vec![3, 1, 3]]);
    assert_eq!(column("list<int>").there_and_back::<[i64; 2]>([1_i16, 2].as_slice()), [1, 2]);
    column("set<text>").same(&[HashSet::from(["a".to_owned(), "b".to_owned()])]);
    column("set<int>").same(&[BTreeSet::from([3, 1, 2])]);
    column("map<text, double>").same(&[HashMap::from([("x".to_owned(), 1.5)])]);
    column("map<int, frozen<list<text>>>").same(&[BTreeMap::from([(1, vec!["a".to_owned()])])]);
    column("tuple<int, text>").same(&[(Some(1), None::<String>)]);
    column("vector<float, 3>").same(&[[0.5_f32, 1.5, -2.0]]);
    column("vector<float, 3>").same(&[vec![0.5_f32, 1.5, -2.0]]);
    column("vector<text, 2>").same(&[vec!["a".to_owned(), "größe".to_owned()]]);
    column("list<frozen<tuple<int, set<int>>>>").same(&[vec![(1, BTreeSet::from([2, 3]))]]);
    let list = column("list<int>");
    // The server does not store empty lists.
    assert_eq!(list.there_and_back::<Option<Vec<i32>>>(Vec::<i32>::new()), None);
}

#[test]
fn a_value_that_does_not_fit_its_column_is_named() {
    let place = place!();
    let columns = Columns::new(
        place,
        &[
            "int",
            "bigint",
            "ascii",
            "float",
            "list<int>",
            "vector<float, 2>",
            "map<text, int>",
            "timeuuid",
            "time",
        ],
    );
    let column = |ty: &str| columns.of(ty);
    let int = column("int");
    assert_eq!(int.bind_error("seven"), "v: int takes an integer, not \"seven\"");
    assert_eq!(
        int.bind_error(1_i64 << 40),
        "v: int takes -2147483648 to 2147483647, not 1099511627776"
    );
    assert_eq!(int.bind_error(2.0), "v: int takes an integer, not 2.0");
    assert!(column("bigint").bind_error(u64::MAX).contains("not 18446744073709551615"));
    assert_eq!(column("ascii").bind_error("größe"), "v: ascii takes characters up to U+007F");
    assert_eq!(column("float").bind_error(0.1_f64), "v: float takes a number, not 0.1");
    assert_eq!(
        column("list<int>").bind_error(vec![Some(1), None]),
        "v[1]: a collection cannot contain null (int)"
    );
    assert_eq!(
        column("vector<float, 2>").bind_error([1_f32]),
        "v: vector<float, 2> takes 2 elements, not 1"
    );
    assert_eq!(
        column("map<text, int>").bind_error(BTreeMap::from([("x", "y")])),
        "v[\"x\"]: int takes an integer, not \"y\""
    );
    assert_eq!(column("list<int>").bind_error((1, 2)), "v: list<int> takes a list, not (1, 2)");
    assert!(column("timeuuid").bind_error([7_u8; 16]).contains("a UUID of version 1 is needed"));
    assert!(column("time").bind_error(Time(-1)).contains("takes 00:00:00 to"));
}

#[test]
fn a_column_read_as_the_wrong_type_is_named() {
    let place = place!();
    let columns = Columns::new(place, &["bigint", "varint", "tuple<int, int>"]);
    let column = columns.of("bigint");
    column.there_and_back::<i64>(7);
    let why = |error: spikewire::cql::Error| (error.kind(), error.message().to_owned());
    let invalid = |message: &str| (Kind::Invalid, message.to_owned());
    assert_eq!(
        why(column.read::<i32>().unwrap_err()),
        invalid("column \"v\" of type bigint cannot be read as i32")
    );
    assert_eq!(
        why(column.read::<Option<Vec<String>>>().unwrap_err()),
        invalid("column \"v\" of type bigint cannot be read as Option<Vec<String>>")
    );
    column.there_and_back::<Option<i64>>(None::<i64>);
    let null = column.read::<i64>().unwrap_err();
    assert!(null.message().starts_with("column \"v\" of type bigint is null"), "{null}");
    let varint = columns.of("varint");
    varint.there_and_back::<Varint>(Varint::from_bytes(&[0x7f; 17]));
    let range = varint.read::<i128>().unwrap_err();
    assert_eq!(
        range.message(),
        "column \"v\" of type varint has a value that i128 has no room for"
    );
    let tuple = columns.of("tuple<int, int>");
    tuple.there_and_back::<(i32, i32)>((1, 2));
    assert!(tuple.read::<(i32,)>().unwrap_err().message().ends_with("it has 2 components"));

    let select = format!("SELECT id, c0 AS v FROM {}", columns.table);
    let all = columns.session.execute(select, ()).unwrap();
    let row = all.row(0).unwrap();
    assert_eq!(row.get::<i32>("w").unwrap_err().message(), "there is no column \"w\" among id, v");
    assert_eq!(row.get::<i32>(2).unwrap_err().message(), "there is no column 2 in rows of 2");
    assert_eq!(
        row.read::<(i32,)>().unwrap_err().message(),
        "a row of 2 columns (id, v) was read as a tuple of 1"
    );
    assert_eq!(format!("{row:?}"), "{\"id\": Int(1), \"v\": Null}");
}

#[derive(Debug, Clone, PartialEq)]
struct Address {
    street: String,
    zip: Option<i32>,
}
spikewire::fields!(Address { street, zip });

#[test]
fn structs_map_to_user_defined_types_and_rows() {
    let place = place!();
    let session = place.session();
    session.execute("CREATE TYPE address (zip int, street text)", ()).unwrap();
    let columns = Columns::new(place, &["frozen<address>", "list<frozen<address>>"]);
    let elm = Address { street: "Elm".to_owned(), zip: Some(7) };
    let oak = Address { street: "Oak".to_owned(), zip: None };
    columns.of("frozen<address>").same(&[elm.clone(), oak.clone()]);
    let list = columns.of("list<frozen<address>>");
    list.same(&[vec![oak.clone(), elm.clone()]]);

    // A field added later: sent as null, ignored when read.
    session.execute("ALTER TYPE address ADD city text", ()).unwrap();
    let column = columns.of("frozen<address>");
    let insert = column.insert.replace(":v", "{street: 'Ash', zip: 1, city: 'Ulm'}");
    session.execute(insert, ()).unwrap();
    let ash = Address { street: "Ash".to_owned(), zip: Some(1) };
    assert_eq!(column.read::<Address>().unwrap(), ash);
    let other = place.session();
    let bound = other.prepare(&column.insert).unwrap();
    other.execute(&bound, (&elm,)).unwrap();
    assert_eq!(column.read::<Address>().unwrap(), elm);

    let table = place.table(&session, "id int PRIMARY KEY, street text, zip int");
    let insert = format!("INSERT INTO {table} (id, street) VALUES (1, 'Oak')");
    session.execute(insert, ()).unwrap();
    let result = session.execute(format!("SELECT * FROM {table}"), ()).unwrap();
    assert_eq!(result.first::<Address>().unwrap(), Some(oak));
}

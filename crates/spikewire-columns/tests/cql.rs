//! CQL rows as Arrow tables.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int32Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use spikewire_columns::RowError;
use spikewire_columns::cql::Table;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::Column;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Decimal, Value, Varint, encode};

fn column(name: &str, ty: Type) -> Column {
    Column { keyspace: "k".into(), table: "t".into(), name: name.into(), ty }
}

fn cells(columns: &[Column], rows: &[Vec<Value>]) -> Vec<u8> {
    let mut out = vec![];
    for row in rows {
        for (column, value) in columns.iter().zip(row) {
            encode(&column.ty, value, &mut out).unwrap();
        }
    }
    out
}

/// The rows as one table, from two pages.
fn build(columns: Vec<Column>, rows: &[Vec<Value>]) -> RecordBatch {
    let columns: Arc<[Column]> = columns.into();
    let mut table = Table::new(columns.clone(), rows.len());
    let (first, second) = rows.split_at(rows.len() / 2);
    for page in [first, second] {
        let bytes = cells(&columns, page);
        table.append(Cells(Reader(&bytes)), page.len()).unwrap();
    }
    table.finish().unwrap()
}

fn one(ty: Type, values: &[Value]) -> arrow_array::ArrayRef {
    let rows: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
    build(vec![column("v", ty)], &rows).column(0).clone()
}

#[test]
fn numbers_and_text_have_nulls() {
    let columns = vec![
        column("i", Type::Int),
        column("b", Type::Bigint),
        column("i", Type::Text),
        column("f", Type::Boolean),
    ];
    let table = build(
        columns,
        &[
            vec![Value::Int(-1), Value::Null, Value::Text("é".into()), Value::Boolean(true)],
            vec![Value::Null, Value::Bigint(i64::MIN), Value::Null, Value::Null],
            vec![Value::Int(7), Value::Bigint(2), Value::Text(String::new()), Value::Empty],
        ],
    );
    let names: Vec<&str> =
        table.schema_ref().fields().iter().map(|it| it.name().as_str()).collect();
    assert_eq!(names, ["i", "b", "i", "f"]);
    let ints: Vec<_> = table.column(0).as_primitive::<Int32Type>().iter().collect();
    assert_eq!(ints, [Some(-1), None, Some(7)]);
    let longs: Vec<_> = table.column(1).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(longs, [None, Some(i64::MIN), Some(2)]);
    let texts: Vec<_> = table.column(2).as_string::<i32>().iter().collect();
    assert_eq!(texts, [Some("é"), None, Some("")]);
    let flags: Vec<_> = table.column(3).as_boolean().iter().collect();
    assert_eq!(flags, [Some(true), None, None]);
}

/// More rows than a block has, with something of every kind between plain values.
#[test]
fn nulls_among_many_rows_stay_in_their_places() {
    let columns = vec![
        column("i", Type::Bigint),
        column("t", Type::Text),
        column("f", Type::Boolean),
        column("l", Type::List(Arc::new(Type::Int))),
    ];
    let or_null = |there: bool, value: Value| if there { value } else { Value::Null };
    let rows: Vec<Vec<Value>> = (0..1500_i64)
        .map(|at| {
            vec![
                or_null(at % 7 != 3, Value::Bigint(at)),
                or_null(at % 300 != 255, Value::Text(format!("row {at}"))),
                if at % 11 == 0 { Value::Empty } else { Value::Boolean(at % 2 == 0) },
                or_null(at % 5 != 0, Value::List(vec![Value::Int(at as i32); at as usize % 3])),
            ]
        })
        .collect();
    let table = build(columns, &rows);
    let numbers = table.column(0).as_primitive::<Int64Type>();
    let (texts, flags) = (table.column(1).as_string::<i32>(), table.column(2).as_boolean());
    let lists = table.column(3).as_list::<i32>();
    for at in 0..1500_usize {
        assert_eq!(numbers.is_valid(at), at % 7 != 3);
        assert!(numbers.is_null(at) || numbers.value(at) == at as i64);
        assert_eq!(texts.is_valid(at), at % 300 != 255);
        assert!(texts.is_null(at) || texts.value(at) == format!("row {at}"));
        assert_eq!(flags.is_valid(at), at % 11 != 0);
        assert!(flags.is_null(at) || flags.value(at) == (at % 2 == 0));
        assert_eq!(lists.is_valid(at), at % 5 != 0);
        let list: Vec<_> = lists.value(at).as_primitive::<Int32Type>().iter().collect();
        let there = if lists.is_valid(at) { at % 3 } else { 0 };
        assert_eq!(list, vec![Some(at as i32); there]);
    }
}

#[test]
fn times_have_their_units() {
    for (ty, value, kind) in [
        (
            Type::Timestamp,
            Value::Timestamp(-5),
            DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        ),
        (Type::Date, Value::Date(-1), DataType::Date32),
        (Type::Time, Value::Time(86_399_999_999_999), DataType::Time64(TimeUnit::Nanosecond)),
    ] {
        let array = one(ty, &[value, Value::Null]);
        assert_eq!(*array.data_type(), kind);
        assert_eq!(array.null_count(), 1);
    }
    let days = one(Type::Date, &[Value::Date(-1)]);
    assert_eq!(days.to_data().buffer::<i32>(0)[0], -1);
}

#[test]
fn nested_values_keep_their_rows() {
    let udt = Type::Udt(Arc::new(Udt {
        keyspace: "k".into(),
        name: "u".into(),
        fields: vec![
            ("a".into(), Type::Int),
            ("m".into(), Type::map(Type::Text, Type::list(Type::Int))),
        ],
    }));
    let list = |items: &[i32]| Value::List(items.iter().map(|item| Value::Int(*item)).collect());
    let entry = |key: &str, items: &[i32]| (Value::Text(key.into()), list(items));
    let field = |name: &str, value: Value| (name.to_owned(), value);
    let array = one(
        Type::list(udt),
        &[
            Value::List(vec![
                Value::Udt(vec![
                    field("a", Value::Int(1)),
                    field("m", Value::Map(vec![entry("x", &[1, 2]), entry("y", &[])])),
                ]),
                Value::Udt(vec![field("a", Value::Int(2)), field("m", Value::Null)]),
            ]),
            Value::Null,
            Value::List(vec![Value::Udt(vec![
                field("a", Value::Null),
                field("m", Value::Map(vec![entry("z", &[3])])),
            ])]),
        ],
    );
    let lists = array.as_list::<i32>();
    assert_eq!(lists.value_offsets(), [0, 2, 2, 3]);
    let structs = lists.values().as_struct();
    let ints: Vec<_> = structs.column(0).as_primitive::<Int32Type>().iter().collect();
    assert_eq!(ints, [Some(1), Some(2), None]);
    let maps = structs.column(1).as_map();
    assert_eq!(maps.value_offsets(), [0, 2, 2, 3]);
    assert!(maps.is_null(1));
    let keys: Vec<_> = maps.keys().as_string::<i32>().iter().flatten().collect();
    assert_eq!(keys, ["x", "y", "z"]);
    let values = maps.values().as_list::<i32>();
    assert_eq!(values.value_offsets(), [0, 2, 2, 3]);
    assert_eq!(*values.values().as_primitive::<Int32Type>().values(), [1, 2, 3]);
}

#[test]
fn vectors_are_lists_of_fixed_size() {
    let floats = |items: [f32; 2]| Value::List(items.map(Value::Float).into());
    let ty = Type::vector(Type::Float, 2);
    let array = one(ty, &[floats([1.0, -2.0]), Value::Null, floats([f32::MAX, 0.0])]);
    let vectors = array.as_fixed_size_list();
    assert!(vectors.is_null(1));
    let last = vectors.value(2);
    assert_eq!(*last.as_primitive::<Float32Type>().values(), [f32::MAX, 0.0]);
    let texts = Value::List(vec![Value::Text("a".into()), Value::Text("bc".into())]);
    let array = one(Type::vector(Type::Text, 2), &[texts]);
    let first = array.as_fixed_size_list().value(0);
    assert_eq!(first.as_string::<i32>().value(1), "bc");
}

#[test]
fn decimals_take_what_holds_all_of_them() {
    let decimal = |digits: i128, scale| Value::Decimal(Decimal { scale, digits: digits.into() });
    let kind = |values: &[Value]| one(Type::Decimal, values).data_type().clone();
    assert_eq!(kind(&[Value::Null]), DataType::Decimal128(38, 0));
    let most = 10_i128.pow(38) - 1;
    assert_eq!(kind(&[decimal(most, 2), decimal(-most, 2)]), DataType::Decimal128(38, 2));
    assert_eq!(kind(&[decimal(most, 0), decimal(1, 1)]), DataType::Decimal256(76, 1));
    assert_eq!(kind(&[decimal(1, 38)]), DataType::Decimal128(38, 38));
    assert_eq!(kind(&[decimal(1, 39)]), DataType::Decimal256(76, 39));
    assert_eq!(kind(&[decimal(7, -75)]), DataType::Decimal256(76, 0));
    assert_eq!(kind(&[decimal(7, -76)]), DataType::Utf8);
    // 0 is 0 whatever its scale.
    assert_eq!(kind(&[decimal(0, -1000), decimal(5, 1)]), DataType::Decimal128(38, 1));
    for scale in [77, i32::MAX, i32::MIN] {
        let array = one(Type::Decimal, &[decimal(12, scale), Value::Null, decimal(3, 0)]);
        let texts: Vec<_> = array.as_string::<i32>().iter().collect();
        let first = format!("12E{}", -i64::from(scale));
        assert_eq!(texts, [Some(&*first), None, Some("3")]);
    }
    let wide = Varint::from_bytes(&[0x7f; 40]);
    let array = one(Type::Varint, &[Value::Varint(wide.clone())]);
    assert_eq!(array.as_string::<i32>().value(0), wide.to_string());
}

#[test]
fn bytes_that_are_no_value_name_their_place() {
    let columns: Arc<[Column]> = vec![column("a", Type::Int), column("b", Type::Bigint)].into();
    let mut bytes = cells(&columns, &[vec![Value::Int(1), Value::Bigint(1)]]);
    bytes.extend([0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3]);
    let mut table = Table::new(columns, 2);
    let error = table.append(Cells(Reader(&bytes)), 2).unwrap_err();
    let RowError::Bad(1, name, error) = error else { panic!("{error:?}") };
    assert_eq!(name, "b");
    assert!(error.message.contains("bigint of 3 bytes"), "{error}");
}

#[test]
fn text_that_is_no_utf8_is_rejected() {
    let columns: Arc<[Column]> = vec![column("a", Type::Text)].into();
    // Each row has half of a character: concatenated they would be valid.
    let bytes = [0, 0, 0, 1, 0xc3, 0, 0, 0, 1, 0xa9];
    let mut table = Table::new(columns, 2);
    table.append(Cells(Reader(&bytes)), 2).unwrap();
    let error = table.finish().unwrap_err().to_string();
    assert!(error.contains("\"a\""), "{error}");
}

#[test]
fn an_empty_key_of_a_map_has_no_place() {
    let ty = Type::map(Type::Int, Type::Int);
    let columns: Arc<[Column]> = vec![column("m", ty)].into();
    let bytes = [0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    let mut table = Table::new(columns, 1);
    table.append(Cells(Reader(&bytes)), 1).unwrap();
    let error = table.finish().unwrap_err().to_string();
    assert!(error.contains("empty value is a key"), "{error}");
}

//! Records from the wire as Arrow tables.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int8Type, Int64Type, UInt16Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use spikewire_aerospike_protocol::message::{self, Header, Walk, op};
use spikewire_aerospike_protocol::value::Value;
use spikewire_columns::arrow::{BufferPool, TableBuilder};
use spikewire_columns::{ErrorClass, ExtraColumns, RowError, WireValue};

/// A record's message as sent by a node.
fn message(bins: &[(&str, Value)]) -> Vec<u8> {
    let header = Header { generation: 3, ops: bins.len() as u16, ..Header::default() };
    let mut out = header.to_bytes().to_vec();
    for (name, value) in bins {
        let start = message::begin_op(&mut out, op::READ, name.as_bytes());
        let particle = value.encode(&mut out);
        message::finish_op(&mut out, start, particle);
    }
    out
}

fn int(value: i64) -> Value {
    Value::Int(value)
}

fn text(value: &str) -> Value {
    Value::Str(value.into())
}

fn fill(table: &mut TableBuilder, records: &[Vec<u8>]) -> Result<(), RowError> {
    for (row, record) in records.iter().enumerate() {
        let (header, walk) = Walk::begin(record).unwrap();
        table.row(&header, walk, Some(&WireValue::Int(row as i64)), row)?;
    }
    Ok(())
}

fn build(schema: Option<SchemaRef>, records: &[Vec<u8>]) -> Result<RecordBatch, RowError> {
    let mut table = TableBuilder::new(schema, &ExtraColumns::default(), false, None).unwrap();
    fill(&mut table, records)?;
    Ok(table.finish(records.len()).unwrap())
}

fn schema(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

#[test]
fn columns_are_what_the_records_have() {
    let records = [
        message(&[("age", int(28)), ("name", text("Alice"))]),
        message(&[("name", text("Bob"))]),
        message(&[("late", Value::List(vec![int(1), int(2)]))]),
    ];
    let table = build(None, &records).unwrap();
    let names: Vec<_> = table.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["age", "name", "late"]);
    let age = table["age"].as_primitive::<Int64Type>();
    assert_eq!(age.iter().collect::<Vec<_>>(), [Some(28), None, None]);
    let name = table["name"].as_string::<i32>();
    assert_eq!(name.iter().collect::<Vec<_>>(), [Some("Alice"), Some("Bob"), None]);
    let late = table["late"].as_list::<i32>();
    assert!(late.is_null(0) && late.is_null(1));
    assert_eq!(late.value(2).as_primitive::<Int64Type>().values(), &[1, 2]);
}

#[test]
fn a_schema_decides_types_and_order() {
    let requested = schema(vec![
        Field::new("name", DataType::LargeUtf8, true),
        Field::new("age", DataType::Int8, true),
    ]);
    let records = [message(&[("age", int(28)), ("name", text("Alice")), ("more", int(1))])];
    let table = build(Some(requested), &records).unwrap();
    assert_eq!(table.num_columns(), 2);
    assert_eq!(table.column(0).as_string::<i64>().value(0), "Alice");
    assert_eq!(table.column(1).as_primitive::<Int8Type>().value(0), 28);
}

#[test]
fn a_value_that_does_not_fit_names_its_row_and_column() {
    let requested = || schema(vec![Field::new("age", DataType::Int8, true)]);
    for (value, class, message) in [
        (int(128), ErrorClass::Overflow, "128 does not fit int8"),
        (text("old"), ErrorClass::Type, "text"),
    ] {
        let records = [message_of_age(int(1)), message_of_age(value)];
        let Err(RowError::Bad(1, column, error)) = build(Some(requested()), &records) else {
            panic!("nothing was refused");
        };
        assert_eq!((column.as_str(), error.class), ("age", class));
        assert!(error.message.contains(message), "{error}");
    }
}

fn message_of_age(value: Value) -> Vec<u8> {
    message(&[("age", value)])
}

#[test]
fn types_do_not_mix_unless_they_may_become_objects() {
    let records = [message_of_age(int(1)), message_of_age(text("old"))];
    assert!(matches!(build(None, &records), Err(RowError::Bad(1, ..))));
    let mut table = TableBuilder::new(None, &ExtraColumns::default(), true, None).unwrap();
    fill(&mut table, &records).unwrap();
    assert!(table.into_columns()[0].is_objects());
}

#[test]
fn keys_and_generations_have_columns_of_their_own() {
    let extra = ExtraColumns {
        key: Some("id".to_owned()),
        generation: Some("version".to_owned()),
        ttl: None,
    };
    let mut table = TableBuilder::new(None, &extra, false, None).unwrap();
    assert!(table.wants_keys());
    fill(&mut table, &[message_of_age(int(1)), message(&[])]).unwrap();
    let table = table.finish(2).unwrap();
    assert_eq!(table["id"].as_primitive::<Int64Type>().values(), &[0, 1]);
    assert_eq!(table["version"].as_primitive::<UInt16Type>().values(), &[3, 3]);
    assert_eq!(table["age"].null_count(), 1);

    let twice = ExtraColumns { key: Some("a".to_owned()), ttl: Some("a".to_owned()), ..extra };
    let error = ExtraColumns::new(twice.key.clone(), None, twice.ttl.clone()).unwrap_err();
    assert!(error.contains("different columns, not \"a\" twice"), "{error}");
    let missing = TableBuilder::new(Some(schema(vec![])), &twice, false, None).unwrap_err();
    assert!(missing.message.contains("the schema has no field \"a\""), "{missing}");
}

#[test]
fn memory_of_a_table_that_is_gone_serves_the_next() {
    let pool = Arc::new(BufferPool::default());
    let long = "x".repeat(10_000);
    let table = |pool: &Arc<BufferPool>| {
        let extra = ExtraColumns::default();
        let mut table = TableBuilder::new(None, &extra, false, Some(pool)).unwrap();
        fill(&mut table, &[message(&[("name", text(&long))])]).unwrap();
        table.finish(1).unwrap()
    };
    let first = table(&pool);
    let at = first["name"].as_string::<i32>().values().as_ptr();
    let second = table(&pool);
    assert_ne!(second["name"].as_string::<i32>().values().as_ptr(), at, "still in use");
    drop(first);
    let third = table(&pool);
    assert_eq!(third["name"].as_string::<i32>().values().as_ptr(), at);
    assert_eq!(third["name"].as_string::<i32>().value(0), long);
}

//! Values in the fields of a structured array.

use spikewire_aerospike_protocol::value::Value;
use spikewire_columns::fixed::{Cell, CellKind, Field};
use spikewire_columns::{ColumnError, ErrorClass, WireValue};

fn write(kind: CellKind, size: usize, value: &WireValue<'_>) -> Result<Vec<u8>, ColumnError> {
    let mut out = vec![0xff; size];
    Cell { kind, size, swapped: false }.write(value, "a field", &mut out)?;
    Ok(out)
}

fn class(kind: CellKind, size: usize, value: &WireValue<'_>) -> ErrorClass {
    write(kind, size, value).unwrap_err().class
}

#[test]
fn numbers_are_written_or_rejected_never_wrapped() {
    use CellKind::{Float, Int, Time, UInt};
    assert_eq!(write(Int, 2, &WireValue::Int(-2)).unwrap(), (-2i16).to_ne_bytes());
    assert_eq!(write(UInt, 1, &WireValue::Int(255)).unwrap(), [255]);
    assert_eq!(write(Float, 4, &WireValue::Int(7)).unwrap(), 7f32.to_ne_bytes());
    for (kind, size, value) in [
        (Int, 1, WireValue::Int(128)),
        (UInt, 8, WireValue::Int(-1)),
        (Int, 8, WireValue::UInt(1 << 63)),
        (Float, 4, WireValue::Float(1e300)),
        (Float, 4, WireValue::Int((1 << 24) + 1)),
        (Time, 8, WireValue::Int(i64::MIN)),
    ] {
        assert_eq!(class(kind, size, &value), ErrorClass::Overflow, "{value:?}");
    }
    assert_eq!(class(Int, 8, &WireValue::Float(1.0)), ErrorClass::Type);
}

#[test]
fn bytes_and_text_are_padded_and_not_cut() {
    use CellKind::{Bytes, Raw, Text};
    assert_eq!(write(Bytes, 4, &WireValue::Bytes(b"ab")).unwrap(), b"ab\0\0");
    assert_eq!(write(Bytes, 4, &WireValue::Text(b"ab")).unwrap(), b"ab\0\0");
    let wide: Vec<u8> = ['ä' as u32, 0].iter().flat_map(|code| code.to_ne_bytes()).collect();
    assert_eq!(write(Text, 8, &WireValue::Text("ä".as_bytes())).unwrap(), wide);
    for (kind, size, value) in [
        (Bytes, 4, WireValue::Bytes(b"abcde")),
        (Bytes, 4, WireValue::Bytes(b"a\0")),
        (Bytes, 4, WireValue::Text("ä".as_bytes())),
        (Text, 4, WireValue::Text(b"ab")),
        (Text, 8, WireValue::Text(b"\xff")),
        (Raw, 4, WireValue::Bytes(b"abc")),
    ] {
        assert_eq!(class(kind, size, &value), ErrorClass::Value, "{value:?}");
    }
}

#[test]
fn numbers_in_the_other_byte_order() {
    let cell = Cell { kind: CellKind::Int, size: 4, swapped: true };
    let mut out = [0; 4];
    cell.write(&WireValue::Int(1), "a field", &mut out).unwrap();
    assert_eq!(i32::from_ne_bytes(out).swap_bytes(), 1);
}

#[test]
fn lists_fill_sub_arrays_of_their_shape() {
    let field = Field {
        name: "grid".to_owned(),
        type_name: "(2,2)u1".to_owned(),
        offset: 1,
        mask: 0,
        cell: Cell { kind: CellKind::UInt, size: 1, swapped: false },
        shape: vec![2, 2],
        count: 4,
    };
    let grid = |rows: &[&[Value]]| {
        let rows = rows.iter().map(|row| Value::List(row.to_vec())).collect();
        let mut packed = Vec::new();
        Value::List(rows).encode(&mut packed);
        packed
    };
    let write = |packed: &[u8]| {
        let (mut data, mut mask) = ([9; 5], [9; 4]);
        let written = field.write(&WireValue::PackedList(packed), &mut data, &mut mask);
        written.map(|()| (data, mask))
    };
    let int = Value::Int;
    let whole = grid(&[&[int(1), int(2)], &[Value::Nil, int(4)]]);
    assert_eq!(write(&whole).unwrap(), ([9, 1, 2, 0, 4], [0, 0, 1, 0]));
    let error = write(&grid(&[&[int(1), int(2)], &[int(3)]])).unwrap_err();
    assert_eq!(error.class, ErrorClass::Value);
    assert!(error.message.starts_with("[1]: a list of 1 where axis 1"), "{error}");
    let error = write(&grid(&[&[int(1), int(2)], &[int(3), int(256)]])).unwrap_err();
    assert!(error.message.starts_with("[1]: [1]: 256 does not fit"), "{error}");
}

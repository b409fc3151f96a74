//! Made-up rows.

use std::net::IpAddr;

use spikewire_cql::response::Column;
use spikewire_cql::types::Type;
use spikewire_cql::value::{Value, encode};

/// Size of a blob in bytes.
pub(crate) const BLOB: usize = 100;

/// The first timestamp, in milliseconds since 1970.
const FIRST_TIME: i64 = 1_700_000_000_000;

/// The value of a column in a row: different in each row, and reproducible.
pub(crate) fn value(column: &Column, row: usize) -> Value {
    let number = row as i64;
    match &column.ty {
        Type::Ascii | Type::Text => Value::Text(format!("{}-{row:07}", column.name)),
        Type::Bigint | Type::Counter => Value::Bigint(number * 1_000_003),
        Type::Blob | Type::Custom(_) => Value::Blob((0..BLOB).map(|at| (row + at) as u8).collect()),
        Type::Boolean => Value::Boolean(row % 2 == 1),
        Type::Double => Value::Double(number as f64 / 4.0),
        Type::Float => Value::Float((row % 1_000_000) as f32 / 4.0),
        Type::Int => Value::Int(row as i32 & i32::MAX),
        Type::Smallint => Value::Smallint((row % 30_000) as i16),
        Type::Tinyint => Value::Tinyint((row % 100) as i8),
        Type::Timestamp => Value::Timestamp(FIRST_TIME + number * 1000),
        Type::Date => Value::Date((row % 20_000) as i32),
        Type::Time => Value::Time(number % 86_400_000 * 1_000_000),
        Type::Uuid => uuid(row, 4),
        Type::Timeuuid => uuid(row, 1),
        Type::Varint | Type::Decimal => Value::Bigint(number),
        Type::Inet => {
            Value::Inet(IpAddr::from([10, (row >> 16) as u8, (row >> 8) as u8, row as u8]))
        }
        Type::List(_) | Type::Set(_) => Value::List(Vec::new()),
        Type::Map(_) => Value::Map(Vec::new()),
        Type::Duration | Type::Tuple(_) | Type::Udt(_) | Type::Vector(_) => Value::Null,
    }
}

fn uuid(row: usize, version: u8) -> Value {
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&(row as u64).to_be_bytes());
    bytes[6] = version << 4;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    Value::Uuid(bytes)
}

/// Appends a cell.
pub(crate) fn put(ty: &Type, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    encode(ty, value, out).map_err(|error| error.to_string())
}

/// Many rows, encoded once.
#[derive(Debug, Default)]
pub(crate) struct Page {
    cells: Vec<u8>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl Page {
    /// This many rows of these columns.
    pub(crate) fn of(columns: &[Column], rows: usize) -> Result<Self, String> {
        let mut page = Self::default();
        for row in 0..rows {
            for column in columns {
                put(&column.ty, &value(column, row), &mut page.cells)?;
            }
            page.ends.push(page.cells.len());
        }
        Ok(page)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The cells of a range of rows.
    pub(crate) fn cells(&self, from: usize, to: usize) -> &[u8] {
        let end = |row: usize| if row == 0 { 0 } else { self.ends[row - 1] };
        &self.cells[end(from)..end(to)]
    }
}

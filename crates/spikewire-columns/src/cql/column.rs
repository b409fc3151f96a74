//! The memory of a column and of its children.

use arrow_buffer::{BooleanBufferBuilder, IntervalMonthDayNano, NullBufferBuilder};
use spikewire_cql::types::Type;

use super::decimals::DecimalValues;

/// A column being filled. Columns are stored in one vector together with their children, each after
/// its parent, and refer to each other by index.
#[derive(Debug)]
pub(super) struct Column {
    pub ty: Type,
    pub valid: NullBufferBuilder,
    pub store: Store,
    /// The column that takes the value after one of this.
    pub next: usize,
}

/// The values of a column.
#[derive(Debug)]
pub(super) enum Store {
    Boolean(BooleanBufferBuilder),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Text or bytes, and where each ends.
    Bytes(Ends, Vec<u8>),
    Uuid(Vec<u8>),
    DecimalValues(DecimalValues),
    Duration(Vec<IntervalMonthDayNano>),
    /// Lists and sets: where each ends among the elements.
    List(Ends, usize),
    /// Maps: where each ends among the entries.
    Map(Ends, [usize; 2]),
    /// Vectors with this many elements.
    Vector(usize, usize),
    Struct(Vec<usize>),
}

/// Where values end; the first begins at 0.
#[derive(Debug)]
pub(super) struct Ends(pub Vec<i64>);

impl Ends {
    pub fn new(rows: usize) -> Self {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Self(ends)
    }

    #[inline]
    pub fn push(&mut self, end: usize) {
        self.0.push(end as i64);
    }

    pub fn last(&self) -> usize {
        self.0.last().map_or(0, |end| *end as usize)
    }
}

impl Column {
    /// Appends a column for `ty` and its children, with capacity for this many rows; returns its
    /// index.
    pub fn add(all: &mut Vec<Self>, ty: &Type, rows: usize) -> usize {
        let at = all.len();
        let store = Store::Struct(vec![]);
        all.push(Self { ty: ty.clone(), valid: NullBufferBuilder::new(rows), store, next: at });
        let store = match ty {
            Type::Boolean => Store::Boolean(BooleanBufferBuilder::new(rows)),
            Type::Tinyint => Store::I8(Vec::with_capacity(rows)),
            Type::Smallint => Store::I16(Vec::with_capacity(rows)),
            Type::Int | Type::Date => Store::I32(Vec::with_capacity(rows)),
            Type::Bigint | Type::Counter | Type::Timestamp | Type::Time => {
                Store::I64(Vec::with_capacity(rows))
            }
            Type::Float => Store::F32(Vec::with_capacity(rows)),
            Type::Double => Store::F64(Vec::with_capacity(rows)),
            Type::Text | Type::Ascii | Type::Inet | Type::Blob | Type::Custom(_) => {
                Store::Bytes(Ends::new(rows), Vec::new())
            }
            Type::Uuid | Type::Timeuuid => Store::Uuid(Vec::with_capacity(rows * 16)),
            Type::Varint | Type::Decimal => Store::DecimalValues(DecimalValues::default()),
            Type::Duration => Store::Duration(Vec::with_capacity(rows)),
            Type::List(element) | Type::Set(element) => {
                Store::List(Ends::new(rows), Self::add(all, element, 0))
            }
            Type::Vector(vector) => {
                // The dimension is announced by a server, so no memory is reserved for it.
                Store::Vector(vector.dimension, Self::add(all, &vector.element, 0))
            }
            Type::Map(entry) => {
                let key = Self::add(all, &entry.0, 0);
                let value = Self::add(all, &entry.1, 0);
                all[key].next = value;
                all[value].next = key;
                Store::Map(Ends::new(rows), [key, value])
            }
            Type::Tuple(types) => Self::fields(all, types.iter(), rows),
            Type::Udt(udt) => Self::fields(all, udt.fields.iter().map(|(_, ty)| ty), rows),
        };
        all[at].store = store;
        at
    }

    fn fields<'a>(
        all: &mut Vec<Self>,
        types: impl Iterator<Item = &'a Type>,
        rows: usize,
    ) -> Store {
        let fields: Vec<usize> = types.map(|ty| Self::add(all, ty, rows)).collect();
        for pair in fields.windows(2) {
            all[pair[0]].next = pair[1];
        }
        Store::Struct(fields)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.valid.len()
    }
}

/// Appends null to a column.
pub(super) fn push_null(all: &mut [Column], at: usize) {
    let column = &mut all[at];
    column.valid.append_null();
    match &mut column.store {
        Store::Boolean(flags) => flags.append(false),
        Store::I8(all) => all.push(0),
        Store::I16(all) => all.push(0),
        Store::I32(all) => all.push(0),
        Store::I64(all) => all.push(0),
        Store::F32(all) => all.push(0.0),
        Store::F64(all) => all.push(0.0),
        Store::Bytes(ends, data) => ends.push(data.len()),
        Store::Uuid(data) => data.extend_from_slice(&[0; 16]),
        Store::DecimalValues(decimals) => decimals.push(0, &[]),
        Store::Duration(all) => all.push(IntervalMonthDayNano::new(0, 0, 0)),
        Store::List(ends, _) | Store::Map(ends, _) => {
            let end = ends.last();
            ends.push(end);
        }
        Store::Vector(dimension, element) => {
            let (dimension, element) = (*dimension, *element);
            (0..dimension).for_each(|_| push_null(all, element));
        }
        Store::Struct(fields) => {
            for field in fields.clone() {
                push_null(all, field);
            }
        }
    }
}

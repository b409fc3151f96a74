//! A column being built: values in, Arrow memory out.

use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder};
use arrow_schema::DataType;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::msgpack::Reader;

use super::number::Numbers;
use crate::error::ColumnError;
use crate::wire_value::{self, WireValue};

/// The non-null values of a column.
#[derive(Debug)]
pub enum Store {
    /// Only nulls so far.
    Empty,
    /// Booleans.
    Bool(BooleanBufferBuilder),
    /// Numbers of one type.
    Numbers(Numbers),
    /// Text or bytes.
    Bytes(Bytes),
    /// Bytes of one size.
    Fixed(usize, Vec<u8>),
    /// Lists of any length, and their items.
    List(Offsets, Box<Column>),
    /// Lists of one length.
    Array(usize, Box<Column>),
    /// Maps: keys and values.
    Map(Offsets, Box<[Column; 2]>),
    /// Maps with known keys: a column per key.
    Struct(Vec<Column>),
    /// Values that fit none of the above; only counted, and left to the caller.
    Objects,
}

/// Text or bytes.
#[derive(Debug)]
pub struct Bytes {
    /// Whether it is text.
    pub text: bool,
    /// Where each value ends.
    pub ends: Offsets,
    /// The bytes of all values.
    pub data: Vec<u8>,
}

/// The end of each value among its items.
#[derive(Debug)]
pub struct Offsets {
    /// 0, followed by the end of each value.
    pub all: Vec<i64>,
    /// The type's limit on the total number of items.
    pub most: i64,
}

impl Offsets {
    /// No values yet; `large` types have 64-bit offsets.
    pub fn new(large: bool) -> Self {
        Self { all: vec![0], most: if large { i64::MAX } else { i32::MAX.into() } }
    }

    fn push(&mut self, items: usize) -> Result<(), ColumnError> {
        let end = self.all[self.all.len() - 1] + items as i64;
        if end > self.most {
            return Err(ColumnError::overflow(
                "the column outgrows its type's 2^31 items: use a large type",
            ));
        }
        self.all.push(end);
        Ok(())
    }

    fn last(&self, len: usize) -> usize {
        self.all[len] as usize
    }
}

/// The position of a value: its row, and how much deeper lists and maps may be nested.
#[derive(Debug, Clone, Copy)]
pub struct Depth {
    /// Its row.
    pub row: usize,
    /// Remaining levels of lists and maps.
    pub depth: usize,
}

impl Depth {
    /// A bin's value in this row.
    pub fn new(row: usize) -> Self {
        Self { row, depth: limits::NESTING }
    }

    fn deeper(self) -> Result<Self, ColumnError> {
        Ok(Self { depth: wire_value::deeper(self.depth)?, ..self })
    }
}

/// A column, possibly nested within another.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The requested type; `None` if the values determine it.
    pub requested: Option<DataType>,
    /// Whether it may have nulls.
    pub nullable: bool,
    /// Whether values of different types become objects instead of an error.
    pub loose: bool,
    /// Its values.
    pub store: Store,
    /// Which rows have a value.
    pub valid: NullBufferBuilder,
    /// The row that determined the type.
    settled: usize,
    /// Memory for bytes, used if the values turn out to be bytes.
    pub memory: Vec<u8>,
}

impl Column {
    /// A column without values.
    pub fn new(name: &str, requested: Option<DataType>, nullable: bool, store: Store) -> Self {
        let valid = NullBufferBuilder::new(0);
        let name = name.to_owned();
        let (loose, settled, memory) = (false, 0, Vec::new());
        Self { name, requested, nullable, loose, store, valid, settled, memory }
    }

    /// A column whose values determine its type, after some nulls.
    pub fn open(name: &str, nulls: usize) -> Self {
        let mut column = Self::new(name, None, true, Store::Empty);
        column.valid.append_n_nulls(nulls);
        column
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    /// Adds a value. If it is a list or map, its contents follow in the reader.
    pub fn push(
        &mut self,
        item: &WireValue<'_>,
        reader: &mut Reader<'_>,
        place: Depth,
    ) -> Result<(), ColumnError> {
        if matches!(item, WireValue::Nil) {
            if !self.nullable {
                return Err(ColumnError::value("no value where the schema wants one"));
            }
            self.null();
            return Ok(());
        }
        if matches!(self.store, Store::Empty) && self.requested.is_none() {
            self.settle(item, place.row);
        }
        match *item {
            WireValue::PackedList(bytes) | WireValue::PackedMap(bytes) if !self.is_objects() => {
                let (head, mut reader) = wire_value::open(bytes)?;
                self.push(&head, &mut reader, place)?;
                // The contents of objects are not checked.
                if !self.is_objects() {
                    wire_value::close(&reader)?;
                }
            }
            _ => {
                if !self.value(item, reader, place)? {
                    self.mismatch(item)?;
                }
                self.valid.append_non_null();
            }
        }
        Ok(())
    }

    /// Whether its values do not fit a column of one type.
    pub fn is_objects(&self) -> bool {
        matches!(self.store, Store::Objects)
    }

    /// Chooses the store according to the first value.
    fn settle(&mut self, item: &WireValue<'_>, row: usize) {
        self.settled = row;
        let len = self.len();
        let list = || Offsets { all: vec![0; len + 1], most: i32::MAX.into() };
        self.store = match item {
            _ if self.loose && !item.is_plain() => Store::Objects,
            WireValue::Bool(_) => {
                let mut flags = BooleanBufferBuilder::new(len + 1);
                flags.append_n(len, false);
                Store::Bool(flags)
            }
            WireValue::Int(_) | WireValue::UInt(_) => Store::Numbers(Numbers::I64(vec![0; len])),
            WireValue::Float(_) => Store::Numbers(Numbers::F64(vec![0.0; len])),
            WireValue::Text(_) | WireValue::GeoJson(_) => {
                let data = std::mem::take(&mut self.memory);
                Store::Bytes(Bytes { text: true, ends: list(), data })
            }
            WireValue::Bytes(_) | WireValue::Hll(_) => {
                let data = std::mem::take(&mut self.memory);
                Store::Bytes(Bytes { text: false, ends: list(), data })
            }
            WireValue::List(_) | WireValue::PackedList(_) => {
                Store::List(list(), Box::new(Self::open("item", 0)))
            }
            WireValue::Map(_) | WireValue::PackedMap(_) => {
                let mut pair = [Self::open("key", 0), Self::open("value", 0)];
                pair[0].nullable = false;
                Store::Map(list(), Box::new(pair))
            }
            WireValue::Nil => Store::Empty,
        };
    }

    /// Stores a value; `false` if it is of another kind.
    fn value(
        &mut self,
        item: &WireValue<'_>,
        reader: &mut Reader<'_>,
        place: Depth,
    ) -> Result<bool, ColumnError> {
        match (&mut self.store, *item) {
            (Store::Numbers(numbers), _) => return numbers.push(item),
            (Store::Bool(flags), WireValue::Bool(flag)) => flags.append(flag),
            (Store::Bytes(out), WireValue::Text(bytes) | WireValue::GeoJson(bytes)) => {
                if out.text && std::str::from_utf8(bytes).is_err() {
                    if self.loose {
                        return Ok(false);
                    }
                    return Err(ColumnError::value(
                        "text that is not valid UTF-8: ask for binary in a schema",
                    ));
                }
                // A column requested as binary also takes text.
                if !out.text && self.requested.is_none() {
                    return Ok(false);
                }
                out.ends.push(bytes.len())?;
                out.data.extend_from_slice(bytes);
            }
            (Store::Bytes(out), WireValue::Bytes(bytes) | WireValue::Hll(bytes)) if !out.text => {
                out.ends.push(bytes.len())?;
                out.data.extend_from_slice(bytes);
            }
            (Store::Fixed(size, data), WireValue::Bytes(bytes) | WireValue::Hll(bytes)) => {
                if bytes.len() != *size {
                    return Err(ColumnError::value(format!(
                        "{} bytes where the schema wants {size}",
                        bytes.len()
                    )));
                }
                data.extend_from_slice(bytes);
            }
            (Store::List(ends, child), WireValue::List(count)) => {
                ends.push(count as usize)?;
                child.items(count, reader, place)?;
            }
            (Store::Array(size, child), WireValue::List(count)) => {
                if count as usize != *size {
                    return Err(ColumnError::value(format!(
                        "a list of {count} where the schema wants {size}"
                    )));
                }
                child.items(count, reader, place)?;
            }
            (Store::Map(ends, pair), WireValue::Map(count)) => {
                ends.push(count as usize)?;
                let place = place.deeper()?;
                for at in 0..count {
                    for (side, column) in ["key", "value"].into_iter().zip(pair.iter_mut()) {
                        let item = WireValue::next(reader)?;
                        let pushed = column.push(&item, reader, place);
                        pushed.map_err(|error| error.within(&format!("{side} {at}")))?;
                    }
                }
            }
            (Store::Struct(fields), WireValue::Map(count)) => {
                members(fields, count, reader, place)?;
            }
            (Store::Objects, _) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn items(
        &mut self,
        count: u32,
        reader: &mut Reader<'_>,
        place: Depth,
    ) -> Result<(), ColumnError> {
        let place = place.deeper()?;
        for at in 0..count {
            let item = WireValue::next(reader)?;
            let pushed = self.push(&item, reader, place);
            pushed.map_err(|error| error.within(&format!("[{at}]")))?;
        }
        Ok(())
    }

    /// Handles a value of another kind than the column.
    fn mismatch(&mut self, item: &WireValue<'_>) -> Result<(), ColumnError> {
        if self.loose {
            self.store = Store::Objects;
            return Ok(());
        }
        Err(ColumnError::kind(match &self.requested {
            Some(requested) => format!("{} does not go into {requested}", item.name()),
            None => format!(
                "{} where row {} has {}: one column has one type; name it in a schema, or leave \
                 the bin out",
                item.name(),
                self.settled,
                self.store.name()
            ),
        }))
    }

    /// Adds a null, even if the schema does not allow one, since it may be below a null parent.
    pub fn null(&mut self) {
        match &mut self.store {
            Store::Empty | Store::Objects => {}
            Store::Bool(flags) => flags.append(false),
            Store::Numbers(numbers) => numbers.zero(),
            Store::Bytes(Bytes { ends, .. }) | Store::List(ends, _) | Store::Map(ends, _) => {
                let end = ends.all[ends.all.len() - 1];
                ends.all.push(end);
            }
            Store::Fixed(size, data) => data.resize(data.len() + *size, 0),
            Store::Array(size, child) => (0..*size).for_each(|_| child.null()),
            Store::Struct(fields) => fields.iter_mut().for_each(Self::null),
        }
        self.valid.append_null();
    }

    /// Drops everything after the first `len` values.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        match &mut self.store {
            Store::Empty | Store::Objects => {}
            Store::Bool(flags) => flags.truncate(len),
            Store::Numbers(numbers) => numbers.truncate(len),
            Store::Bytes(Bytes { ends, data, .. }) => {
                ends.all.truncate(len + 1);
                data.truncate(ends.last(len));
            }
            Store::Fixed(size, data) => data.truncate(len * *size),
            Store::List(ends, child) => {
                ends.all.truncate(len + 1);
                child.truncate(ends.last(len));
            }
            Store::Array(size, child) => child.truncate(len * *size),
            Store::Map(ends, pair) => {
                ends.all.truncate(len + 1);
                pair.iter_mut().for_each(|column| column.truncate(ends.last(len)));
            }
            Store::Struct(fields) => fields.iter_mut().for_each(|field| field.truncate(len)),
        }
        self.valid.truncate(len);
    }
}

/// Stores the pairs of a map in the fields of a struct; keys without a field are left out.
fn members(
    fields: &mut [Column],
    count: u32,
    reader: &mut Reader<'_>,
    place: Depth,
) -> Result<(), ColumnError> {
    let place = place.deeper()?;
    let len = fields.first().map_or(0, Column::len);
    for _ in 0..count {
        let WireValue::Text(key) = WireValue::next(reader)? else {
            return Err(ColumnError::kind(
                "a map with keys that are no text does not go into a struct",
            ));
        };
        let item = WireValue::next(reader)?;
        match fields.iter_mut().find(|field| field.name.as_bytes() == key) {
            Some(field) if field.len() == len => {
                let pushed = field.push(&item, reader, place);
                let within = format!("[{:?}]", field.name);
                pushed.map_err(|error| error.within(&within))?;
            }
            Some(field) => {
                return Err(ColumnError::value(format!("duplicate key {:?}", field.name)));
            }
            None => item.skip(reader, place.depth)?,
        }
    }
    for field in fields.iter_mut().filter(|field| field.len() == len) {
        if !field.nullable {
            return Err(ColumnError::value(format!(
                "[{:?}]: no value where the schema wants one",
                field.name
            )));
        }
        field.null();
    }
    Ok(())
}

impl Store {
    /// What its values are called in messages.
    fn name(&self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Bool(_) => "a bool",
            Self::Numbers(Numbers::F32(_) | Numbers::F64(_)) => "a float",
            Self::Numbers(_) => "an integer",
            Self::Bytes(bytes) if bytes.text => "text",
            Self::Bytes(_) | Self::Fixed(..) => "a byte string",
            Self::List(..) | Self::Array(..) => "a list",
            Self::Map(..) | Self::Struct(_) => "a map",
            Self::Objects => "objects",
        }
    }
}

//! A value on the wire as columns read it: borrowed, with containers still packed.

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::message::{Header, Walk};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::query::Row;
use spikewire_aerospike_protocol::value::{
    geojson_text, particle as kind, read_bool, read_float, read_int,
};

use crate::error::RowError;

/// The value of a bin, or within a list or map.
#[derive(Debug, Clone, Copy)]
pub enum WireValue<'a> {
    /// No value.
    Nil,
    /// True or false.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// 2^63 or more, which other clients can write into lists and maps.
    UInt(u64),
    /// A 64-bit float.
    Float(f64),
    /// Text, not validated as UTF-8.
    Text(&'a [u8]),
    /// A byte string.
    Bytes(&'a [u8]),
    /// The text of a GeoJSON value.
    GeoJson(&'a [u8]),
    /// A HyperLogLog sketch.
    Hll(&'a [u8]),
    /// A list bin that was not opened.
    PackedList(&'a [u8]),
    /// A map bin that was not opened.
    PackedMap(&'a [u8]),
    /// A list whose items follow in the reader.
    List(u32),
    /// A map whose pairs follow in the reader.
    Map(u32),
}

/// The parts of a query's row, as builders of columns take them: header, bins and user key.
#[inline]
pub fn stored_row<'a>(
    row: &Row<'a>,
    number: usize,
) -> Result<(Header, Walk<'a>, Option<WireValue<'a>>), RowError> {
    let header = Header { generation: row.generation, ttl: row.void_time, ..Header::default() };
    let key = row.key.and_then(<[u8]>::split_first);
    let key = key.map(|(of, key)| WireValue::of_bin(*of, key)).transpose();
    let key = key.map_err(|error| RowError::Bad(number, String::new(), error.into()))?;
    Ok((header, Walk::over(row.ops, row.op_count), key))
}

impl<'a> WireValue<'a> {
    /// The value of a bin.
    #[inline]
    pub fn of_bin(of: u8, bytes: &'a [u8]) -> Result<Self, Malformed> {
        Ok(match of {
            kind::INTEGER => Self::Int(read_int(bytes)?),
            kind::FLOAT => Self::Float(read_float(bytes)?),
            kind::STRING => Self::Text(bytes),
            kind::NULL => Self::Nil,
            kind::BOOL => Self::Bool(read_bool(bytes)?),
            kind::GEOJSON => Self::GeoJson(geojson_text(bytes)?),
            kind::HLL => Self::Hll(bytes),
            kind::LIST => Self::PackedList(bytes),
            kind::MAP => Self::PackedMap(bytes),
            // Blobs, and types without a better representation.
            _ => Self::Bytes(bytes),
        })
    }

    /// The next value in a list or map. Order flags are skipped and not counted.
    pub fn next(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(match reader.next()? {
            Token::Nil => Self::Nil,
            Token::Bool(flag) => Self::Bool(flag),
            Token::Int(int) => Self::Int(int),
            Token::UInt(int) => Self::UInt(int),
            Token::Float(float) => Self::Float(float),
            Token::Bytes(kind::STRING, bytes) => Self::Text(bytes),
            Token::Bytes(kind::GEOJSON, bytes) => Self::GeoJson(bytes),
            Token::Bytes(kind::HLL, bytes) => Self::Hll(bytes),
            Token::Bytes(_, bytes) | Token::Ext(_, bytes) => Self::Bytes(bytes),
            Token::Array(count) => {
                let flags = count > 0 && reader.skip_flags();
                Self::List(count - u32::from(flags))
            }
            Token::Map(count) => {
                let flags = count > 0 && reader.skip_flags();
                if flags {
                    reader.next()?;
                }
                Self::Map(count - u32::from(flags))
            }
        })
    }

    /// Skips its contents, up to the maximum nesting of lists and maps.
    pub fn skip(&self, reader: &mut Reader<'a>, depth: usize) -> Result<(), Malformed> {
        let count = match *self {
            Self::List(count) => u64::from(count),
            Self::Map(count) => 2 * u64::from(count),
            _ => return Ok(()),
        };
        let depth = deeper(depth)?;
        for _ in 0..count {
            Self::next(reader)?.skip(reader, depth)?;
        }
        Ok(())
    }

    /// Whether it is neither a byte string nor a container.
    pub fn is_plain(&self) -> bool {
        matches!(
            self,
            Self::Bool(_) | Self::Int(_) | Self::UInt(_) | Self::Float(_) | Self::Text(_)
        )
    }

    /// What it is called in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nil => "nothing",
            Self::Bool(_) => "a bool",
            Self::Int(_) | Self::UInt(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "text",
            Self::Bytes(_) => "a byte string",
            Self::GeoJson(_) => "GeoJSON",
            Self::Hll(_) => "a HyperLogLog",
            Self::List(_) | Self::PackedList(_) => "a list",
            Self::Map(_) | Self::PackedMap(_) => "a map",
        }
    }
}

/// The remaining depth within a list or map.
pub fn deeper(depth: usize) -> Result<usize, Malformed> {
    depth.checked_sub(1).ok_or(Malformed::new("list or map", "nested too deep"))
}

/// Opens a packed list or map; returns its header, and a reader for its contents.
pub fn open(bytes: &[u8]) -> Result<(WireValue<'_>, Reader<'_>), Malformed> {
    let mut reader = Reader::new(bytes);
    Ok((WireValue::next(&mut reader)?, reader))
}

/// Checks that nothing follows a list or map in its bin.
pub fn close(reader: &Reader<'_>) -> Result<(), Malformed> {
    if reader.is_at_end() {
        return Ok(());
    }
    Err(Malformed::new("list or map", "bytes after its end"))
}

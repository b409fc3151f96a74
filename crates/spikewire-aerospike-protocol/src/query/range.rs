//! The index range of a query (field 22), and the index it refers to.
//!
//! `ranges u8 = 1, name length u8, bin name, particle u8, length u32, begin, length u32, end`.

use crate::Malformed;
use crate::limits;
use crate::value::particle;

/// Which part of a bin is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Collection {
    /// The bin's value.
    #[default]
    Value = 0,
    /// Each element of a list.
    List = 1,
    /// Each key of a map.
    MapKeys = 2,
    /// Each value of a map.
    MapValues = 3,
}

impl Collection {
    /// The collection type with this wire number.
    pub fn from_wire(number: u8) -> Option<Self> {
        [Self::Value, Self::List, Self::MapKeys, Self::MapValues].get(usize::from(number)).copied()
    }

    /// The name in info commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "default",
            Self::List => "list",
            Self::MapKeys => "mapkeys",
            Self::MapValues => "mapvalues",
        }
    }
}

/// The range of values to look up in an index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Range {
    /// Integers from the first to the second, both inclusive.
    Int(i64, i64),
    /// This string.
    Str(String),
    /// These bytes.
    Blob(Vec<u8>),
    /// `GeoJSON`: a region selects the points within it, a point the regions around it.
    Geo(String),
}

impl Range {
    /// The particle type of the indexed values.
    pub fn particle(&self) -> u8 {
        match self {
            Self::Int(..) => particle::INTEGER,
            Self::Str(_) => particle::STRING,
            Self::Blob(_) => particle::BLOB,
            Self::Geo(_) => particle::GEOJSON,
        }
    }

    /// Appends the data of field 22 for this bin (empty if the index is identified otherwise).
    pub fn encode(&self, bin: &str, out: &mut Vec<u8>) {
        debug_assert!(bin.len() <= limits::BIN_NAME, "callers check the bin's name");
        out.extend_from_slice(&[1, bin.len() as u8]);
        out.extend_from_slice(bin.as_bytes());
        out.push(self.particle());
        let mut put = |bytes: &[u8]| {
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.extend_from_slice(bytes);
        };
        match self {
            Self::Int(begin, end) => {
                put(&begin.to_be_bytes());
                put(&end.to_be_bytes());
            }
            Self::Str(text) | Self::Geo(text) => {
                put(text.as_bytes());
                put(text.as_bytes());
            }
            Self::Blob(bytes) => {
                put(bytes);
                put(bytes);
            }
        }
    }

    /// Reads the data of field 22: the bin's name and the range.
    pub fn decode(data: &[u8]) -> Result<(&str, Self), Malformed> {
        let fail = |why| Malformed::new("index range", why);
        let short = || fail("cut short");
        let (&[count, name], rest) = data.split_first_chunk().ok_or_else(short)?;
        if count != 1 {
            return Err(fail("not one range"));
        }
        let (name, rest) = rest.split_at_checked(usize::from(name)).ok_or_else(short)?;
        let name = std::str::from_utf8(name).map_err(|_| fail("bin name is not UTF-8"))?;
        if name.len() > limits::BIN_NAME {
            return Err(fail("bin name too long"));
        }
        let (&kind, rest) = rest.split_first().ok_or_else(short)?;
        let (begin, rest) = bytes(rest).ok_or_else(short)?;
        let text = || {
            let text = std::str::from_utf8(begin).map_err(|_| fail("text is not UTF-8"));
            text.map(str::to_owned)
        };
        let range = match kind {
            particle::INTEGER => {
                let (end, _) = bytes(rest).ok_or_else(short)?;
                let int = |bytes: &[u8]| bytes.try_into().map(i64::from_be_bytes);
                let both = (int(begin), int(end));
                let (Ok(begin), Ok(end)) = both else { return Err(fail("not 8-byte integers")) };
                if begin > end {
                    return Err(fail("begins after its end"));
                }
                Self::Int(begin, end)
            }
            // The end is unused for types that are only compared for equality, and may be missing.
            particle::STRING => Self::Str(text()?),
            particle::BLOB => Self::Blob(begin.to_owned()),
            particle::GEOJSON => Self::Geo(text()?),
            _ => return Err(fail("a type that is never indexed")),
        };
        Ok((name, range))
    }
}

fn bytes(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = data.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*len) as usize)
}

/// How a query identifies its index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// By bin.
    Bin(String),
    /// By name.
    Name(String),
    /// By expression, in its wire form.
    Expression(Vec<u8>),
}

/// An index and the range to look up in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Index {
    /// Which index.
    pub subject: Subject,
    /// Which part is indexed.
    pub collection: Collection,
    /// The path to a nested list or map, in its wire form.
    pub context: Option<Vec<u8>>,
    /// The range of values.
    pub range: Range,
}

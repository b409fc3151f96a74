//! Ranges of secondary indexes.

use spikewire_aerospike::command::check_index_bin;
use spikewire_aerospike::query::check_index;
use spikewire_aerospike_protocol::query::{Index, Range, Subject};

pub use spikewire_aerospike_protocol::query::Collection;

use crate::Result;
use crate::aerospike::expression::Expression;
use crate::aerospike::step::{self, Step};

/// The secondary index of a query, or what a new one is on. A string is the name of a bin.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum IndexOn {
    /// By bin.
    Bin(String),
    /// By name, which includes indexes on nested values.
    Name(String),
    /// By expression.
    Expression(Expression),
}

impl From<&str> for IndexOn {
    fn from(bin: &str) -> Self {
        Self::Bin(bin.to_owned())
    }
}

impl From<String> for IndexOn {
    fn from(bin: String) -> Self {
        Self::Bin(bin)
    }
}

impl IndexOn {
    pub(crate) fn subject(&self) -> Result<Subject> {
        Ok(match self {
            Self::Bin(bin) => {
                check_index_bin(bin)?;
                Subject::Bin(bin.clone())
            }
            Self::Name(name) => Subject::Name(name.clone()),
            Self::Expression(expression) => Subject::Expression(expression.value()?),
        })
    }
}

/// A range of values of a secondary index.
///
/// ```
/// use spikewire::{Collection, IndexRange};
///
/// let twens = IndexRange::between("age", 20, 29);
/// let tagged = IndexRange::equal("tags", "new").of(Collection::List);
/// # assert_ne!(twens, tagged);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRange {
    on: IndexOn,
    path: Vec<Step>,
    collection: Collection,
    range: Range,
}

impl IndexRange {
    fn new(on: impl Into<IndexOn>, range: Range) -> Self {
        Self { on: on.into(), path: Vec::new(), collection: Collection::Value, range }
    }

    /// Integers from `low` to `high`, both inclusive.
    pub fn between(on: impl Into<IndexOn>, low: i64, high: i64) -> Self {
        Self::new(on, Range::Int(low, high))
    }

    /// An integer, a string or bytes (below 2 KiB).
    pub fn equal(on: impl Into<IndexOn>, value: impl Into<IndexValue>) -> Self {
        Self::new(on, value.into().0)
    }

    /// Lists or maps that contain this element, key or value; `of` says which.
    pub fn contains(on: impl Into<IndexOn>, value: impl Into<IndexValue>, of: Collection) -> Self {
        Self::equal(on, value).of(of)
    }

    /// Points within a region, given as `GeoJSON` text.
    pub fn within(on: impl Into<IndexOn>, region: impl Into<String>) -> Self {
        Self::new(on, Range::Geo(region.into()))
    }

    /// Regions around a point, given as `GeoJSON` text.
    pub fn around(on: impl Into<IndexOn>, point: impl Into<String>) -> Self {
        Self::new(on, Range::Geo(point.into()))
    }

    /// Which part of a bin is indexed, if not its value.
    #[must_use]
    pub fn of(mut self, of: Collection) -> Self {
        self.collection = of;
        self
    }

    /// The path within a list or map of the bin with which the index was created.
    #[must_use]
    pub fn ctx(mut self, path: impl IntoIterator<Item = Step>) -> Self {
        self.path = path.into_iter().collect();
        self
    }

    /// Converts the range for the request.
    pub(crate) fn index(&self) -> Result<Index> {
        let index = Index {
            subject: self.on.subject()?,
            collection: self.collection,
            context: step::packed(&self.path)?,
            range: self.range.clone(),
        };
        check_index(&index)?;
        Ok(index)
    }
}

/// A value to look up in an index: an integer, a string or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexValue(Range);

macro_rules! index_values {
    ($($source:ty => $make:expr;)*) => {
        $(impl From<$source> for IndexValue {
            fn from(value: $source) -> Self {
                let make: fn($source) -> Range = $make;
                Self(make(value))
            }
        })*
    };
}

index_values! {
    i64 => |int| Range::Int(int, int);
    i32 => |int| Range::Int(int.into(), int.into());
    u32 => |int| Range::Int(int.into(), int.into());
    &str => |text| Range::Str(text.to_owned());
    String => Range::Str;
    &[u8] => |bytes| Range::Blob(bytes.to_owned());
    Vec<u8> => Range::Blob;
}

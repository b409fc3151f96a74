//! Types of values.

use crate::value::particle;

/// Types of values, with their wire numbers in expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// No value.
    Nil = 0,
    /// True or false.
    Bool = 1,
    /// 64-bit signed integer.
    Int = 2,
    /// Text.
    Str = 3,
    /// List.
    List = 4,
    /// Map.
    Map = 5,
    /// Raw bytes.
    Blob = 6,
    /// 64-bit float.
    Float = 7,
    /// `GeoJSON`.
    Geo = 8,
    /// `HyperLogLog` sketch.
    Hll = 9,
}

impl Type {
    /// All types, ordered by number.
    pub const ALL: [Self; 10] = [
        Self::Nil,
        Self::Bool,
        Self::Int,
        Self::Str,
        Self::List,
        Self::Map,
        Self::Blob,
        Self::Float,
        Self::Geo,
        Self::Hll,
    ];

    /// The type with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }

    /// The particle type that bins of this type are stored as.
    pub fn particle(self) -> u8 {
        match self {
            Self::Nil => particle::NULL,
            Self::Bool => particle::BOOL,
            Self::Int => particle::INTEGER,
            Self::Str => particle::STRING,
            Self::List => particle::LIST,
            Self::Map => particle::MAP,
            Self::Blob => particle::BLOB,
            Self::Float => particle::FLOAT,
            Self::Geo => particle::GEOJSON,
            Self::Hll => particle::HLL,
        }
    }

    /// The name in text expressions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nil => "NIL",
            Self::Bool => "BOOL",
            Self::Int => "INT",
            Self::Str => "STRING",
            Self::List => "LIST",
            Self::Map => "MAP",
            Self::Blob => "BLOB",
            Self::Float => "FLOAT",
            Self::Geo => "GEO",
            Self::Hll => "HLL",
        }
    }

    /// The type with this name in text expressions.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

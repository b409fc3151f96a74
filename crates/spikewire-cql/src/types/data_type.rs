//! The type of a column or of a bind marker.

use std::sync::Arc;

/// Maximum nesting of types when they are read; deeper ones are malformed or, as class names,
/// opaque.
pub const DEEPEST: usize = 64;

/// The type of a column or of a bind marker. Cheap to clone.
///
/// Clients do not know whether a type is frozen; it makes no difference to its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// ASCII text.
    Ascii,
    /// A 64-bit integer.
    Bigint,
    /// Bytes.
    Blob,
    /// True or false.
    Boolean,
    /// A 64-bit integer that can only be incremented and decremented.
    Counter,
    /// An arbitrary-precision decimal number.
    Decimal,
    /// A 64-bit float.
    Double,
    /// A 32-bit float.
    Float,
    /// A 32-bit integer.
    Int,
    /// Milliseconds since 1970.
    Timestamp,
    /// A UUID of any version.
    Uuid,
    /// UTF-8 text.
    Text,
    /// An arbitrary-precision integer.
    Varint,
    /// A version 1 UUID.
    Timeuuid,
    /// An IPv4 or IPv6 address.
    Inet,
    /// A day.
    Date,
    /// Nanoseconds since midnight.
    Time,
    /// A 16-bit integer.
    Smallint,
    /// An 8-bit integer.
    Tinyint,
    /// Months, days and nanoseconds.
    Duration,
    /// A list with this element type.
    List(Arc<Type>),
    /// A set with this element type.
    Set(Arc<Type>),
    /// A map with these key and value types.
    Map(Arc<(Type, Type)>),
    /// A tuple with these component types.
    Tuple(Arc<[Type]>),
    /// A user-defined type.
    Udt(Arc<Udt>),
    /// A vector with an element type and a fixed number of elements.
    Vector(Arc<Vector>),
    /// A server class that has no CQL spelling. Its values are opaque bytes.
    Custom(Arc<str>),
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Udt {
    /// Its keyspace.
    pub keyspace: String,
    /// Its name as stored, without quotes.
    pub name: String,
    /// Names and types of its fields, in order.
    pub fields: Vec<(String, Type)>,
}

impl Udt {
    /// Whether it has a field of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }
}

/// A vector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Vector {
    /// The element type.
    pub element: Type,
    /// The number of elements; never 0 in a type that was read.
    pub dimension: usize,
}

impl Type {
    /// A list.
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// A set.
    pub fn set(element: Self) -> Self {
        Self::Set(Arc::new(element))
    }

    /// A map.
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// A tuple.
    pub fn tuple(components: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(components.into_iter().collect())
    }

    /// A vector.
    pub fn vector(element: Self, dimension: usize) -> Self {
        Self::Vector(Arc::new(Vector { element, dimension }))
    }

    /// The size in bytes of every value of this type that is neither null nor empty; `None` if it
    /// depends on the value.
    pub fn width(&self) -> Option<usize> {
        match self {
            Self::Boolean | Self::Tinyint => Some(1),
            Self::Smallint => Some(2),
            Self::Int | Self::Float | Self::Date => Some(4),
            Self::Bigint | Self::Counter | Self::Double | Self::Timestamp | Self::Time => Some(8),
            Self::Uuid | Self::Timeuuid => Some(16),
            Self::Vector(vector) => vector.width(),
            _ => None,
        }
    }

    /// The size in bytes of an element of this type in a vector whose elements have no length
    /// prefix. This follows the server's notion of fixed length, which leaves out some short types.
    pub fn width_in_vector(&self) -> Option<usize> {
        match self {
            Self::Tinyint | Self::Smallint | Self::Date | Self::Time | Self::Counter => None,
            other => other.width(),
        }
    }

    /// Whether zero bytes are a separate value, "empty", which is not null. For text and bytes they
    /// are an ordinary value instead.
    pub fn allows_empty(&self) -> bool {
        matches!(
            self,
            Self::Bigint
                | Self::Boolean
                | Self::Counter
                | Self::Decimal
                | Self::Double
                | Self::Float
                | Self::Int
                | Self::Timestamp
                | Self::Uuid
                | Self::Varint
                | Self::Timeuuid
                | Self::Inet
        )
    }

    /// The CQL name of a type without parameters.
    pub fn native_name(&self) -> Option<&'static str> {
        NATIVE.iter().find(|(ty, ..)| ty == self).map(|(_, name, ..)| *name)
    }
}

impl Vector {
    /// The size in bytes of a value, if it is the same for all.
    pub fn width(&self) -> Option<usize> {
        self.element.width_in_vector()?.checked_mul(self.dimension)
    }
}

/// Every type without parameters: its CQL name, its id in an `[option]` and its class.
pub(super) const NATIVE: [(Type, &str, u16, &str); 20] = [
    (Type::Ascii, "ascii", 0x01, "AsciiType"),
    (Type::Bigint, "bigint", 0x02, "LongType"),
    (Type::Blob, "blob", 0x03, "BytesType"),
    (Type::Boolean, "boolean", 0x04, "BooleanType"),
    (Type::Counter, "counter", 0x05, "CounterColumnType"),
    (Type::Decimal, "decimal", 0x06, "DecimalType"),
    (Type::Double, "double", 0x07, "DoubleType"),
    (Type::Float, "float", 0x08, "FloatType"),
    (Type::Int, "int", 0x09, "Int32Type"),
    (Type::Timestamp, "timestamp", 0x0b, "TimestampType"),
    (Type::Uuid, "uuid", 0x0c, "UUIDType"),
    (Type::Text, "text", 0x0d, "UTF8Type"),
    (Type::Varint, "varint", 0x0e, "IntegerType"),
    (Type::Timeuuid, "timeuuid", 0x0f, "TimeUUIDType"),
    (Type::Inet, "inet", 0x10, "InetAddressType"),
    (Type::Date, "date", 0x11, "SimpleDateType"),
    (Type::Time, "time", 0x12, "TimeType"),
    (Type::Smallint, "smallint", 0x13, "ShortType"),
    (Type::Tinyint, "tinyint", 0x14, "ByteType"),
    (Type::Duration, "duration", 0x15, "DurationType"),
];

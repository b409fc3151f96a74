//! The type of a column or of a bind marker.

use std::sync::Arc;

/// How deep types may be nested when they are read; deeper ones are malformed or, as class names,
/// opaque.
pub const DEEPEST: usize = 64;

/// The type of a column or of a bind marker. Cheap to clone.
///
/// Whether a type is frozen is not known to clients and makes no difference to its values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Text of ASCII characters.
    Ascii,
    /// An integer of 64 bits.
    Bigint,
    /// Bytes.
    Blob,
    /// True or false.
    Boolean,
    /// An integer of 64 bits that can only be added to.
    Counter,
    /// A decimal number of any size.
    Decimal,
    /// A float of 64 bits.
    Double,
    /// A float of 32 bits.
    Float,
    /// An integer of 32 bits.
    Int,
    /// Milliseconds since 1970.
    Timestamp,
    /// A UUID of any version.
    Uuid,
    /// Text in UTF-8.
    Text,
    /// An integer of any size.
    Varint,
    /// A UUID of version 1.
    Timeuuid,
    /// An IP address, version 4 or 6.
    Inet,
    /// A day.
    Date,
    /// Nanoseconds since midnight.
    Time,
    /// An integer of 16 bits.
    Smallint,
    /// An integer of 8 bits.
    Tinyint,
    /// Months, days and nanoseconds.
    Duration,
    /// A list of elements of one type.
    List(Arc<Type>),
    /// A set of elements of one type.
    Set(Arc<Type>),
    /// A map: the types of its keys and of its values.
    Map(Arc<(Type, Type)>),
    /// A tuple: the types of its components.
    Tuple(Arc<[Type]>),
    /// A user-defined type.
    Udt(Arc<Udt>),
    /// A vector of one type and a fixed number of elements.
    Vector(Arc<Vector>),
    /// A class of the server that has no spelling in CQL. Its values are opaque bytes.
    Custom(Arc<str>),
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Udt {
    /// The keyspace that it lives in.
    pub keyspace: String,
    /// Its name, as it is stored: without quotes.
    pub name: String,
    /// The names and types of its fields, in their order.
    pub fields: Vec<(String, Type)>,
}

/// A vector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Vector {
    /// The type of its elements.
    pub element: Type,
    /// The number of its elements; never 0 in a type that was read.
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

    /// The number of bytes that every value of this type has which is neither null nor empty; `None`
    /// where it depends on the value.
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

    /// The number of bytes that an element of this type has in a vector where elements stand without
    /// their lengths. That is the server's idea of "fixed", which leaves out some short types.
    pub fn width_in_vector(&self) -> Option<usize> {
        match self {
            Self::Tinyint | Self::Smallint | Self::Date | Self::Time | Self::Counter => None,
            other => other.width(),
        }
    }

    /// Whether a value of no bytes is a value of its own, "empty", which is neither null nor, as it
    /// is for text and bytes, an ordinary value.
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

    /// The name in CQL of a type without parameters.
    pub fn native_name(&self) -> Option<&'static str> {
        NATIVE.iter().find(|(ty, ..)| ty == self).map(|(_, name, ..)| *name)
    }
}

impl Vector {
    /// The number of bytes of a value, where all have the same.
    pub fn width(&self) -> Option<usize> {
        self.element.width_in_vector()?.checked_mul(self.dimension)
    }
}

/// Every type without parameters: its name in CQL, its id in an `[option]` and its class.
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

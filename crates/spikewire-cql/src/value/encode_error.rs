//! Why a value cannot be sent, and where in it the problem is.

use std::borrow::Cow;
use std::fmt;

use crate::types::Type;

/// A value that its type does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError {
    /// Where the problem is.
    pub place: Place,
    /// The type at that place.
    pub ty: Type,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Its kind is wrong, such as text instead of a number.
    Kind {
        /// The value, abbreviated.
        value: String,
    },
    /// The type cannot represent it: a number, a point in time or the like.
    Range {
        /// The value, abbreviated.
        value: String,
    },
    /// Null within a collection.
    Null,
    /// Not set, within another value.
    Unset,
    /// Empty, for a type without an empty value.
    Empty,
    /// Text with a non-ASCII character.
    NotAscii,
    /// The wrong number of elements of a vector, or too many components of a tuple.
    Count {
        /// How many there are.
        count: usize,
        /// How many there may be.
        expected: usize,
    },
    /// A field that the user-defined type does not have.
    UnknownField {
        /// Its name.
        name: String,
    },
    /// More bytes or elements than the protocol supports.
    TooLong {
        /// Their number.
        len: usize,
    },
    /// Something else, as a sentence.
    Invalid(Cow<'static, str>),
}

/// A place within a value: `items[3].name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// From innermost to outermost.
    inside_out: Vec<Step>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The column or bind marker with this name.
    Column(String),
    /// The element of a list, set, vector or tuple with this index.
    Index(usize),
    /// The map entry with this key (abbreviated).
    Key(String),
    /// The field of a user-defined type.
    Field(String),
}

impl Place {
    /// The steps, from the outermost.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.inside_out.iter().rev()
    }

    /// Whether this is the whole value.
    pub fn is_root(&self) -> bool {
        self.inside_out.is_empty()
    }
}

impl EncodeError {
    /// An error of a whole value.
    pub fn new(ty: Type, problem: Problem) -> Self {
        Self { place: Place::default(), ty, problem }
    }

    /// The same error as seen from the enclosing value.
    #[must_use]
    pub fn within(mut self, step: Step) -> Self {
        self.place.inside_out.push(step);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps().enumerate() {
            match step {
                Step::Column(name) => f.write_str(name)?,
                Step::Index(at) => write!(f, "[{at}]")?,
                Step::Key(key) => write!(f, "[{key}]")?,
                Step::Field(name) if index == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_root() {
            write!(f, "{}: ", self.place)?;
        }
        let ty = &self.ty;
        match &self.problem {
            Problem::Kind { value } => write!(f, "{ty} takes {}, not {value}", needs(ty)),
            Problem::Range { value } => match range(ty) {
                Some(range) => write!(f, "{ty} takes {range}, not {value}"),
                None => write!(f, "{ty} cannot hold {value}"),
            },
            Problem::Null => write!(f, "a collection cannot contain null ({ty})"),
            Problem::Unset => f.write_str("only a whole value can be left unset"),
            Problem::Empty => write!(f, "{ty} cannot be empty here"),
            Problem::NotAscii => f.write_str("ascii takes characters up to U+007F"),
            Problem::Count { count, expected } => {
                write!(f, "{ty} takes {expected} elements, not {count}")
            }
            Problem::UnknownField { name } => write!(f, "{ty} has no field {name:?}"),
            Problem::TooLong { len } => {
                write!(f, "{ty} of {len} bytes or elements; the protocol allows {}", i32::MAX)
            }
            Problem::Invalid(why) => write!(f, "{ty}: {why}"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// What a type accepts, in words.
fn needs(ty: &Type) -> &'static str {
    match ty {
        Type::Ascii | Type::Text => "text",
        Type::Bigint
        | Type::Counter
        | Type::Int
        | Type::Varint
        | Type::Smallint
        | Type::Tinyint => "an integer",
        Type::Blob | Type::Custom(_) => "bytes",
        Type::Boolean => "true or false",
        Type::Decimal => "a decimal number",
        Type::Double | Type::Float => "a number",
        Type::Timestamp => "a point in time",
        Type::Uuid | Type::Timeuuid => "a UUID",
        Type::Inet => "an IP address",
        Type::Date => "a date",
        Type::Time => "a time of day",
        Type::Duration => "a duration",
        Type::List(_) | Type::Vector(_) => "a list",
        Type::Set(_) => "a set",
        Type::Map(_) => "a map",
        Type::Tuple(_) => "a tuple",
        Type::Udt(_) => "fields by their names",
    }
}

fn range(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Tinyint => "-128 to 127",
        Type::Smallint => "-32768 to 32767",
        Type::Int => "-2147483648 to 2147483647",
        Type::Bigint | Type::Counter => "-9223372036854775808 to 9223372036854775807",
        Type::Date => "days that are at most 2147483648 away from 1970-01-01",
        Type::Time => "00:00:00 to 23:59:59.999999999",
        _ => return None,
    })
}

//! Why a value cannot be sent, and where in it.

use std::borrow::Cow;
use std::fmt;

use crate::types::Type;

/// A value that its type does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Where it stands.
    pub place: Place,
    /// The type of what stands there.
    pub ty: Type,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It is of another kind: a text where a number is needed.
    Kind {
        /// The value, briefly.
        value: String,
    },
    /// It is a number, a point in time or the like that the type cannot hold.
    Range {
        /// The value, briefly.
        value: String,
    },
    /// Null, inside of a collection.
    Null,
    /// Not set, inside of another value.
    Unset,
    /// Empty, where there is no such thing.
    Empty,
    /// Text with a character that is not ASCII.
    NotAscii,
    /// Not as many elements as a vector has, or more components than a tuple has.
    Count {
        /// How many there are.
        found: usize,
        /// How many there may be.
        expected: usize,
    },
    /// A field that the user-defined type does not have.
    UnknownField {
        /// Its name.
        name: String,
    },
    /// More bytes or elements than the protocol can count.
    TooLong {
        /// How many.
        len: usize,
    },
    /// Something else, as a sentence says.
    Invalid(Cow<'static, str>),
}

/// Where something stands in a value: `items[3].name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// From the innermost step to the outermost.
    inside_out: Vec<Step>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The column or bind marker of this name.
    Column(String),
    /// The element of a list, set, vector or tuple with this index.
    Index(usize),
    /// The entry of a map with this key, briefly.
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

impl Misfit {
    /// A misfit of a whole value.
    pub fn new(ty: Type, problem: Problem) -> Self {
        Self { place: Place::default(), ty, problem }
    }

    /// The same, seen from outside of the thing that it is in.
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

impl fmt::Display for Misfit {
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
            Problem::Null => write!(f, "there is no null inside of a collection ({ty})"),
            Problem::Unset => f.write_str("only a whole value can be left unset"),
            Problem::Empty => write!(f, "{ty} has no empty value here"),
            Problem::NotAscii => f.write_str("ascii takes characters up to U+007F"),
            Problem::Count { found, expected } => {
                write!(f, "{ty} takes {expected} elements, not {found}")
            }
            Problem::UnknownField { name } => write!(f, "{ty} has no field {name:?}"),
            Problem::TooLong { len } => {
                write!(f, "{ty} of {len} bytes or elements; the protocol allows {}", i32::MAX)
            }
            Problem::Invalid(why) => write!(f, "{ty}: {why}"),
        }
    }
}

impl std::error::Error for Misfit {}

/// What a type takes, in words.
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

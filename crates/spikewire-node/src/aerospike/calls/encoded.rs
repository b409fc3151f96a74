//! The bytes in the property `encoded` of `Operation`, `Expression` and `Step`. They start with a
//! mark of their kind, so nothing has to be freed, and neither the class nor the realm of an object
//! matters.

use crate::errors::kind_name;
use crate::js::{Env, Failure, Result, Type, Value};

/// The kinds of encoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Operation,
    Expression,
    Step,
}

impl Form {
    fn mark(self) -> [u8; 4] {
        match self {
            Self::Operation => *b"\0swO",
            Self::Expression => *b"\0swX",
            Self::Step => *b"\0swS",
        }
    }

    /// Marked bytes for JavaScript.
    pub fn wrap<'e>(self, env: Env<'e>, bytes: &[u8]) -> Result<Value<'e>> {
        env.buffer(&[&self.mark()[..], bytes].concat())
    }

    /// The bytes in a `Uint8Array`, without the mark; `None` if they are of another kind.
    pub fn bytes(self, value: Value<'_>) -> Option<Vec<u8>> {
        value.with_bytes(|bytes| bytes.strip_prefix(&self.mark()).map(<[u8]>::to_vec)).flatten()
    }

    /// The bytes in an object of the class; `None` for other values.
    pub fn unwrap(self, object: Value<'_>) -> Result<Option<Vec<u8>>> {
        if object.kind() != Type::Object || object.is_array() {
            return Ok(None);
        }
        Ok(self.bytes(object.named(c"encoded")?))
    }

    /// What `read` makes of the objects in an array; `all` and `each` say what they are.
    pub fn unwrap_all<T>(
        self,
        what: &str,
        array: Value<'_>,
        (all, each): (&str, &str),
        read: impl Fn(Vec<u8>) -> Option<T>,
    ) -> Result<Vec<T>> {
        if !array.is_array() {
            let other = kind_name(array);
            return Err(Failure::of_type(format!("{what} must be an array of {all}, not {other}")));
        }
        let object = |at| {
            let item = array.element(at)?;
            self.unwrap(item)?.and_then(&read).ok_or_else(|| {
                let other = kind_name(item);
                Failure::of_type(format!("{what}[{at}] must be {each}, not {other}"))
            })
        };
        (0..array.len()?).map(object).collect()
    }
}

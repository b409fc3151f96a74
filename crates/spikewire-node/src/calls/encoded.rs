//! What the classes `Operation`, `Expression` and `Step` hold: bytes in `encoded`, which begin with
//! what they are. So nothing has to be freed, and nothing asks of which class or realm an object
//! is.

use crate::js::{Env, Result, Type, Value};

/// What encoded bytes are.
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

    /// Encoded bytes for JavaScript.
    pub fn wrap<'e>(self, env: Env<'e>, bytes: &[u8]) -> Result<Value<'e>> {
        env.buffer(&[&self.mark()[..], bytes].concat())
    }

    /// The encoded bytes in a `Uint8Array`; nothing for what is none of these.
    pub fn bytes(self, given: Value<'_>) -> Option<Vec<u8>> {
        given.with_bytes(|bytes| bytes.strip_prefix(&self.mark()).map(<[u8]>::to_vec)).flatten()
    }

    /// The encoded bytes in an object of the class; nothing for other values.
    pub fn unwrap(self, object: Value<'_>) -> Result<Option<Vec<u8>>> {
        if object.kind() != Type::Object || object.is_array() {
            return Ok(None);
        }
        Ok(self.bytes(object.named(c"encoded")?))
    }
}

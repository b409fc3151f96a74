//! Calls of functions that the cluster runs on records.

use spikewire_protocol::Malformed;
use spikewire_protocol::message::Message;
use spikewire_protocol::value::Value;

use crate::answer::Answer;
use crate::encode;
use crate::{Error, Result};

/// A function of a registered module, and what it is called with.
#[derive(Debug)]
pub(crate) struct Function {
    /// The module, without its ending.
    pub module: String,
    pub name: String,
    /// A packed list.
    pub arguments: Vec<u8>,
}

impl Function {
    /// Checks the names and encodes the arguments.
    pub fn new(module: &str, name: &str, arguments: &[Value]) -> Result<Self> {
        if module.is_empty() || module.strip_suffix(".lua").is_some() {
            return Err(Error::invalid(format!(
                "module must be the name of a module without its ending .lua, got {module:?}"
            )));
        }
        if name.is_empty() {
            return Err(Error::invalid("function must not be empty"));
        }
        let mut packed = Vec::new();
        encode::arguments(arguments, &mut packed)?;
        Ok(Self { module: module.to_owned(), name: name.to_owned(), arguments: packed })
    }
}

/// What a function returned.
impl Answer for Value {
    type Plan = ();
    const MISS: bool = false;

    fn read(body: &[u8], _: bool, (): &()) -> std::result::Result<Self, Malformed> {
        let (message, _) = Message::parse(body)?;
        let answer = message.ops().next();
        answer.map_or(Ok(Self::Nil), |answer| Self::decode(answer.particle, answer.value))
    }
}

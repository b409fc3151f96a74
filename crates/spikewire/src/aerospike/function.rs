//! Calls of user-defined functions on records.

use spikewire_aerospike::command::{Function, ResponseKind};
use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::message::Message;
use spikewire_aerospike_protocol::value::Value;

use crate::Result;
use crate::aerospike::answer::Answer;
use crate::aerospike::encode;

/// Checks the names and encodes the arguments.
pub(crate) fn function(module: &str, name: &str, arguments: &[Value]) -> Result<Function> {
    let mut packed = Vec::new();
    encode::arguments(arguments, &mut packed)?;
    Function::new(module, name, packed)
}

/// The return value of a function.
impl Answer for Value {
    type Plan = ();
    const KIND: ResponseKind = ResponseKind::Returned(());

    fn read(body: &[u8], _: bool, (): &()) -> std::result::Result<Self, Malformed> {
        let (message, _) = Message::parse(body)?;
        let answer = message.ops().next();
        answer.map_or(Ok(Self::Nil), |answer| Self::decode(answer.particle, answer.value))
    }
}

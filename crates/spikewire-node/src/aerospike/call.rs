//! Conversion of replies to single-record commands.

use spikewire_aerospike::Error;
use spikewire_aerospike::command::{ResponseKind, ResponseOutcome};
use spikewire_aerospike::transport::Reply;
use spikewire_aerospike_protocol::result_code::ResultCode;

use crate::aerospike::record::{message, parts};
use crate::aerospike::value::decode::{DecodeOptions, Decoder, particle};
use crate::environment::Environment;
use crate::environment::factories::Factories;
use crate::js::{Env, Failure, Result, Value};
use crate::stages::Watch;

const ADVICE_ON_DEFAULTS: &str = "with `default: null`, the call resolves to null instead";

/// How to convert a reply.
#[derive(Debug)]
pub struct ResponsePlan {
    pub shape: ResponseShape,
    pub decode_options: DecodeOptions,
    pub watch: Watch,
}

/// What a reply becomes: a record has a default or not; operations have a result of their own or
/// not.
pub type ResponseShape = ResponseKind<bool, Vec<bool>>;

impl ResponsePlan {
    /// Settles the promise of a slot.
    #[inline]
    pub fn settle(
        self,
        env: Env<'_>,
        environment: &Environment,
        slot: u32,
        outcome: std::result::Result<Reply<'_>, Error>,
    ) {
        let result = outcome.map_err(Failure::from).and_then(|reply| {
            let decoder = Decoder::new(env, environment, self.decode_options)?;
            self.value(&decoder, &environment.factories, &reply)
        });
        self.watch.settles(env, environment);
        match result {
            Ok(None) => environment.done(env, slot),
            Ok(Some(value)) => environment.settle(env, slot, Ok(value)),
            Err(failure) => environment.settle(env, slot, Err(failure)),
        }
    }

    /// The result's value; `None` for a success without a value.
    pub fn value<'e>(
        &self,
        decoder: &Decoder<'e, '_>,
        factories: &Factories,
        reply: &Reply<'_>,
    ) -> Result<Option<Value<'e>>> {
        let env = decoder.env;
        let value = match self.shape.outcome(reply.code()) {
            ResponseOutcome::Presence(exists) => env.boolean(exists)?,
            ResponseOutcome::Done => return Ok(None),
            ResponseOutcome::Returned => match message(reply.body)?.ops().next() {
                Some(answer) => particle(decoder, answer.particle, answer.value)?,
                None => env.null()?,
            },
            ResponseOutcome::Record => {
                let answered = match &self.shape {
                    ResponseShape::Results(answered) => Some(&answered[..]),
                    _ => None,
                };
                parts(decoder, factories, &message(reply.body)?, answered)?.record(decoder)?
            }
            ResponseOutcome::Absent if matches!(self.shape, ResponseShape::Record(true)) => {
                return Ok(None);
            }
            ResponseOutcome::Absent if reply.code() == ResultCode::NOT_FOUND => {
                return Err(reply.error().advised(ADVICE_ON_DEFAULTS).into());
            }
            ResponseOutcome::Absent | ResponseOutcome::Failed => return Err(reply.error().into()),
        };
        Ok(Some(value))
    }
}

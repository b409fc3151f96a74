//! The verbs on single records; their first arguments are `(client, slot, space, key, ...)`.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::command::{CommandSpec, Operations, Source};
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::request::Request;
use spikewire_aerospike_protocol::value::ParticleType;
use spikewire_transport::metrics::CallStart;

use crate::aerospike::arguments::{self, Options};
use crate::aerospike::call::{ResponsePlan, ResponseShape};
use crate::aerospike::client::Client;
use crate::aerospike::key::Address;
use crate::aerospike::operation;
use crate::aerospike::value::{Place, encode};
use crate::binding::Call;
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Type, Value};
use crate::stages::Watch;

/// The first arguments of every verb on a single record.
struct Subject<'e> {
    client: Rc<Client>,
    transaction: Option<Arc<Transaction>>,
    slot: u32,
    address: Address<'e>,
    began: CallStart,
}

impl<'e> Subject<'e> {
    #[inline]
    fn of(call: &Call<'e>) -> Result<Self> {
        let (client, transaction) = Client::of_call(call)?;
        let (slot, began) = (call.index(1)?, client.cluster.metrics().begin());
        let space = call.host.environment.space(call.argument(2))?;
        let address = Address::new(space, call.argument(3))?;
        Ok(Self { client, transaction, slot, address, began })
    }

    /// Composes a request and sends it.
    #[inline]
    fn send(
        self,
        call: &Call<'e>,
        spec: &CommandSpec,
        shape: ResponseShape,
        write: impl FnOnce(&mut Request<'_>) -> Result<()>,
    ) -> Result<Option<Value<'e>>> {
        let Self { client, transaction, slot, address, began } = self;
        let stored_key = if spec.send_key { address.stored_key()? } else { None };
        let mut prepared =
            spec.compose(&address.space, &address.digest, stored_key.as_deref(), write)?;
        prepared.policy.metrics_flags = began.metrics_flags;
        let (mut watch, mut now) = (Watch::default(), None);
        if let Some(at) = began.at {
            now = Some(client.cluster.metrics().encoded(at));
            watch = client.turns.watch(&client.cluster);
        }
        let plan = ResponsePlan { shape, decode_options: client.decode_options.get(), watch };
        match transaction {
            None => client.submit(call.env, prepared, client.pledge(slot), plan, now),
            Some(transaction) => client.submit_in(call.env, &transaction, prepared, slot, plan)?,
        }
        Ok(None)
    }
}

/// `get(…, bins, options, hasDefault)`
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let (selection, names) = arguments::bins(call.argument(4))?;
    let options = arguments::read_options(&Options::new(call.argument(5)))?;
    let has_default = call.argument(6).boolean().unwrap_or_default();
    let spec = CommandSpec::get(&subject.client.defaults, &options, selection)?;
    subject.send(call, &spec, ResponseShape::Record(has_default), |out| {
        names.iter().try_for_each(|name| Ok(out.read_bin(name)?))
    })
}

/// `exists(…, options)`
pub fn exists<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let options = arguments::read_options(&Options::new(call.argument(4)))?;
    let spec = CommandSpec::exists(&subject.client.defaults, &options)?;
    subject.send(call, &spec, ResponseShape::Presence, |_| Ok(()))
}

/// `remove(…, options)`
pub fn delete<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let options = arguments::write_options(&Options::new(call.argument(4)))?;
    let spec = CommandSpec::delete(&subject.client.defaults, &options)?;
    subject.send(call, &spec, ResponseShape::Presence, |_| Ok(()))
}

/// `touch(…, options)`
pub fn touch<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let options = arguments::write_options(&Options::new(call.argument(4)))?;
    let spec = CommandSpec::touch(&subject.client.defaults, &options)?;
    subject.send(call, &spec, ResponseShape::Done, |out| {
        out.touch();
        Ok(())
    })
}

/// `write(…, options, verb, shape, ...values)`: `verb` is 0 to 3 for put, add, append, prepend.
/// `shape` is the number of a list of bin names, or the list itself, followed by an array of the
/// values.
pub fn write<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    const CODES: [u8; 4] = [op::WRITE, op::ADD, op::APPEND, op::PREPEND];
    let subject = Subject::of(call)?;
    let options = arguments::write_options(&Options::new(call.argument(4)))?;
    let code = CODES.get(call.index(5)? as usize).copied();
    let code = code.ok_or_else(|| Failure::of_range("there is no such verb"))?;
    let spec = CommandSpec::write(&subject.client.defaults, &options)?;
    let hooks = call.host.environment.hooks()?;
    subject.send(call, &spec, ResponseShape::Done, |out| {
        bins(call, 6, |name, value| {
            let value = BinValue { hooks, value };
            out.write_bin(code, name, &value)
        })?;
        Ok(out.check_any()?)
    })
}

/// Calls `each` with the bins of a write, given as the number of a shape and values, or as two
/// arrays.
pub fn bins<'e>(
    call: &Call<'e>,
    from: usize,
    mut each: impl FnMut(&str, Value<'e>) -> Result<()>,
) -> Result<()> {
    let shape = call.argument(from);
    if shape.kind() == Type::Number {
        let names = call.host.environment.shape(shape)?;
        return names
            .iter()
            .zip(call.rest(from + 1))
            .try_for_each(|(name, value)| each(name, value));
    }
    let values = call.argument(from + 1);
    for at in 0..shape.len()? {
        let name = arguments::text("a bin name", shape.element(at)?)?;
        each(&name, values.element(at)?)?;
    }
    Ok(())
}

/// `operate(…, operations, options)`
pub fn operate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let steps = operation::steps(call.argument(4))?;
    let options = Options::new(call.argument(5));
    let rules = arguments::read_rules(&options)?;
    let options = arguments::write_options(&options)?;
    let refs = operation::refs(&steps);
    let (spec, answered) =
        CommandSpec::operate(&subject.client.defaults, &options, &rules, refs.clone())?;
    subject.send(call, &spec, ResponseShape::Results(answered), |out| {
        refs.for_each(|step| out.step(step));
        Ok(())
    })
}

/// `apply(…, module, function, args, options)`
pub fn apply<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let subject = Subject::of(call)?;
    let function = operation::function(
        call.host.environment.hooks()?,
        call.argument(4),
        call.argument(5),
        call.argument(6),
    )?;
    let options = arguments::write_options(&Options::new(call.argument(7)))?;
    let spec = CommandSpec::apply(&subject.client.defaults, &options)?;
    subject.send(call, &spec, ResponseShape::Returned(()), |out| {
        out.call(&function);
        Ok(())
    })
}

/// A bin's value, to be encoded into a request.
pub struct BinValue<'e, 'a> {
    pub hooks: &'a Hooks,
    pub value: Value<'e>,
}

impl Source for BinValue<'_, '_> {
    type Error = Failure;

    #[inline]
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        encode(self.hooks, out, self.value, &Place::Bin(bin))
    }
}

//! Paths to one element of a list or map.

use super::NoAel;
use super::name::{bin_name, is_plain, quoted};
use crate::cdt::context::{At, Inside};
use crate::cdt::{By, ListOp, MapOp, Op, Request, Step, return_type as returns};
use crate::expression::call::CDT;
use crate::expression::{Argument, Call, Constant, Node, Type};
use crate::msgpack;
use crate::value::Value;

const OTHER: NoAel = NoAel("an operation on a list, map, string, sketch or bits");

/// The path of a call that reads one element by text keys and list indexes, without its type.
pub(super) fn of_call(call: &Call) -> Result<String, NoAel> {
    let Node::Bin(Some(kind), name) = call.on.node() else { return Err(OTHER) };
    if call.system != CDT || call.modifies {
        return Err(OTHER);
    }
    let mut payload = Vec::new();
    if let Some(context) = &call.context {
        msgpack::array(&mut payload, 3);
        msgpack::uint(&mut payload, 0xff);
        payload.extend_from_slice(context);
    }
    msgpack::array(&mut payload, call.arguments.len() as u32 + 1);
    msgpack::int(&mut payload, call.number);
    for argument in &call.arguments {
        match argument {
            Argument::Raw(raw) => payload.extend_from_slice(raw),
            Argument::Expression(argument) => match argument.node() {
                Node::Constant(Constant::Packed(_, packed)) => payload.extend_from_slice(packed),
                _ => return Err(OTHER),
            },
        }
    }
    let request = Request::decode(&payload).map_err(|_| OTHER)?;
    let (inside, last) = match &request.op {
        Op::List(ListOp::Get(index)) => (Inside::List, format!(".[{index}]")),
        Op::List(ListOp::GetBy(returns::VALUE, By::Index(index))) => {
            (Inside::List, format!(".[{index}]"))
        }
        Op::Map(MapOp::GetBy(returns::VALUE, By::Key(key))) => (Inside::Map, key_step(key)?),
        _ => return Err(OTHER),
    };
    let first = request.context.first().map_or(inside, |step| step.inside);
    let container = if first == Inside::List { Type::List } else { Type::Map };
    if *kind != container {
        return Err(OTHER);
    }
    let mut path = bin_name(name)?;
    for step in &request.context {
        path += &step_text(step)?;
    }
    Ok(path + &last)
}

fn step_text(step: &Step<&[u8]>) -> Result<String, NoAel> {
    match (&step.inside, &step.at) {
        (Inside::List, At::Index(index)) => Ok(format!(".[{index}]")),
        (Inside::Map, At::Key(key)) => key_step(key),
        _ => Err(OTHER),
    }
}

fn key_step(key: &[u8]) -> Result<String, NoAel> {
    // Decoded as the only element of a list.
    let list = [&[0x91], key].concat();
    match Value::decode(Type::List.particle(), &list) {
        Ok(Value::List(items)) => match &items[..] {
            [Value::Str(key)] if is_plain(key) => Ok(format!(".{key}")),
            [Value::Str(key)] => Ok(format!(".{}", quoted(key, '\''))),
            _ => Err(NoAel("a map key that is not text")),
        },
        _ => Err(OTHER),
    }
}

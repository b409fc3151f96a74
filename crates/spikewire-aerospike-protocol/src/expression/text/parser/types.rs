//! The types of bins in what was read.

use std::collections::HashMap;

use crate::expression::{Argument, Expression, Node, Type};

/// Whether bins and values read inside them have types, in text order.
pub fn places(whole: &Expression, types: &mut Vec<bool>) {
    match whole.node() {
        Node::Bin(kind, _) | Node::Loop(kind, _) => types.push(kind.is_some()),
        Node::Apply(_, operands) => operands.iter().for_each(|operand| places(operand, types)),
        Node::Regex { on, .. } => places(on, types),
        Node::Let(definitions, scope) => {
            definitions.iter().for_each(|(_, definition)| places(definition, types));
            places(scope, types);
        }
        Node::Call(call) => types.push(call.result.is_some()),
        Node::Path(call) => types.push(call.result.is_some()),
        _ => {}
    }
}

/// The types that bins have where one is known, for those that have the same everywhere.
pub fn of_bins(whole: &Expression) -> HashMap<String, Type> {
    let mut types = HashMap::new();
    collect(whole, &mut types);
    types.into_iter().filter_map(|(name, kind)| Some((name, kind?))).collect()
}

fn collect(whole: &Expression, types: &mut HashMap<String, Option<Type>>) {
    match whole.node() {
        Node::Bin(Some(kind), name) => {
            let Ok(name) = String::from_utf8(name.clone()) else { return };
            let known = types.entry(name).or_insert(Some(*kind));
            if *known != Some(*kind) {
                *known = None;
            }
        }
        Node::Apply(_, operands) => operands.iter().for_each(|operand| collect(operand, types)),
        Node::Regex { on, .. } => collect(on, types),
        Node::Let(definitions, scope) => {
            definitions.iter().for_each(|(_, definition)| collect(definition, types));
            collect(scope, types);
        }
        Node::Call(call) => {
            collect(&call.on, types);
            for argument in &call.arguments {
                if let Argument::Expression(argument) = argument {
                    collect(argument, types);
                }
            }
        }
        Node::Path(call) => collect(&call.on, types),
        _ => {}
    }
}

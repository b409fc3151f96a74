//! Methods that change a copy of a list or map: `$.l.append(5)`, `$.m.key.setTo(5)`.

use super::arguments::in_order;
use super::root::Root;
use super::select::{Selection, Selector};
use super::{ParseResult, Parser, Spanned, faulty};
use crate::cdt::context::{self, Inside};
use crate::cdt::flags::{list_sort, list_write, map_write};
use crate::cdt::{ListOp, MapOp, Op as Operation, return_type as returns};
use crate::expression::call::{CDT, Call};
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Expression, Fault, Slot, Type};
use crate::value::Value;

type Change = Operation<Slot, Slot>;

/// Methods of the element that a path leads to.
const OF_ELEMENTS: [&str; 5] = ["setTo", "insert", "update", "add", "remove"];
/// Methods of the list or map that a path leads to, and what it is if that is certain.
const OF_CONTAINERS: [(&str, Option<Type>); 7] = [
    ("append", Some(Type::List)),
    ("appendItems", Some(Type::List)),
    ("sort", Some(Type::List)),
    ("putItems", Some(Type::Map)),
    ("updateItems", Some(Type::Map)),
    ("insertItems", None),
    ("clear", None),
];
/// The words behind a method, and their flags of lists; those of maps are the same but the first.
const FLAGS: [(&str, i64); 4] = [
    ("ADD_UNIQUE", list_write::ADD_UNIQUE),
    ("NO_FAIL", list_write::NO_FAIL),
    ("PARTIAL", list_write::PARTIAL | list_write::NO_FAIL),
    ("DROP_DUPS", DROP),
];
/// Not a flag of writes.
const DROP: i64 = 1 << 16;

/// Whether it is the name of such a method.
pub fn is_known(name: &str) -> bool {
    OF_ELEMENTS.contains(&name) || OF_CONTAINERS.iter().any(|(known, _)| *known == name)
}

impl Parser<'_> {
    /// Whether a method comes next that changes a list or map, or counts one whose type is `pin`.
    pub(super) fn is_change(&self, pin: Option<Type>) -> bool {
        if !self.is_call_next() {
            return false;
        }
        let mut ahead = self.lexer.clone();
        let Ok((Word::Name(name), _)) = ahead.next() else { return false };
        let counts = name == "count" && matches!(pin, Some(Type::List | Type::Map));
        // Strings have a method with two arguments that is called the same.
        let of_text = name == "insert" && {
            let _ = ahead.next();
            let (mut open, mut second) = (1_u32, false);
            while open > 0 {
                match ahead.next() {
                    Ok((Word::Sign("(" | "[" | "{" | "?("), _)) => open += 1,
                    Ok((Word::Sign(")" | "]" | "}"), _)) => open -= 1,
                    Ok((Word::Sign(","), _)) if open == 1 => second = true,
                    Ok((Word::End, _)) | Err(_) => break,
                    Ok(_) => {}
                }
            }
            second
        };
        counts || is_known(name) && !of_text
    }

    /// What such a method gives; its name comes next.
    pub(super) fn change(
        &mut self,
        start: usize,
        root: &Root,
        pin: Option<Type>,
        selectors: &[Selector],
        depth: usize,
    ) -> ParseResult<Spanned> {
        let Word::Name(name) = self.word else { return Err(self.unexpected("a method")) };
        self.advance()?;
        self.expect("(")?;
        let bins = self.bins.len();
        let operands = self.arguments(depth)?;
        self.bins.truncate(bins);
        let mut flags = 0;
        while let Some(word) = self.suffix(&FLAGS.map(|(word, _)| word))? {
            flags |= FLAGS.iter().find(|(known, _)| *known == word).map_or(0, |(_, flag)| *flag);
        }
        let at = start..self.last;
        let operands = faulty(&at, in_order(name, &[], operands))?;
        let needed = usize::from(!matches!(name, "remove" | "clear" | "sort" | "count"));
        if operands.len() != needed {
            let why = format!(".{name}() takes {needed} arguments, not {}", operands.len());
            return Err(TextError::new(at, why));
        }
        let takes_list = operands.first().is_some_and(|it| it.kind() == Some(Type::List));
        let of_element = OF_ELEMENTS.contains(&name) || name == "insertItems" && takes_list;
        let (leaf, steps) = match (of_element, selectors.split_last()) {
            (true, Some((leaf, steps))) => (Some(leaf), steps),
            (true, None) => {
                let why = format!(
                    ".{name}() is for an element: $.list.[0].{name}(…), $.map.key.{name}(…)"
                );
                return Err(TextError::new(at, why));
            }
            (false, _) => (None, selectors),
        };
        let last = selectors.last().and_then(|part| part.pin);
        let container = match leaf {
            Some(leaf) if leaf.inside == Inside::List => Some(Type::List),
            Some(_) => Some(Type::Map),
            None => {
                let named = OF_CONTAINERS.iter().find(|(known, _)| *known == name);
                let items = operands.first().and_then(Expression::kind);
                let own = match root {
                    Root::Value(value) if selectors.is_empty() => value.kind(),
                    _ => None,
                };
                let pinned = if selectors.is_empty() { pin.or(own) } else { last };
                named.and_then(|(_, kind)| *kind).or(pinned).or(items)
            }
        };
        let Some(container @ (Type::List | Type::Map)) = container else {
            let why = format!("nothing says whether this is a LIST or a MAP: write :LIST.{name}()");
            return Err(TextError::new(at, why));
        };
        let first = match selectors.first().filter(|_| !steps.is_empty()) {
            Some(part) if part.inside == Inside::List => Type::List,
            Some(_) => Type::Map,
            None => container,
        };
        let on = faulty(&at, root.expression(Some(first)))?;
        let (op, operands) = match leaf {
            Some(leaf) => element_change(name, leaf, operands, flags)?,
            None => (faulty(&at, container_change(name, container, flags))?, operands),
        };
        let mut context = Vec::with_capacity(steps.len());
        for step in steps {
            context.push(step.step()?);
        }
        self.bins.push(at.clone());
        let modifies = op.modifies();
        let write = |out: &mut Vec<u8>| op.encode::<Value>(&[], out);
        let mut call = faulty(&at, Call::new(CDT, modifies, write, &operands, on))?;
        if !context.is_empty() {
            let mut packed = Vec::new();
            context::encode(&context, &mut packed);
            call.context = Some(packed);
        }
        if name == "count" {
            call.result = Some(Type::Int);
        }
        Ok((faulty(&at, Expression::call(call))?, at))
    }
}

fn container_change(name: &str, container: Type, flags: i64) -> Result<Change, Fault> {
    let (a, order) = (Slot(0), 0);
    let of_list = container == Type::List;
    allow(
        name,
        flags,
        of_list,
        matches!(name, "appendItems" | "putItems" | "insertItems" | "updateItems"),
    )?;
    Ok(match (name, of_list) {
        ("append", true) => Operation::List(ListOp::Append { value: a, order, flags }),
        ("appendItems", true) => Operation::List(ListOp::AppendItems { items: a, order, flags }),
        ("sort", true) => {
            let drop = if flags & DROP == 0 { 0 } else { list_sort::DROP_DUPLICATES };
            Operation::List(ListOp::Sort(drop))
        }
        ("clear", true) => Operation::List(ListOp::Clear),
        ("count", true) => Operation::List(ListOp::Size),
        ("clear", false) => Operation::Map(MapOp::Clear),
        ("count", false) => Operation::Map(MapOp::Size),
        ("putItems" | "insertItems" | "updateItems", false) => {
            let flags = flags | create(name);
            Operation::Map(MapOp::PutItems { items: a, order, flags })
        }
        _ => return Err(Fault::of_type(format!("a {container} has no .{name}()"))),
    })
}

fn create(name: &str) -> i64 {
    match name {
        "insert" | "insertItems" => map_write::CREATE_ONLY,
        "update" | "updateItems" => map_write::UPDATE_ONLY,
        _ => 0,
    }
}

/// Rejects flags that a method does not have.
fn allow(name: &str, flags: i64, of_list: bool, of_items: bool) -> Result<(), Fault> {
    let writes = !matches!(name, "sort" | "clear" | "count" | "remove");
    let may = |flag: i64| match flag {
        DROP => name == "sort",
        list_write::ADD_UNIQUE => writes && of_list,
        list_write::PARTIAL => of_items,
        _ => writes,
    };
    match FLAGS.iter().find(|(word, flag)| {
        let own = if *word == "PARTIAL" { list_write::PARTIAL } else { *flag };
        flags & own != 0 && !may(own)
    }) {
        Some((word, _)) => Err(Fault::of_value(format!(".{name}() has no flag {word}"))),
        None => Ok(()),
    }
}

fn element_change(
    name: &str,
    leaf: &Selector,
    operands: Vec<Expression>,
    flags: i64,
) -> ParseResult<(Change, Vec<Expression>)> {
    let of_list = leaf.inside == Inside::List;
    faulty(&leaf.at, allow(name, flags, of_list, name == "insertItems"))?;
    let mut all = faulty(&leaf.at, leaf.operands())?;
    if name == "remove" {
        let Some(by) = leaf.by() else {
            return Err(TextError::new(leaf.at.clone(), "name the elements to remove"));
        };
        if leaf.inverted && by.is_single() {
            let why = "one element cannot be inverted: name a range or several";
            return Err(TextError::new(leaf.at.clone(), why));
        }
        let returns = returns::NONE | if leaf.inverted { returns::INVERTED } else { 0 };
        let op = if of_list {
            Operation::List(ListOp::RemoveBy(returns, by))
        } else {
            Operation::Map(MapOp::RemoveBy(returns, by))
        };
        return Ok((op, all));
    }
    all.extend(operands);
    let [at, value] = [Slot(0), Slot(1)];
    let bounded = flags | list_write::INSERT_BOUNDED;
    let op = match (name, &leaf.selection, of_list) {
        ("setTo", Selection::Index(_), true) => {
            Operation::List(ListOp::Set { index: at, value, flags: bounded })
        }
        ("insert", Selection::Index(_), true) => {
            Operation::List(ListOp::Insert { index: at, value, flags: bounded })
        }
        ("insertItems", Selection::Index(_), true) => {
            Operation::List(ListOp::InsertItems { index: at, items: value, flags: bounded })
        }
        ("add", Selection::Index(_), true) => {
            let (delta, order) = (Some(value), 0);
            Operation::List(ListOp::Increment { index: at, delta, order, flags: bounded })
        }
        ("setTo" | "insert" | "update", Selection::Key(_), false) => {
            let flags = flags | create(name);
            Operation::Map(MapOp::Put { key: at, value, order: 0, flags })
        }
        ("add", Selection::Key(_), false) if flags != 0 => {
            let why = ".add() at a key of a map has no flags";
            return Err(TextError::new(leaf.at.clone(), why));
        }
        ("add", Selection::Key(_), false) => {
            let (delta, order) = (Some(value), 0);
            Operation::Map(MapOp::Increment { key: at, delta, order })
        }
        _ => {
            let why =
                format!(".{name}() is for one element: at an index of a list, or a key of a map");
            return Err(TextError::new(leaf.at.clone(), why));
        }
    };
    Ok((op, all))
}

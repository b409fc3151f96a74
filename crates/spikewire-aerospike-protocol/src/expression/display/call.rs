//! Formats list, map, bit and sketch operations: list and map reads as paths, the others by name.

use std::fmt::{Display, Formatter, Result, Write as _};

use super::hex;
use super::parts::{Text, key_step, list_text, step_text, value_text};
use super::path::fmt_count;
use crate::cdt::context::Inside;
use crate::cdt::{By, ListOp, MapOp, Op, Request, Step, return_type as returns};
use crate::expression::call::{BITS, CDT, STRINGS};
use crate::expression::text::RETURNS;
use crate::expression::{Argument, Call, Constant, LoopPart, Node, Type};
use crate::msgpack;

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let is_size = self.system == CDT && self.number == LIST_SIZE && self.context.is_none();
        if let Some(result) = is_size.then(|| fmt_count(f, &self.on)).flatten() {
            return result;
        }
        match self.path() {
            Some(path) => f.write_str(&path),
            None => self.named(f),
        }
    }
}

impl Call {
    /// Formats the call as a path from a bin, if it is one.
    fn path(&self) -> Option<String> {
        let (kind, root) = match self.on.node() {
            Node::Bin(Some(kind), name) => (kind, Text(name).to_string()),
            Node::Loop(Some(kind), LoopPart::Value) => (kind, LoopPart::Value.word().to_owned()),
            _ => return None,
        };
        if self.system != CDT || self.modifies {
            return None;
        }
        let mut payload = Vec::new();
        if let Some(context) = &self.context {
            msgpack::array(&mut payload, 3);
            msgpack::uint(&mut payload, 0xff);
            payload.extend_from_slice(context);
        }
        msgpack::array(&mut payload, self.arguments.len() as u32 + 1);
        msgpack::int(&mut payload, self.number);
        for argument in &self.arguments {
            payload.extend_from_slice(constant(argument)?);
        }
        let request = Request::decode(&payload).ok()?;
        let (inside, returns, by) = match &request.op {
            Op::List(ListOp::GetBy(returns, by)) => (Inside::List, *returns, Some(by)),
            Op::List(ListOp::Size) => (Inside::List, returns::COUNT, None),
            Op::Map(MapOp::GetBy(returns, by)) => (Inside::Map, *returns, Some(by)),
            Op::Map(MapOp::Size) => (Inside::Map, returns::COUNT, None),
            Op::List(ListOp::Get(index)) => {
                return self.joined(
                    &root,
                    *kind,
                    &request.context,
                    Inside::List,
                    &format!("{index}"),
                );
            }
            _ => return None,
        };
        let inverted = if returns & returns::INVERTED != 0 { "!" } else { "" };
        let returns = returns & !returns::INVERTED;
        let chosen = match by {
            Some(by) => format!("{inverted}{}", selector(by)?),
            None => String::new(),
        };
        let mut path = Self::start(&root, *kind, &request.context, inside)?;
        let single = by.is_none_or(By::is_single);
        match (inside, by) {
            (Inside::Map, Some(By::Key(key))) => path += &key_step(key)?,
            (Inside::List, _) => path.extend([".[", &chosen, "]"]),
            _ => path.extend([".{", &chosen, "}"]),
        }
        let getter = match returns {
            returns::VALUE => String::new(),
            returns::COUNT => ".count()".to_owned(),
            returns::EXISTS => ".exists()".to_owned(),
            returns::KEY => ".getKeys()".to_owned(),
            returns::KEY_VALUE => ".getKeyValues()".to_owned(),
            returns => {
                let (name, _) = RETURNS.iter().find(|(_, number)| *number == returns)?;
                format!(".get(return: {name})")
            }
        };
        path += &getter;
        if returns::kind(returns, single).is_none() {
            path += &self.pin();
        }
        Some(path)
    }

    /// Formats a path that ends in a list index.
    fn joined(
        &self,
        root: &str,
        kind: Type,
        context: &[Step<&[u8]>],
        inside: Inside,
        index: &str,
    ) -> Option<String> {
        let start = Self::start(root, kind, context, inside)?;
        Some(format!("{start}.[{index}]{}", self.pin()))
    }

    fn pin(&self) -> String {
        self.result.map_or(String::new(), |kind| format!(":{kind}"))
    }

    /// What the path begins at, and the steps into it.
    fn start(root: &str, kind: Type, context: &[Step<&[u8]>], inside: Inside) -> Option<String> {
        let first = context.first().map_or(inside, |step| step.inside);
        let container = if first == Inside::List { Type::List } else { Type::Map };
        if kind != container {
            return None;
        }
        let mut path = root.to_owned();
        for step in context {
            path += &step_text(step)?;
        }
        Some(path)
    }

    /// Formats the call by name.
    fn named(&self, f: &mut Formatter<'_>) -> Result {
        let (family, names) = match self.system {
            CDT if self.number < 64 => ("list", LIST),
            CDT => ("map", MAP),
            BITS => ("bit", BIT),
            STRINGS => ("string", STRING),
            _ => ("hll", HLL),
        };
        match names.iter().find(|(number, _)| *number == self.number) {
            Some((_, name)) => write!(f, "{family}.{name}({}", self.on)?,
            None => write!(f, "{family}.{}({}", self.number, self.on)?,
        }
        for argument in &self.arguments {
            match argument {
                Argument::Raw(raw) => match value_text(raw) {
                    Some(text) => write!(f, ", {text}")?,
                    None => write!(f, ", X'{}'", hex(raw))?,
                },
                Argument::Expression(argument) => write!(f, ", {argument}")?,
            }
        }
        if let Some(context) = &self.context {
            match value_text(context) {
                Some(text) => write!(f, ", context {text}")?,
                None => write!(f, ", context X'{}'", hex(context))?,
            }
        }
        f.write_char(')')?;
        f.write_str(&self.pin())
    }
}

/// The packed value of a constant argument.
fn constant(argument: &Argument) -> Option<&[u8]> {
    match argument {
        Argument::Raw(raw) => Some(raw),
        Argument::Expression(argument) => match argument.node() {
            Node::Constant(Constant::Packed(_, packed)) => Some(packed),
            _ => None,
        },
    }
}

/// The text in the brackets.
fn selector(by: &By<&[u8]>) -> Option<String> {
    let range = |first: &i64, count: &Option<i64>| match count {
        None => Some(format!("{first}:")),
        // A range that starts before the end and extends beyond it cannot be written with two ends.
        Some(count) if *count < 0 => None,
        Some(count) => {
            let end = first.checked_add(*count)?;
            ((*first < 0) == (end < 0)).then(|| format!("{first}:{end}"))
        }
    };
    let ends = |begin: &[u8], end: Option<&[u8]>| {
        let end = match end {
            Some(end) => value_text(end)?,
            None => String::new(),
        };
        Some(format!("{}:{end}", value_text(begin)?))
    };
    let counted = |first: &i64, count: &Option<i64>, from: &[u8]| {
        let end = match count {
            Some(count) if *count < 0 => return None,
            Some(count) => first.checked_add(*count)?.to_string(),
            None => String::new(),
        };
        Some(format!("{first}:{end}~{}", value_text(from)?))
    };
    Some(match by {
        By::Index(index) => index.to_string(),
        By::Rank(rank) => format!("#{rank}"),
        By::Key(key) => format!("@{}", value_text(key)?),
        By::Value(_) => return None,
        By::AllByValue(value) => format!("={}", value_text(value)?),
        By::ValueList(values) => format!("={}", list_text(values)?),
        By::KeyList(keys) => format!("@{}", list_text(keys)?),
        By::IndexRange(first, count) => range(first, count)?,
        By::RankRange(first, count) => format!("#{}", range(first, count)?),
        By::ValueInterval(begin, end) => format!("={}", ends(begin, *end)?),
        By::KeyInterval(begin, end) => format!("@{}", ends(begin, *end)?),
        By::RelativeIndex(key, first, count) => counted(first, count, key)?,
        By::RelativeRank(value, first, count) => format!("#{}", counted(first, count, value)?),
    })
}

const LIST_SIZE: i64 = 16;

const LIST: &[(i64, &str)] = &[
    (0, "set_order"),
    (1, "append"),
    (2, "append_items"),
    (3, "insert"),
    (4, "insert_items"),
    (5, "pop"),
    (6, "pop_range"),
    (7, "remove"),
    (8, "remove_range"),
    (9, "set"),
    (10, "trim"),
    (11, "clear"),
    (12, "increment"),
    (13, "sort"),
    (16, "size"),
    (17, "get"),
    (18, "get_range"),
    (19, "get_by_index"),
    (21, "get_by_rank"),
    (22, "get_by_value"),
    (23, "get_by_value_list"),
    (24, "get_by_index_range"),
    (25, "get_by_value_range"),
    (26, "get_by_rank_range"),
    (27, "get_by_value_relative_rank"),
    (28, "join"),
    (32, "remove_by_index"),
    (34, "remove_by_rank"),
    (35, "remove_by_value"),
    (36, "remove_by_value_list"),
    (37, "remove_by_index_range"),
    (38, "remove_by_value_range"),
    (39, "remove_by_rank_range"),
    (40, "remove_by_value_relative_rank"),
];

const MAP: &[(i64, &str)] = &[
    (64, "set_order"),
    (67, "put"),
    (68, "put_items"),
    (73, "increment"),
    (74, "decrement"),
    (75, "clear"),
    (76, "remove_by_key"),
    (77, "remove_by_index"),
    (79, "remove_by_rank"),
    (81, "remove_by_key_list"),
    (82, "remove_by_value"),
    (83, "remove_by_value_list"),
    (84, "remove_by_key_range"),
    (85, "remove_by_index_range"),
    (86, "remove_by_value_range"),
    (87, "remove_by_rank_range"),
    (88, "remove_by_key_relative_index"),
    (89, "remove_by_value_relative_rank"),
    (96, "size"),
    (97, "get_by_key"),
    (98, "get_by_index"),
    (100, "get_by_rank"),
    (102, "get_by_value"),
    (103, "get_by_key_range"),
    (104, "get_by_index_range"),
    (105, "get_by_value_range"),
    (106, "get_by_rank_range"),
    (107, "get_by_key_list"),
    (108, "get_by_value_list"),
    (109, "get_by_key_relative_index"),
    (110, "get_by_value_relative_rank"),
];

const BIT: &[(i64, &str)] = &[
    (0, "resize"),
    (1, "insert"),
    (2, "remove"),
    (3, "set"),
    (4, "or_"),
    (5, "xor"),
    (6, "and_"),
    (7, "not_"),
    (8, "lshift"),
    (9, "rshift"),
    (10, "add"),
    (11, "subtract"),
    (12, "set_int"),
    (50, "get"),
    (51, "count"),
    (52, "lscan"),
    (53, "rscan"),
    (54, "get_int"),
    (55, "base64"),
];

const STRING: &[(i64, &str)] = &[
    (0, "length"),
    (1, "substring"),
    (2, "char_at"),
    (3, "find"),
    (4, "contains"),
    (5, "starts_with"),
    (6, "ends_with"),
    (7, "to_int"),
    (8, "to_float"),
    (9, "byte_length"),
    (10, "is_numeric"),
    (11, "is_upper"),
    (12, "is_lower"),
    (13, "to_blob"),
    (14, "split"),
    (15, "from_base64"),
    (16, "matches"),
    (50, "insert"),
    (51, "overwrite"),
    (52, "concat"),
    (53, "snip"),
    (54, "replace"),
    (55, "replace_all"),
    (56, "upper"),
    (57, "lower"),
    (58, "fold_case"),
    (59, "normalize"),
    (60, "trim_start"),
    (61, "trim_end"),
    (62, "trim"),
    (63, "pad_start"),
    (64, "pad_end"),
    (65, "repeat"),
    (66, "replace_matches"),
    (67, "append"),
    (68, "prepend"),
];

const HLL: &[(i64, &str)] = &[
    (0, "init"),
    (1, "add"),
    (2, "set_union"),
    (3, "refresh_count"),
    (4, "fold"),
    (50, "get_count"),
    (51, "get_union"),
    (52, "get_union_count"),
    (53, "get_intersect_count"),
    (54, "get_similarity"),
    (55, "describe"),
    (56, "may_contain"),
];

//! Methods of strings, blobs and sketches: `$.name.lower() == 'kim'`.

use std::ops::Range;

use super::arguments::{Argument, in_order};
use super::root::Root;
use super::{ParseResult, Parser, Spanned, change, faulty};
use crate::bits::{Area, BitOp, Combine};
use crate::cdt::ListOp;
use crate::expression::call::{BITS, CDT, Call, HLL, STRINGS};
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Constant, Expression, Fault, Node, Op, Slot, Type};
use crate::hll::{self, HllOp};
use crate::strings::{Change, StringOp, number};
use crate::value::Value;

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Of(Type),
    /// A constant, or of several types.
    Any,
}

use Kind::{Any, Of};

const TEXT: Kind = Of(Type::Str);
const INT: Kind = Of(Type::Int);
const BLOB: Kind = Of(Type::Blob);

/// A method: its name, the fewest arguments, its parameters.
type Method = (&'static str, usize, &'static [(&'static str, Kind)]);

const OFFSET: (&str, Kind) = ("offset", INT);
const SIZE: (&str, Kind) = ("size", INT);

const STRINGS_: [Method; 30] = [
    ("strlen", 0, &[]),
    ("substr", 1, &[("from", INT), ("to", INT)]),
    ("charAt", 1, &[("index", INT)]),
    ("find", 1, &[("needle", TEXT), ("occurrence", INT)]),
    ("contains", 1, &[("needle", TEXT)]),
    ("startsWith", 1, &[("prefix", TEXT)]),
    ("endsWith", 1, &[("suffix", TEXT)]),
    ("bytesLength", 0, &[]),
    ("isNumeric", 0, &[("kind", Any)]),
    ("isUpper", 0, &[]),
    ("isLower", 0, &[]),
    ("toBlob", 0, &[]),
    ("split", 0, &[("separator", TEXT)]),
    ("b64Decode", 0, &[]),
    ("insert", 2, &[OFFSET, ("value", TEXT)]),
    ("overwrite", 2, &[OFFSET, ("value", TEXT)]),
    ("snip", 1, &[("from", INT), ("to", INT)]),
    ("replace", 2, &[("find", TEXT), ("replace", TEXT)]),
    ("replaceAll", 2, &[("find", TEXT), ("replace", TEXT)]),
    ("regexReplace", 2, &[("pattern", TEXT), ("replace", TEXT)]),
    ("upper", 0, &[]),
    ("lower", 0, &[]),
    ("caseFold", 0, &[]),
    ("normalizeNFC", 0, &[]),
    ("trim", 0, &[]),
    ("trimStart", 0, &[]),
    ("trimEnd", 0, &[]),
    ("padStart", 2, &[("length", INT), ("pad", TEXT)]),
    ("padEnd", 2, &[("length", INT), ("pad", TEXT)]),
    ("repeat", 1, &[("count", INT)]),
];

const BITS_: [Method; 19] = [
    ("bitGet", 2, &[OFFSET, SIZE]),
    ("bitCount", 2, &[OFFSET, SIZE]),
    ("bitLscan", 3, &[OFFSET, SIZE, ("value", Any)]),
    ("bitRscan", 3, &[OFFSET, SIZE, ("value", Any)]),
    ("bitGetInt", 2, &[OFFSET, SIZE, ("signed", Any)]),
    ("bitSet", 3, &[OFFSET, SIZE, ("value", BLOB)]),
    ("bitOr", 3, &[OFFSET, SIZE, ("value", BLOB)]),
    ("bitXor", 3, &[OFFSET, SIZE, ("value", BLOB)]),
    ("bitAnd", 3, &[OFFSET, SIZE, ("value", BLOB)]),
    ("bitNot", 2, &[OFFSET, SIZE]),
    ("bitLshift", 3, &[OFFSET, SIZE, ("shift", INT)]),
    ("bitRshift", 3, &[OFFSET, SIZE, ("shift", INT)]),
    ("bitAdd", 3, &[OFFSET, SIZE, ("value", INT), ("signed", Any)]),
    ("bitSubtract", 3, &[OFFSET, SIZE, ("value", INT), ("signed", Any)]),
    ("bitSetInt", 3, &[OFFSET, SIZE, ("value", INT)]),
    ("bitResize", 1, &[("byteSize", INT)]),
    ("bitInsert", 2, &[("byteOffset", INT), ("value", BLOB)]),
    ("bitRemove", 2, &[("byteOffset", INT), ("byteSize", INT)]),
    ("b64Encode", 0, &[]),
];

const SKETCHES: [Method; 9] = [
    ("hllCount", 0, &[]),
    ("hllDescribe", 0, &[]),
    ("hllMayContain", 1, &[("list", Of(Type::List))]),
    ("hllUnion", 1, &[("other", Any)]),
    ("hllUnionCount", 1, &[("other", Any)]),
    ("hllIntersectCount", 1, &[("other", Any)]),
    ("hllSimilarity", 1, &[("other", Any)]),
    ("hllInit", 1, &[("indexBits", Any), ("minHashBits", Any)]),
    ("hllAdd", 1, &[("list", Of(Type::List)), ("indexBits", Any), ("minHashBits", Any)]),
];

const JOIN: Method = ("join", 0, &[("separator", TEXT)]);

/// Names that methods of strings had while the language was developed, or have where a list has a
/// method of that name.
const ALIASES: [(&str, &str); 6] = [
    ("length", "strlen"),
    ("uppercase", "upper"),
    ("lowercase", "lower"),
    ("fromBase64", "b64Decode"),
    ("splice", "insert"),
    ("toBase64", "b64Encode"),
];

/// The words behind a method that change what it does, and their flags.
const FLAGS: [(&str, i64); 4] =
    [("CREATE_ONLY", 1), ("UPDATE_ONLY", 2), ("NO_FAIL", 4), ("PARTIAL", 8)];

fn current(name: &str) -> &str {
    ALIASES.iter().find(|(old, _)| *old == name).map_or(name, |(_, now)| now)
}

fn find(name: &str) -> Option<(u8, Method)> {
    let name = current(name);
    let within = |methods: &[Method], system: u8| {
        methods.iter().find(|(known, ..)| *known == name).map(|method| (system, *method))
    };
    within(&STRINGS_, STRINGS)
        .or_else(|| within(&BITS_, BITS))
        .or_else(|| within(&SKETCHES, HLL))
        .or_else(|| within(&[JOIN], CDT))
}

/// Whether strings, blobs, sketches or lists of strings have a method with this name.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

impl Parser<'_> {
    /// The call of a method, of which the point comes next.
    pub(super) fn method_of(
        &mut self,
        on: Expression,
        mut at: Range<usize>,
        depth: usize,
    ) -> ParseResult<Spanned> {
        self.advance()?;
        let name_at = self.at.clone();
        let Word::Name(name) = self.word else { return Err(self.unexpected("a method")) };
        let is_container = matches!(on.kind(), Some(Type::List | Type::Map));
        if is_container && (change::is_known(name) || name == "count") {
            return self.change(at.start, &Root::Value(on), None, &[], depth);
        }
        let cast = match name {
            "toInt" => Some((Op::ToInt, StringOp::ToInt, Type::Int)),
            "toFloat" => Some((Op::ToFloat, StringOp::ToFloat, Type::Float)),
            "toString" => Some((Op::ToText, StringOp::ToText, Type::Str)),
            _ if is_known(name) => None,
            _ => {
                return Err(TextError::new(
                    name_at,
                    "only .toInt(), .toFloat(), .toString() and methods of strings, blobs and \
                     sketches can stand here; a path begins at a bin",
                ));
            }
        };
        self.advance()?;
        self.expect("(")?;
        if let Some((op, of_text, gives)) = cast {
            self.expect(")")?;
            at.end = self.last;
            let reads = on.kind() == Some(Type::Str) && op != Op::ToText;
            let whole = if reads {
                string(of_text, gives, &[], on)
            } else {
                Expression::apply(op, vec![on])
            };
            return Ok((faulty(&at, whole)?, at));
        }
        let arguments = self.arguments(depth)?;
        at.end = self.last;
        let mut flags = 0;
        while let Some(word) = self.suffix(&FLAGS.map(|(word, _)| word))? {
            flags |= FLAGS.iter().find(|(known, _)| *known == word).map_or(0, |(_, flag)| *flag);
            at.end = self.last;
        }
        Ok((faulty(&at, call(name, on, arguments, flags))?, at))
    }
}

/// The call of a method.
fn call(
    written: &str,
    on: Expression,
    arguments: Vec<Argument<'_>>,
    flags: i64,
) -> Result<Expression, Fault> {
    let unknown = || Fault::of_value(format!("unknown method {written}"));
    let (system, (name, least, parameters)) = find(written).ok_or_else(unknown)?;
    let most = parameters.len();
    if arguments.len() > most || arguments.len() < least {
        let count = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let why = format!(".{written}() takes {count} arguments, not {}", arguments.len());
        return Err(Fault::of_type(why));
    }
    let how = arguments.iter().fold(0, |all, argument| all | argument.how);
    let labels: Vec<_> = parameters.iter().map(|(label, _)| *label).collect();
    let mut operands = Vec::with_capacity(most);
    for (argument, (label, kind)) in
        in_order(written, &labels, arguments)?.into_iter().zip(parameters)
    {
        operands.push(match kind {
            Of(kind) => argument.refined(*kind, label)?,
            Any => argument,
        });
    }
    let whole = match system {
        BITS => bits(name, operands, flags, on)?,
        HLL => sketch(name, operands, flags, on)?,
        CDT => {
            let op = ListOp::<Slot, Slot>::Join((!operands.is_empty()).then_some(Slot(0)));
            let write = |out: &mut Vec<u8>| op.encode(out);
            let on = on.refined(Type::List, "join")?;
            finished(Call::new(CDT, false, write, &operands, on)?, Some(Type::Str))?
        }
        _ => {
            if name == "find" && operands.len() == 1 {
                operands.push(1.into());
            }
            let kind = match (name, operands.as_slice()) {
                ("isNumeric", [kind]) => number_kind(kind)?,
                _ => number::ANY,
            };
            let op = operation(name, operands.len(), kind, how, flags);
            if flags & 8 != 0 {
                return Err(Fault::of_value("PARTIAL is for methods of blobs"));
            }
            string(op, gives(name), &operands, on)?
        }
    };
    let modifies = matches!(whole.node(), Node::Call(call) if call.modifies);
    if flags != 0 && !modifies {
        return Err(Fault::of_value(format!(".{written}() changes nothing, so it has no flags")));
    }
    Ok(whole)
}

fn finished(mut call: Call, gives: Option<Type>) -> Result<Expression, Fault> {
    call.result = gives.or(call.result);
    Expression::call(call)
}

fn string(
    op: StringOp<Slot, Slot>,
    gives: Type,
    operands: &[Expression],
    on: Expression,
) -> Result<Expression, Fault> {
    let write = |out: &mut Vec<u8>| op.encode::<Value>(&[], out);
    finished(Call::new(STRINGS, op.modifies(), write, operands, on)?, Some(gives))
}

/// Texts, one behind the other.
pub fn concat(left: Expression, right: Expression) -> Result<Expression, Fault> {
    // A sum of bins that nothing said the type of is one of texts as well.
    let mut parts = match left.node() {
        Node::Apply(Op::Add, operands) if left.kind().is_none() => operands.clone(),
        _ => vec![left],
    };
    parts.push(right);
    let mut parts = parts.into_iter().map(|part| part.refined(Type::Str, "`+`"));
    let first = parts.next().ok_or_else(|| Fault::of_value("an empty sum"))??;
    parts
        .try_fold(first, |all, part| string(StringOp::Append(Slot(0), 0), Type::Str, &[part?], all))
}

fn number_kind(word: &Expression) -> Result<i64, Fault> {
    match word.node() {
        Node::Constant(Constant::Bytes(Type::Str, word)) => match word.as_slice() {
            b"any" => Ok(number::ANY),
            b"int" => Ok(number::INT),
            b"float" => Ok(number::FLOAT),
            _ => Err(Fault::of_value("a number is 'any', 'int' or 'float'")),
        },
        _ => Err(Fault::of_type("which number it is must be a text constant")),
    }
}

fn constant_flag(flag: &Expression, what: &str) -> Result<bool, Fault> {
    match flag.node() {
        Node::Constant(Constant::Bool(flag)) => Ok(*flag),
        _ => Err(Fault::of_type(format!("{what} is true or false"))),
    }
}

fn constant_int(int: &Expression, what: &str) -> Result<i64, Fault> {
    match int.node() {
        Node::Constant(Constant::Int(int)) => Ok(*int),
        _ => Err(Fault::of_type(format!("{what} is an integer constant"))),
    }
}

fn bits(
    name: &str,
    mut operands: Vec<Expression>,
    flags: i64,
    on: Expression,
) -> Result<Expression, Fault> {
    let [a, b, c] = [Slot(0), Slot(1), Slot(2)];
    let area = Area { offset: a, size: b };
    let combine = |how| BitOp::Combine { how, area, bytes: c, flags };
    let signed = |at: usize| match operands.get(at) {
        Some(flag) => constant_flag(flag, "signed").map(i64::from),
        None => Ok(0),
    };
    let (op, gives) = match name {
        "bitGet" => (BitOp::Get(area), Some(Type::Blob)),
        "bitCount" => (BitOp::Count(area), Some(Type::Int)),
        "bitLscan" | "bitRscan" => {
            let bit = constant_flag(&operands[2], "the value of a bit")?;
            (BitOp::Scan { right: name == "bitRscan", area, bit }, Some(Type::Int))
        }
        "bitGetInt" => (BitOp::GetInt { area, how: signed(2)? }, Some(Type::Int)),
        "bitSet" => (combine(Combine::Set), None),
        "bitOr" => (combine(Combine::Or), None),
        "bitXor" => (combine(Combine::Xor), None),
        "bitAnd" => (combine(Combine::And), None),
        "bitNot" => (BitOp::Not { area, flags }, None),
        "bitLshift" | "bitRshift" => {
            (BitOp::Shift { right: name == "bitRshift", area, by: c, flags }, None)
        }
        "bitAdd" | "bitSubtract" => {
            let subtract = name == "bitSubtract";
            (BitOp::Add { subtract, area, value: c, flags, how: signed(3)? }, None)
        }
        "bitSetInt" => (BitOp::SetInt { area, value: c, flags }, None),
        "bitResize" => (BitOp::Resize { size: a, flags, how: 0 }, None),
        "bitInsert" => (BitOp::Insert { offset: a, bytes: b, flags }, None),
        "bitRemove" => (BitOp::Remove { offset: a, size: b, flags }, None),
        _ => {
            operands = vec![0.into()];
            (BitOp::Base64 { offset: a, size: None, how: 0 }, Some(Type::Str))
        }
    };
    let write = |out: &mut Vec<u8>| op.encode(out);
    finished(Call::new(BITS, op.modifies(), write, &operands, on)?, gives)
}

fn sketch(
    name: &str,
    mut operands: Vec<Expression>,
    flags: i64,
    on: Expression,
) -> Result<Expression, Fault> {
    let sizes = usize::from(name == "hllAdd");
    let mut precision = hll::UNSET;
    if matches!(name, "hllInit" | "hllAdd") {
        for (at, operand) in operands.drain(sizes..).enumerate() {
            let size = constant_int(&operand, "a number of bits")?;
            *[&mut precision.index, &mut precision.minhash][at] = size;
        }
    } else if let [other] = operands.as_mut_slice() {
        let kind = if name == "hllMayContain" { Type::List } else { Type::Hll };
        if other.kind().is_none() {
            *other = other.clone().refined(kind, name)?;
        }
        if !matches!(other.kind(), Some(Type::List | Type::Hll)) {
            return Err(Fault::of_type(format!(".{name}() takes a sketch, or a list of them")));
        }
    }
    let a = Slot(0);
    let (op, gives) = match name {
        "hllInit" => (HllOp::Init(precision, flags), None),
        "hllAdd" => (HllOp::Add { values: a, precision, flags }, None),
        "hllDescribe" => (HllOp::Describe, Some(Type::List)),
        "hllMayContain" => (HllOp::MayContain(a), Some(Type::Int)),
        "hllUnion" => (HllOp::Union(a), Some(Type::Hll)),
        "hllUnionCount" => (HllOp::UnionCount(a), Some(Type::Int)),
        "hllIntersectCount" => (HllOp::IntersectCount(a), Some(Type::Int)),
        "hllSimilarity" => (HllOp::Similarity(a), Some(Type::Float)),
        _ => (HllOp::Count, Some(Type::Int)),
    };
    let write = |out: &mut Vec<u8>| op.encode(out);
    finished(Call::new(HLL, op.modifies(), write, &operands, on)?, gives)
}

/// The type of the result of a method of strings.
fn gives(name: &str) -> Type {
    match name {
        "strlen" | "find" | "bytesLength" => Type::Int,
        "contains" | "startsWith" | "endsWith" | "isNumeric" | "isUpper" | "isLower" => Type::Bool,
        "toBlob" | "b64Decode" => Type::Blob,
        "split" => Type::List,
        _ => Type::Str,
    }
}

/// The operation of a method, with placeholders for its operands.
fn operation(name: &str, count: usize, kind: i64, how: i64, flags: i64) -> StringOp<Slot, Slot> {
    let [a, b] = [Slot(0), Slot(1)];
    let second = (count > 1).then_some(b);
    let change = |change| StringOp::Change(change, flags);
    match name {
        "substr" => StringOp::Substring(a, second),
        "charAt" => StringOp::CharAt(a),
        "find" => StringOp::Find(a, b),
        "contains" => StringOp::Contains(a),
        "startsWith" => StringOp::StartsWith(a),
        "endsWith" => StringOp::EndsWith(a),
        "bytesLength" => StringOp::ByteLength,
        "isNumeric" => StringOp::IsNumeric(kind),
        "isUpper" => StringOp::IsUpper,
        "isLower" => StringOp::IsLower,
        "toBlob" => StringOp::ToBlob,
        "split" => StringOp::Split((count > 0).then_some(a)),
        "b64Decode" => StringOp::FromBase64,
        "insert" => StringOp::Insert { index: a, value: b, flags },
        "overwrite" => StringOp::Overwrite { index: a, value: b, flags },
        "snip" => StringOp::Snip { start: a, end: second, flags },
        "replace" => StringOp::Replace { all: false, find: a, replacement: b, flags },
        "replaceAll" => StringOp::Replace { all: true, find: a, replacement: b, flags },
        "regexReplace" => StringOp::ReplaceMatches { pattern: a, replacement: b, how, flags },
        "upper" => change(Change::Upper),
        "lower" => change(Change::Lower),
        "caseFold" => change(Change::FoldCase),
        "normalizeNFC" => change(Change::Normalize),
        "trim" => change(Change::Trim),
        "trimStart" => change(Change::TrimStart),
        "trimEnd" => change(Change::TrimEnd),
        "padStart" => StringOp::Pad { end: false, length: a, pad: b, flags },
        "padEnd" => StringOp::Pad { end: true, length: a, pad: b, flags },
        "repeat" => StringOp::Repeat(a, flags),
        _ => StringOp::Length,
    }
}

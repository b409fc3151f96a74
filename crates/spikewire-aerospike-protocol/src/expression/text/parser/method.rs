//! Methods of strings: `$.name.lower() == 'kim'`.

use crate::expression::call::{Call, STRINGS};
use crate::expression::{Constant, Expression, Fault, Node, Slot, Type};
use crate::strings::{Change, StringOp, number};
use crate::value::Value;

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    Text(&'static str),
    Place(&'static str),
    /// Which number: a constant text.
    Number,
}

use Parameter::{Number, Place, Text};

/// A method: its name, the fewest arguments, its parameters, and the type of its result; `None` for
/// the changed string.
type Method = (&'static str, usize, &'static [Parameter], Option<Type>);

const METHODS: [Method; 29] = [
    ("strlen", 0, &[], Some(Type::Int)),
    ("substr", 1, &[Place("from"), Place("to")], Some(Type::Str)),
    ("charAt", 1, &[Place("index")], Some(Type::Str)),
    ("find", 1, &[Text("needle"), Place("occurrence")], Some(Type::Int)),
    ("contains", 1, &[Text("needle")], Some(Type::Bool)),
    ("startsWith", 1, &[Text("prefix")], Some(Type::Bool)),
    ("endsWith", 1, &[Text("suffix")], Some(Type::Bool)),
    ("bytesLength", 0, &[], Some(Type::Int)),
    ("isNumeric", 0, &[Number], Some(Type::Bool)),
    ("isUpper", 0, &[], Some(Type::Bool)),
    ("isLower", 0, &[], Some(Type::Bool)),
    ("toBlob", 0, &[], Some(Type::Blob)),
    ("split", 0, &[Text("separator")], Some(Type::List)),
    ("b64Decode", 0, &[], Some(Type::Blob)),
    ("insert", 2, &[Place("index"), Text("value")], None),
    ("overwrite", 2, &[Place("index"), Text("value")], None),
    ("snip", 1, &[Place("from"), Place("to")], None),
    ("replace", 2, &[Text("find"), Text("replacement")], None),
    ("replaceAll", 2, &[Text("find"), Text("replacement")], None),
    ("upper", 0, &[], None),
    ("lower", 0, &[], None),
    ("caseFold", 0, &[], None),
    ("normalizeNFC", 0, &[], None),
    ("trim", 0, &[], None),
    ("trimStart", 0, &[], None),
    ("trimEnd", 0, &[], None),
    ("padStart", 2, &[Place("length"), Text("pad")], None),
    ("padEnd", 2, &[Place("length"), Text("pad")], None),
    ("repeat", 1, &[Place("count")], None),
];

/// Whether strings have a method with this name.
pub fn is_known(name: &str) -> bool {
    METHODS.iter().any(|(known, ..)| *known == name)
}

/// The call of a method on a string.
pub fn call(name: &str, on: Expression, args: Vec<Expression>) -> Result<Expression, Fault> {
    let method = METHODS.iter().find(|(known, ..)| *known == name);
    let (_, least, parameters, gives) =
        method.ok_or_else(|| Fault::of_value(format!("unknown method {name}")))?;
    let most = parameters.len();
    if args.len() > most || args.len() < *least {
        let count = if *least == most { most.to_string() } else { format!("{least} to {most}") };
        let why = format!(".{name}() takes {count} arguments, not {}", args.len());
        return Err(Fault::of_type(why));
    }
    let mut kind = number::ANY;
    let mut operands = Vec::with_capacity(args.len());
    for (argument, parameter) in args.into_iter().zip(*parameters) {
        operands.push(match parameter {
            Text(what) => argument.refined(Type::Str, what)?,
            Place(what) => argument.refined(Type::Int, what)?,
            Number => {
                kind = number_kind(&argument)?;
                argument
            }
        });
    }
    if name == "find" && operands.len() == 1 {
        operands.push(1.into());
    }
    let op = operation(name, operands.len(), kind);
    let write = |out: &mut Vec<u8>| op.encode::<Value>(&[], out);
    let mut call = Call::new(STRINGS, op.modifies(), write, &operands, on)?;
    call.result = *gives;
    Expression::call(call)
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

/// The operation of a method, with placeholders for its operands.
fn operation(name: &str, count: usize, kind: i64) -> StringOp<Slot, Slot> {
    let [a, b] = [Slot(0), Slot(1)];
    let second = (count > 1).then_some(b);
    let flags = 0;
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

//! Methods of strings: `$.name.lower() == 'kim'`.

use crate::cdt::Step;
use crate::expression::{Constant, Expression, Fault, Node};
use crate::operation::{Arguments, Family, OperandArguments, Words, number_of, within};

/// Methods, and the operations that they are.
const METHODS: [(&str, &str); 27] = [
    ("strlen", "length"),
    ("substr", "substring"),
    ("charAt", "char_at"),
    ("find", "find"),
    ("contains", "contains"),
    ("startsWith", "starts_with"),
    ("endsWith", "ends_with"),
    ("bytesLength", "byte_length"),
    ("isNumeric", "is_numeric"),
    ("isUpper", "is_upper"),
    ("isLower", "is_lower"),
    ("toBlob", "to_blob"),
    ("split", "split"),
    ("b64Decode", "from_base64"),
    ("insert", "insert"),
    ("overwrite", "overwrite"),
    ("snip", "snip"),
    ("replace", "replace"),
    ("replaceAll", "replace_all"),
    ("upper", "upper"),
    ("lower", "lower"),
    ("caseFold", "fold_case"),
    ("normalizeNFC", "normalize"),
    ("trim", "trim"),
    ("padStart", "pad_start"),
    ("padEnd", "pad_end"),
    ("repeat", "repeat"),
];

/// The operation that this method is.
pub fn operation_of(method: &str) -> Option<&'static str> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, operation)| *operation)
}

/// The operation with this name on a string.
pub fn call(name: &str, on: Expression, given: Vec<Expression>) -> Result<Expression, Fault> {
    let parameters = Family::String.signature(name).map_or(&[][..], |it| it.parameters);
    let most = parameters.iter().filter(|it| !is_flag(it.name)).count();
    if given.len() > most {
        let why = format!("at most {most} arguments are wanted and {} were given", given.len());
        return Err(Fault::of_type(why));
    }
    let mut given: Vec<_> = given.into_iter().map(Some).collect();
    given.resize(parameters.len(), None);
    Family::String.call(name, on, &MethodArguments(given), &[] as &[Step<Vec<u8>>], None)
}

/// Flags of operations, which methods do not take.
fn is_flag(name: &str) -> bool {
    matches!(name, "create_only" | "update_only" | "no_fail")
}

/// Arguments by position.
struct MethodArguments(Vec<Option<Expression>>);

impl Arguments for MethodArguments {
    type Error = Fault;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.0[at].is_none()
    }

    fn bits(&self, _: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Fault> {
        within(name, i64::MIN, bounds)
    }

    fn flag(&self, _: usize, _: &'static str) -> Result<bool, Fault> {
        Ok(false)
    }

    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64, Fault> {
        match self.0[at].as_ref().map(Expression::node) {
            None => Ok(known[0].1),
            Some(Node::Constant(Constant::Bytes(_, word))) => {
                number_of(known, name, &String::from_utf8_lossy(word))
            }
            Some(_) => Err(Fault::of_type(format!("{name} must be a text constant"))),
        }
    }
}

impl OperandArguments for MethodArguments {
    fn operand(&self, at: usize, name: &'static str) -> Result<Expression, Fault> {
        match (&self.0[at], name) {
            (Some(operand), _) => Ok(operand.clone()),
            (None, "occurrence") => Ok(1.into()),
            (None, _) => Err(Fault::of_type(format!("{name} is missing"))),
        }
    }
}

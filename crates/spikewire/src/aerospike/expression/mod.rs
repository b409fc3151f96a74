//! What the nodes compute from a record, as a filter or as a value.
//!
//! | module | contents |
//! |---|---|
//! | [`exp`] | typed expressions |
//! | [`operand`], [`operators`] | operands, and operators that combine them |
//! | [`list`], [`map`], [`bit`], [`hll`], [`string`] | operations inside them; generated from `tools/verbs` |
//! | [`path`], [`loop_var`] | paths to many elements, and the elements that their filters see |
//! | [`call`], [`options`] | arguments and options of such an operation |

pub mod bit;
mod call;
pub mod exp;
pub mod hll;
pub mod list;
pub mod loop_var;
pub mod map;
pub(crate) mod operand;
mod operators;
mod options;
pub mod path;
pub mod string;

use std::fmt;

use spikewire_aerospike::query::FilterSource;
use spikewire_aerospike_protocol::expression as wire;
use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault};
use spikewire_aerospike_protocol::msgpack;

use self::call::CallExpression;
use crate::aerospike::calls::{Call, PathCall};
use crate::{Error, Result, Value};

/// An expression tree, or why it is invalid.
type TreeResult = std::result::Result<Tree, Fault>;
/// Parses a text with its parameters.
type Parse = fn(&str, &[Tree]) -> std::result::Result<Tree, wire::text::TextError>;

/// An expression that a node evaluates on a record: a filter, or the value of
/// [`op::read`](crate::op::read).
///
/// Built with the functions of [`exp`](crate::exp), or parsed from a text. In a text, `?0`, `?1`
/// stand for separate parameters, so that nothing has to be quoted; all of them must be used.
///
/// ```
/// use spikewire::{Expression, Value};
///
/// let adults = Expression::from("$.age >= 18 and $.country == 'US'");
/// let of_age = Expression::with("$.age >= ?0", [Value::from(18)]);
/// # assert_ne!(adults.to_string(), of_age.to_string());
/// ```
///
/// | what | how |
/// |---|---|
/// | bin; with its type where nothing else says it | `$.age`, `$."a name"`, `$.a:INT == $.b` |
/// | inside lists and maps | `$.log.[-1]`, `$.cart.apples`, `$.scores.{#-3:}.count()` |
/// | many elements | `$.books.[?(@.price < 10)].title`, `$.scores:MAP.*` |
/// | about the record | `$.ttl()`, `$.setName()`, `$.recordSize()`, `$.lastUpdate()` |
/// | logic, comparison | `and or not == != < <= > >=`, `in [1, 2]`, `=~ /^a/i` |
/// | numbers | `+ - * / % **`, `abs min max floor ceil`, `.toInt() .toFloat()` |
/// | choice | `when($.n > 3 => 'many', default => 'few')` |
///
/// Expressions are checked when they are used: an invalid one fails then, with [`Kind::Invalid`]
/// and the position.
///
/// [`Kind::Invalid`]: crate::Kind::Invalid
#[derive(Debug, Clone, PartialEq)]
pub struct Expression(Form);

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Text(String, Vec<Value>),
    Wire(Vec<u8>),
    Tree(TreeResult),
    /// May still get options.
    Call(Box<CallExpression>),
    /// The same of a path operation, on the result of another expression.
    Path(Box<(Tree, PathCall)>),
}

impl Expression {
    /// A list, map, bit or sketch operation on the result of `on`.
    pub(crate) fn called(on: impl operand::Operand, call: Call<Tree>) -> Self {
        match on.into_tree() {
            Ok(on) => Self(Form::Call(Box::new(CallExpression { on, call, kind: None }))),
            Err(fault) => Self(Form::Tree(Err(fault))),
        }
    }

    /// A path operation on the result of `on`.
    pub(crate) fn along(on: impl operand::Operand, path: PathCall) -> Self {
        match on.into_tree() {
            Ok(on) => Self(Form::Path(Box::new((on, path)))),
            Err(fault) => Self(Form::Tree(Err(fault))),
        }
    }

    /// Builds the expression tree. A text may be about an element of a path.
    pub(crate) fn tree(&self, filter: bool) -> TreeResult {
        let read = if filter { wire::text::parse_filter } else { wire::text::parse_element };
        self.tree_by(if filter { "filter" } else { "expression" }, read)
    }

    /// A filter of the elements of a path.
    pub(crate) fn element_filter(&self) -> TreeResult {
        self.tree_by("filter", wire::text::parse_element_filter)
    }

    /// The new value of an element of a path.
    pub(crate) fn element_value(&self) -> TreeResult {
        self.tree_by("value", wire::text::parse_element)
    }

    fn tree_by(&self, what: &str, read: Parse) -> TreeResult {
        match &self.0 {
            Form::Tree(tree) => tree.clone(),
            Form::Call(called) => called.tree(),
            Form::Path(path) => {
                let (on, path) = &**path;
                let tree = path.operation().and_then(|it| Tree::path(on.clone(), it));
                tree.map_err(|fault| fault.within(&format!("exp::{}", path.qualified_name())))
            }
            Form::Wire(bytes) => Tree::decode(bytes),
            Form::Text(text, values) => {
                let own = |error: Error| Fault::Value(error.message().to_owned());
                let values = constants(what, values).map_err(own)?;
                read(text, &values).map_err(|error| own(unread(what, text, &error)))
            }
        }
    }

    /// A text, and the values of its parameters `?0`, `?1`, ...
    pub fn with(text: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Self {
        Self(Form::Text(text.into(), values.into_iter().collect()))
    }

    /// An encoded expression, as other clients of the protocol produce it. It is not checked by the
    /// client.
    pub fn from_wire(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Form::Wire(bytes.into()))
    }

    /// Encodes a filter, and says what it was made from.
    pub(crate) fn query_filter(&self) -> Result<(Vec<u8>, FilterSource)> {
        let tree = match &self.0 {
            Form::Wire(bytes) => return Ok((checked("filter", bytes)?, FilterSource::Compiled)),
            Form::Text(text, values) => {
                let parsed = wire::text::parse_filter(text, &constants("filter", values)?);
                Ok(parsed.map_err(|error| unread("filter", text, &error))?)
            }
            Form::Tree(_) | Form::Call(_) | Form::Path(_) => self.tree(true),
        };
        let tree = tree.map_err(|fault| fault_in("filter", &fault))?;
        let filter = tree.filter().map_err(|fault| fault_in("filter", &fault))?;
        let source = match &self.0 {
            Form::Text(..) => FilterSource::of_text(&tree),
            _ => FilterSource::Compiled,
        };
        Ok((filter, source))
    }

    /// Encodes a value.
    pub(crate) fn value(&self) -> Result<Vec<u8>> {
        match &self.0 {
            Form::Wire(bytes) => checked("expression", bytes),
            Form::Text(text, values) => {
                let parsed = wire::text::parse(text, &constants("expression", values)?);
                let parsed = parsed.map_err(|error| unread("expression", text, &error))?;
                parsed.of_record().map_err(|fault| fault_in("expression", &fault))
            }
            Form::Tree(_) | Form::Call(_) | Form::Path(_) => {
                let tree = self.tree(false).and_then(|tree| tree.of_record());
                tree.map_err(|fault| fault_in("expression", &fault))
            }
        }
    }

    /// The value of an operation that reads this expression or writes its result.
    pub(crate) fn operation(&self) -> Result<Vec<u8>> {
        let value = self.value()?;
        let mut out = Vec::with_capacity(value.len() + 2);
        msgpack::array(&mut out, 2);
        out.extend_from_slice(&value);
        msgpack::uint(&mut out, 0);
        Ok(out)
    }
}

impl From<&str> for Expression {
    fn from(text: &str) -> Self {
        Self::with(text, [])
    }
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Self::with(text, [])
    }
}

impl From<&Expression> for Expression {
    fn from(expression: &Expression) -> Self {
        expression.clone()
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Text(text, _) => f.write_str(text),
            Form::Wire(bytes) => write!(f, "<{} bytes>", bytes.len()),
            Form::Tree(_) | Form::Call(_) | Form::Path(_) => match self.tree(false) {
                Ok(tree) => tree.fmt(f),
                Err(fault) => write!(f, "<{fault}>"),
            },
        }
    }
}

fn constants(what: &str, values: &[Value]) -> Result<Vec<wire::Expression>> {
    let constant = |(at, value)| {
        wire::Expression::try_from(value)
            .map_err(|fault| Error::invalid(format!("{what}: ?{at}: {fault}")))
    };
    values.iter().enumerate().map(constant).collect()
}

fn unread(what: &str, text: &str, error: &wire::text::TextError) -> Error {
    let (fault, place) = (&error.fault, error.place(text));
    Error::invalid(format!("{what}: {fault} ({place})\n{}", error.excerpt(text)))
}

fn fault_in(what: &str, fault: &Fault) -> Error {
    Error::invalid(format!("{what}: {fault}"))
}

fn checked(what: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.is_empty() || bytes.len() > wire::SIZE {
        return Err(Error::invalid(format!(
            "{what}: an expression has from 1 to {} bytes, not {}",
            wire::SIZE,
            bytes.len()
        )));
    }
    Ok(bytes.to_vec())
}

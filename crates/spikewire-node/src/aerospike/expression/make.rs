//! Creates expressions of each form: `expression(form, args)`, with the arguments in an array.

use spikewire_aerospike_protocol::expression::op::Signature;
use spikewire_aerospike_protocol::expression::text::{parse_element, parse_filter};
use spikewire_aerospike_protocol::expression::{Expression as Tree, Meta, Op, Type};
use spikewire_aerospike_protocol::operation::{Family, OperandArguments};

use super::filter::{text_with, whole};
use super::path::{build_loop, build_path};
use super::{kind_of, name_of, operand, wrap};
use crate::aerospike::calls::context::Path;
use crate::aerospike::calls::encoded::Form;
use crate::aerospike::calls::values::integer;
use crate::aerospike::calls::{OperationArguments, elements};
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::hooks::Hooks;
use crate::js::failure::camel;
use crate::js::{Failure, Result, Value};

/// `expression(form, args)`: returns the encoding of an expression.
pub fn expression<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let form = text("form", call.argument(0))?;
    let hooks = call.host.environment.hooks()?;
    let tree = build(hooks, &form, &OperationArguments::new(hooks, call.argument(1))?)?;
    wrap(call.env, &tree).map(Some)
}

fn build(hooks: &Hooks, form: &str, args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let tree = match form {
        "bin" => match args.get(1)?.present() {
            Some(kind) => Tree::typed_bin(kind_of(kind)?, bin_name(args)?)?,
            None => Tree::bin(bin_name(args)?)?,
        },
        "binType" => Tree::bin_type(bin_name(args)?)?,
        "value" => operand(hooks, "value", args.get(0)?)?,
        "unknown" => Tree::unknown(),
        "key" => Tree::key(kind_of(args.get(0)?)?)?,
        "meta" => Tree::meta(metadata(args.get(0)?)?),
        "digestModulo" => Tree::digest_modulo(integer("divisor", args.get(0)?)?)?,
        "var" => Tree::var(text("the name of a variable", args.get(0)?)?)?,
        "let" => build_let(hooks, args)?,
        "apply" => {
            let op = operator(args.get(0)?)?;
            let operands = elements(args.get(1)?)?.into_iter();
            let operands = operands.map(|it| operand(hooks, "an operand", it));
            let operands = operands.collect::<Result<Vec<_>>>()?;
            Tree::apply(op, with_floats(op, operands))?
        }
        "join" => {
            let op = operator(args.get(0)?)?;
            let left = operand(hooks, "the first operand", args.get(1)?)?;
            let right = operand(hooks, "the second operand", args.get(2)?)?;
            let [left, right] = with_floats(op, [left, right]);
            Tree::join(op, left, right)?
        }
        "call" => build_call(hooks, args)?,
        "path" => build_path(hooks, args)?,
        "loop" => build_loop(args)?,
        "text" => text_with(hooks, &elements(args.get(0)?)?, parse_element)?,
        "where" => text_with(hooks, &elements(args.get(0)?)?, parse_filter)
            .map_err(|failure| failure.about("where"))?,
        "matches" => build_match(hooks, args)?,
        "from" => {
            let read = args.get(0)?.with_bytes(Tree::decode);
            read.ok_or_else(|| Failure::of_type("an expression is read from a Buffer"))??
        }
        _ => return Err(Failure::of_range(format!("unknown form of expression {form:?}"))),
    };
    Ok(tree)
}

fn bin_name(args: &OperationArguments<'_, '_>) -> Result<String> {
    text("a bin name", args.get(0)?)
}

/// Metadata of a record, by its name in text expressions.
fn metadata(value: Value<'_>) -> Result<Meta> {
    let word = text("metadata", value)?;
    let meta = Meta::ALL.iter().find(|meta| meta.word() == word);
    meta.copied().ok_or_else(|| Failure::of_range(format!("unknown metadata {word:?}")))
}

/// An operator, by its name in text expressions.
fn operator(value: Value<'_>) -> Result<Op> {
    let word = text("operator", value)?;
    let op = Op::ALL.iter().find(|op| op.word() == word);
    op.copied().ok_or_else(|| Failure::of_range(format!("unknown operator {word:?}")))
}

/// Converts whole numbers among the operands to floats if the operator wants floats: JavaScript
/// writes 2 for both.
fn with_floats<T: AsMut<[Tree]>>(op: Op, mut all: T) -> T {
    let operands = all.as_mut();
    let takes_floats = match op.signature() {
        Signature::Fixed(types) => types.first() == Some(&Type::Float),
        _ => operands.iter().any(|it| it.kind() == Some(Type::Float)),
    };
    if takes_floats {
        let float = Tree::from(0.0);
        operands.iter_mut().for_each(|operand| *operand = operand.clone().aligned(&float));
    }
    all
}

/// Variables, and the expression in which they are defined.
fn build_let(hooks: &Hooks, args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let (names, values) = (elements(args.get(0)?)?, elements(args.get(1)?)?);
    let define = |(name, value)| {
        let name = text("the name of a variable", name)?;
        let value = operand(hooks, &name, value)?;
        Ok((name.into_bytes(), value))
    };
    let definitions = names.into_iter().zip(values).map(define).collect::<Result<Vec<_>>>()?;
    Ok(Tree::bind(definitions, operand(hooks, "scope", args.get(2)?)?)?)
}

/// Whether a string matches a POSIX pattern: `on, pattern, ignoreCase, byLines, basic`.
fn build_match(hooks: &Hooks, args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let on = operand(hooks, "the string", args.get(0)?)?;
    let pattern = text("pattern", args.get(1)?)?;
    let flag = |at, name| flag(name, args.get(at)?).map(i64::from);
    let flags = (1 - flag(4, "basic")?) | flag(2, "ignoreCase")? << 1 | flag(3, "byLines")? << 2;
    Ok(Tree::regex(on, pattern, flags)?)
}

/// A list, map, bit or HyperLogLog operation: `family, kind, on, values, ctx, result`.
fn build_call(hooks: &Hooks, args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let (family, kind) = (text("family", args.get(0)?)?, text("kind", args.get(1)?)?);
    let unknown = || Failure::of_range(format!("unknown family of operations {family:?}"));
    let of = Family::named(&family).ok_or_else(unknown)?;
    let build = || {
        let on = operand(hooks, "on", args.get(2)?)?;
        let arguments = OperationArguments::new(hooks, args.get(3)?)?;
        let path = Path::new(args.get(4)?)?;
        let result = args.get(5)?.present().map(kind_of).transpose()?;
        of.call(&kind, on, &arguments, &path.steps()?, result)
    };
    build().map_err(|failure: Failure| failure.about(format!("exp.{family}.{}", camel(&kind))))
}

impl OperandArguments for OperationArguments<'_, '_> {
    fn operand(&self, at: usize, name: &'static str) -> Result<Tree> {
        operand(self.hooks, &format!("the argument {}", camel(name)), self.get(at)?)
    }
}

/// `expressionKind(encoded)`: the type of its value; `undefined` if not yet known.
pub fn kind<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let kind = tree_of(call)?.kind();
    kind.map(|kind| call.env.string(name_of(kind))).transpose()
}

/// `expressionText(encoded)`: the expression as text.
pub fn to_text<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.string(&tree_of(call)?.to_string()).map(Some)
}

/// `expressionBytes(encoded)`: the wire format.
pub fn bytes<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.buffer(&tree_of(call)?.encode()?).map(Some)
}

fn tree_of(call: &Call<'_>) -> Result<Tree> {
    whole(Form::Expression.bytes(call.argument(0)))
}

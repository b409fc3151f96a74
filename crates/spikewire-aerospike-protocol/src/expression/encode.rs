//! Encodes expressions.

use super::{Argument, Call, Constant, Expression, Fault, Node, SIZE, Type};
use crate::msgpack;

/// Wire numbers of nodes that are neither an [`Op`] nor a [`super::Meta`].
pub(super) mod number {
    pub const UNKNOWN: u64 = 0;
    pub const REGEX: u64 = 7;
    pub const DIGEST_MODULO: u64 = 64;
    pub const KEY: u64 = 80;
    pub const BIN: u64 = 81;
    pub const BIN_TYPE: u64 = 82;
    pub const LOOP: u64 = 122;
    pub const VAR: u64 = 124;
    pub const LET: u64 = 125;
    pub const QUOTE: u64 = 126;
    pub const CALL: u64 = 127;
    /// An expression as text, which servers from 8.2 on read.
    pub const TEXT: u64 = 128;

    /// Stands for an unknown type in an image. Never sent.
    pub const UNTYPED: u64 = 127;
}

/// Flag in the system number of a call: the operation modifies.
pub(super) const MODIFIES: u8 = 0x40;
/// In a call: a context precedes the operation.
pub(super) const WRAPPED: u8 = 0xff;

impl Expression {
    /// Encodes the expression as a filter: it must be a bool.
    pub fn filter(&self) -> Result<Vec<u8>, Fault> {
        let whole = self.clone().refined(Type::Bool, "a filter")?;
        if let Some(kind) = whole.check()?
            && kind != Type::Bool
        {
            return Err(Fault::of_type(format!("a filter must be BOOL, not {kind}")));
        }
        whole.check_loops()?;
        whole.packed()
    }

    /// Encodes the expression as a value.
    pub fn encode(&self) -> Result<Vec<u8>, Fault> {
        self.check()?;
        self.packed()
    }

    /// Encodes the expression as a value that is made of a record.
    pub fn of_record(&self) -> Result<Vec<u8>, Fault> {
        self.check_loops()?;
        self.encode()
    }

    /// The value of an operation that reads this expression or writes its result.
    pub fn operation(&self, flags: i64) -> Result<Vec<u8>, Fault> {
        self.check()?;
        self.check_loops()?;
        let mut out = Vec::new();
        msgpack::array(&mut out, 2);
        self.write(&mut out);
        msgpack::int(&mut out, flags);
        limited(out)
    }

    /// Encodes the expression without checks, including bins without a type. Equal expressions have
    /// equal images, and [`from_image`](Self::from_image) restores the expression.
    pub fn image(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn packed(&self) -> Result<Vec<u8>, Fault> {
        limited(self.image())
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self.node() {
            Node::Unknown => head(out, 0, number::UNKNOWN),
            Node::Constant(constant) => constant.write(out),
            Node::Apply(op, operands) => {
                head(out, operands.len(), u64::from(*op as u8));
                for operand in operands {
                    operand.write(out);
                }
            }
            Node::Meta(meta) => head(out, 0, u64::from(*meta as u8)),
            Node::DigestModulo(divisor) => {
                head(out, 1, number::DIGEST_MODULO);
                msgpack::int(out, *divisor);
            }
            Node::Key(kind) => {
                head(out, 1, number::KEY);
                msgpack::uint(out, u64::from(*kind as u8));
            }
            Node::Bin(kind, name) => {
                head(out, 2, number::BIN);
                msgpack::uint(out, number(*kind));
                msgpack::raw(out, name);
            }
            Node::BinType(name) => {
                head(out, 1, number::BIN_TYPE);
                msgpack::raw(out, name);
            }
            Node::Regex { flags, pattern, on } => {
                head(out, 3, number::REGEX);
                msgpack::int(out, *flags);
                msgpack::raw(out, pattern);
                on.write(out);
            }
            Node::Var(name) => {
                head(out, 1, number::VAR);
                msgpack::raw(out, name);
            }
            Node::Let(definitions, scope) => {
                head(out, 2 * definitions.len() + 1, number::LET);
                for (name, definition) in definitions {
                    msgpack::raw(out, name);
                    definition.write(out);
                }
                scope.write(out);
            }
            Node::Call(call) => call.write(out),
            Node::Loop(kind, part) => {
                head(out, 2, number::LOOP);
                msgpack::uint(out, number(*kind));
                msgpack::uint(out, u64::from(*part as u8));
            }
            Node::Path(call) => {
                head(out, 4, number::CALL);
                msgpack::uint(out, number(call.result));
                msgpack::uint(out, u64::from(if call.modifies { MODIFIES } else { 0 }));
                call.write_operation(out);
                call.on.write(out);
            }
        }
    }
}

impl Constant {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Nil => msgpack::nil(out),
            Self::Bool(flag) => msgpack::boolean(out, *flag),
            Self::Int(int) => msgpack::int(out, *int),
            Self::Float(float) => msgpack::float(out, *float),
            Self::Bytes(kind, bytes) => msgpack::bytes(out, kind.particle(), bytes),
            Self::Packed(Type::List, packed) => {
                head(out, 1, number::QUOTE);
                out.extend_from_slice(packed);
            }
            Self::Packed(_, packed) => out.extend_from_slice(packed),
        }
    }
}

impl Call {
    fn write(&self, out: &mut Vec<u8>) {
        head(out, 4, number::CALL);
        msgpack::uint(out, number(self.result));
        msgpack::uint(out, u64::from(self.system | if self.modifies { MODIFIES } else { 0 }));
        if let Some(context) = &self.context {
            msgpack::array(out, 3);
            msgpack::uint(out, u64::from(WRAPPED));
            out.extend_from_slice(context);
        }
        msgpack::array(out, 1 + self.arguments.len() as u32);
        msgpack::int(out, self.number);
        for argument in &self.arguments {
            match argument {
                Argument::Raw(raw) => out.extend_from_slice(raw),
                Argument::Expression(argument) => argument.write(out),
            }
        }
        self.on.write(out);
    }
}

/// The number of a type.
fn number(kind: Option<Type>) -> u64 {
    kind.map_or(number::UNTYPED, |kind| u64::from(kind as u8))
}

fn head(out: &mut Vec<u8>, operands: usize, number: u64) {
    msgpack::array(out, 1 + operands as u32);
    msgpack::uint(out, number);
}

fn limited(out: Vec<u8>) -> Result<Vec<u8>, Fault> {
    if out.len() > SIZE {
        let len = out.len();
        return Err(Fault::of_value(format!(
            "the expression takes {len} bytes; the server's limit is {SIZE}"
        )));
    }
    Ok(out)
}

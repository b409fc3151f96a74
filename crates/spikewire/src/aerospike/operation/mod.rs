//! The steps of `operate`.
//!
//! | module | contents |
//! |---|---|
//! | [`list`], [`map`], [`bit`], [`hll`], [`string`] | operations on bin contents, from `tools/verbs` |
//! | [`path`] | operations on many elements of lists and maps |
//! | [`options`] | their options |

pub mod bit;
pub mod hll;
pub mod list;
pub mod map;
mod options;
pub mod path;
pub mod string;

use spikewire_aerospike::command::{OperationRef, check_bin_name, check_operand, check_read_name};
use spikewire_aerospike_protocol::message::op as code;
use spikewire_aerospike_protocol::operation::{pack_path, particle_of};
use spikewire_aerospike_protocol::value::{ParticleType, particle};

use crate::Result;
use crate::aerospike::calls::{Call, PathCall};
use crate::aerospike::encode::{Encode, bin_error};
use crate::aerospike::expression::Expression;
pub use crate::aerospike::words::{NumberKind, Order, Overflow, Returning};

/// One operation of `operate`; created by the functions of [`op`].
#[derive(Debug, Clone)]
pub struct Operation {
    pub(crate) code: u8,
    /// `None` for operations on the whole record.
    pub(crate) bin: Option<String>,
    pub(crate) value: Result<(ParticleType, Vec<u8>)>,
    /// The call of a list, map, bit or sketch operation, for setting options.
    call: Option<Box<Call<Vec<u8>>>>,
    /// The same of a path operation.
    path: Option<Box<PathCall>>,
}

impl Operation {
    fn plain(code: u8, bin: Option<String>) -> Self {
        Self { code, bin, value: Ok((particle::NULL, Vec::new())), call: None, path: None }
    }

    pub(crate) fn with(code: u8, bin: String, value: impl Encode) -> Self {
        let mut bytes = Vec::new();
        let particle = value.encode(&mut bytes).map_err(|fault| bin_error(&bin, &fault));
        let value = particle.and_then(|particle| {
            check_operand(code, particle, &bin)?;
            Ok((particle, bytes))
        });
        Self { code, bin: Some(bin), value, call: None, path: None }
    }

    fn computed(code: u8, bin: String, expression: impl Into<Expression>) -> Self {
        let value = expression.into().operation().map(|bytes| (particle::BLOB, bytes));
        Self { code, bin: Some(bin), value, call: None, path: None }
    }

    /// A list, map, bit or sketch operation.
    pub(crate) fn called(bin: String, call: Call<Vec<u8>>) -> Self {
        let (code, value) = match call.encode(&bin) {
            Ok((code, value)) => (code, Ok((particle_of(code), value))),
            Err(error) => (code::CDT_READ, Err(error)),
        };
        Self { code, bin: Some(bin), value, call: Some(Box::new(call)), path: None }
    }

    /// A path operation.
    pub(crate) fn along(bin: String, path: PathCall) -> Self {
        let (code, value) = match path.operation() {
            Ok(operation) => {
                let (code, packed) = pack_path(&operation);
                (code, Ok((particle::BLOB, packed)))
            }
            Err(fault) => (code::CDT_READ, Err(bin_error(&bin, &fault))),
        };
        Self { code, bin: Some(bin), value, call: None, path: Some(Box::new(path)) }
    }

    /// The encoded operation, or its error.
    pub(crate) fn as_sent(&self) -> Result<OperationRef<'_>> {
        match &self.bin {
            Some(bin) if self.code == code::READ => check_read_name(bin)?,
            Some(bin) => check_bin_name(bin)?,
            None => {}
        }
        let (particle, value) = self.value.as_ref().map_err(Clone::clone)?;
        let bin = self.bin.as_deref().unwrap_or_default();
        Ok(OperationRef { code: self.code, bin, particle: *particle, value })
    }
}

/// Creates operations of `operate`.
///
/// ```
/// use spikewire::op;
///
/// let visit = [op::add("visits", 1), op::put("page", "/home"), op::get("visits")];
/// ```
pub mod op {
    use super::{Encode, Expression, Operation, code};
    pub use super::{bit, hll, list, map, path, string};

    /// Reads a bin.
    pub fn get(bin: impl Into<String>) -> Operation {
        Operation::plain(code::READ, Some(bin.into()))
    }

    /// Reads every bin. Results of the other operations are omitted then: the record is returned as
    /// it is after them.
    pub fn get_all() -> Operation {
        Operation::plain(code::READ, None)
    }

    /// Reads the result of an expression, as if it were a bin with this name.
    ///
    /// ```
    /// # use spikewire::{Client, Value, op};
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let users = Client::connect(cluster.seeds())?.dataset("test", "users")?;
    /// users.put("alice", [("age", 28)])?;
    /// let record = users.operate("alice", [op::read("in_ten", "$.age + 10")])?;
    /// assert_eq!(record.get("in_ten"), Some(&Value::Int(38)));
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn read(name: impl Into<String>, expression: impl Into<Expression>) -> Operation {
        Operation::computed(code::EXP_READ, name.into(), expression)
    }

    /// Writes the result of an expression to a bin.
    pub fn write(bin: impl Into<String>, expression: impl Into<Expression>) -> Operation {
        Operation::computed(code::EXP_MODIFY, bin.into(), expression)
    }

    /// Writes a bin; [`Value::Nil`](crate::Value::Nil) or `None` removes it.
    pub fn put(bin: impl Into<String>, value: impl Encode) -> Operation {
        Operation::with(code::WRITE, bin.into(), value)
    }

    /// Adds a number to a bin; a missing bin counts as 0.
    pub fn add(bin: impl Into<String>, value: impl Encode) -> Operation {
        Operation::with(code::ADD, bin.into(), value)
    }

    /// Appends text or bytes to a bin.
    pub fn append(bin: impl Into<String>, value: impl Encode) -> Operation {
        Operation::with(code::APPEND, bin.into(), value)
    }

    /// Prepends text or bytes to a bin.
    pub fn prepend(bin: impl Into<String>, value: impl Encode) -> Operation {
        Operation::with(code::PREPEND, bin.into(), value)
    }

    /// Renews the record's TTL.
    pub fn touch() -> Operation {
        Operation::plain(code::TOUCH, None)
    }

    /// Deletes the record.
    pub fn delete() -> Operation {
        Operation::plain(code::DELETE, None)
    }
}

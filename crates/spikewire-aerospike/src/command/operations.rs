//! Encodes operations into requests of any kind, from the values of a host language.

use spikewire_aerospike_protocol::message::{field, op};
use spikewire_aerospike_protocol::value::{ParticleType, particle};
use spikewire_aerospike_protocol::{batch, limits, nesting, request};

use super::{Function, InvalidArgument};

/// A value of the host language to be encoded into a request.
pub trait Source {
    /// The host's error.
    type Error: From<InvalidArgument>;

    /// Appends the particle bytes and returns the particle type; `bin` is for error messages.
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType, Self::Error>;
}

/// One step of `operate`, encoded.
#[derive(Debug, Clone, Copy)]
pub struct OperationRef<'a> {
    /// See [`op`].
    pub code: u8,
    /// The bin; empty for operations on the whole record.
    pub bin: &'a str,
    /// The type of its value.
    pub particle: ParticleType,
    /// Its value.
    pub value: &'a [u8],
}

impl OperationRef<'_> {
    /// Whether it reads.
    pub fn reads(self) -> bool {
        op::reads(self.code)
    }

    /// Whether it reads every bin.
    pub fn reads_all(self) -> bool {
        self.code == op::READ && self.bin.is_empty()
    }

    /// Whether it returns a result of its own, which cannot be combined with a read of every bin.
    pub fn gives(self) -> bool {
        let modifies = matches!(
            self.code,
            op::CDT_MODIFY | op::EXP_MODIFY | op::BITS_MODIFY | op::HLL_MODIFY | op::STRING_MODIFY
        );
        !self.reads_all() && (self.reads() || modifies)
    }

    /// Whether the server returns a result for it when every operation returns one.
    pub fn is_answered(self) -> bool {
        self.code != op::TOUCH
    }
}

/// The same, with its own memory.
#[derive(Debug)]
pub struct OwnedOperation {
    /// See [`op`].
    pub code: u8,
    /// The bin; empty for operations on the whole record.
    pub bin: String,
    /// The type of its value.
    pub particle: ParticleType,
    /// Its value.
    pub value: Vec<u8>,
}

impl OwnedOperation {
    /// An operation on a whole bin, or on the record; `encode` has its value, if it takes one.
    pub fn plain<E: From<InvalidArgument>>(
        verb: &str,
        bin: Option<&str>,
        encode: Option<impl FnOnce(&str, &mut Vec<u8>) -> Result<ParticleType, E>>,
    ) -> Result<Self, E> {
        let unknown = || InvalidArgument::of_value(format!("unknown operation {verb:?}"));
        let code = code_of(verb).ok_or_else(unknown)?;
        match bin {
            Some(bin) if code == op::READ => check_read_name(bin)?,
            Some(bin) => check_bin_name(bin)?,
            None => {}
        }
        let bin = bin.unwrap_or_default();
        let (mut particle, mut value) = (particle::NULL, Vec::new());
        if let Some(encode) = encode {
            particle = encode(bin, &mut value)?;
            check_operand(code, particle, bin)?;
        }
        Ok(Self { code, bin: bin.to_owned(), particle, value })
    }

    /// The operation as it is sent.
    pub fn as_sent(&self) -> OperationRef<'_> {
        let Self { code, bin, particle, value } = self;
        OperationRef { code: *code, bin, particle: *particle, value }
    }
}

/// The code of an operation on a whole bin or record, by its verb.
pub fn code_of(verb: &str) -> Option<u8> {
    Some(match verb {
        "get" => op::READ,
        "put" => op::WRITE,
        "add" => op::ADD,
        "append" => op::APPEND,
        "prepend" => op::PREPEND,
        "touch" => op::TOUCH,
        "delete" => op::DELETE,
        _ => return None,
    })
}

/// A destination for operations: a single-record request, or the kind of batch rows.
pub trait Operations {
    /// Appends a field; all fields go before the operations.
    fn field(&mut self, id: u8, data: &[u8]);

    /// Appends an operation without a value.
    fn op(&mut self, code: u8, name: &[u8]);

    /// Appends an operation whose value `write` encodes in place.
    fn op_with<E>(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<ParticleType, E>,
    ) -> Result<(), E>;

    /// Number of operations so far.
    fn count(&self) -> usize;

    /// Reads a bin.
    fn read_bin(&mut self, name: &str) -> Result<(), InvalidArgument> {
        check_bin_name(name)?;
        self.op(op::READ, name.as_bytes());
        Ok(())
    }

    /// Writes, adds to, appends to or prepends to a bin, depending on `code`.
    #[inline]
    fn write_bin<S: Source>(&mut self, code: u8, name: &str, value: &S) -> Result<(), S::Error> {
        check_bin_name(name)?;
        self.op_with(code, name.as_bytes(), |out| {
            let of = value.encode(name, out)?;
            check_operand(code, of, name)?;
            Ok(of)
        })
    }

    /// Rejects a write without bins.
    fn check_any(&self) -> Result<(), InvalidArgument> {
        match self.count() {
            0 => Err(InvalidArgument::of_value("bins must not be empty: nothing to write")),
            _ => Ok(()),
        }
    }

    /// Renews the TTL.
    fn touch(&mut self) {
        self.op(op::TOUCH, b"");
    }

    /// Appends a step of `operate`.
    fn step(&mut self, step: OperationRef<'_>) {
        let written: Result<(), std::convert::Infallible> =
            self.op_with(step.code, step.bin.as_bytes(), |out| {
                out.extend_from_slice(step.value);
                Ok(step.particle)
            });
        let Ok(()) = written;
    }

    /// Calls a function.
    fn call(&mut self, function: &Function) {
        self.field(field::UDF_PACKAGE, function.module().as_bytes());
        self.field(field::UDF_FUNCTION, function.name().as_bytes());
        self.field(field::UDF_ARGUMENTS, function.arguments());
        if function.deep_place().is_some() {
            nesting::note();
        }
    }
}

macro_rules! operations {
    ($class:ty) => {
        impl Operations for $class {
            fn field(&mut self, id: u8, data: &[u8]) {
                <$class>::field(self, id, data);
            }

            fn op(&mut self, code: u8, name: &[u8]) {
                <$class>::op(self, code, name);
            }

            #[inline]
            fn op_with<E>(
                &mut self,
                code: u8,
                name: &[u8],
                write: impl FnOnce(&mut Vec<u8>) -> Result<ParticleType, E>,
            ) -> Result<(), E> {
                <$class>::op_with(self, code, name, write)
            }

            fn count(&self) -> usize {
                self.ops()
            }
        }
    };
}

operations!(request::Request<'_>);
operations!(batch::Kind);

/// Rejects invalid bin names.
#[inline]
pub fn check_bin_name(name: &str) -> Result<(), InvalidArgument> {
    if name.len() <= limits::BIN_NAME && !name.as_bytes().contains(&0) {
        return Ok(());
    }
    Err(odd_bin_name(name))
}

#[cold]
fn odd_bin_name(name: &str) -> InvalidArgument {
    if name.len() > limits::BIN_NAME {
        return InvalidArgument::of_value(format!(
            "the bin name {name:?} is {} bytes long; the server's limit is {}",
            name.len(),
            limits::BIN_NAME
        ));
    }
    InvalidArgument::of_value(format!("the bin name {name:?} contains a NUL character"))
}

/// Checks the name of a bin that a single operation reads.
pub fn check_read_name(name: &str) -> Result<(), InvalidArgument> {
    if name.is_empty() {
        return Err(InvalidArgument::of_value(
            "an operation that reads a bin must name it: on the wire, no name means every bin. The \
             bin whose name is empty is read by naming it in the bins of a get",
        ));
    }
    check_bin_name(name)
}

/// Checks the name of an indexed bin.
pub fn check_index_bin(name: &str) -> Result<(), InvalidArgument> {
    if name.is_empty() {
        return Err(InvalidArgument::of_value(
            "the bin of an index must have a name that is not empty",
        ));
    }
    check_bin_name(name)
}

/// Rejects operands that the server would accept, only to fail on the next use of the bin.
#[inline]
pub fn check_operand(code: u8, of: ParticleType, bin: &str) -> Result<(), InvalidArgument> {
    let (verb, expected, fits) = match code {
        op::ADD => {
            ("add", "an integer or a float", matches!(of, particle::INTEGER | particle::FLOAT))
        }
        op::APPEND | op::PREPEND => {
            let verb = if code == op::APPEND { "append" } else { "prepend" };
            (verb, "a string or bytes", matches!(of, particle::STRING | particle::BLOB))
        }
        _ => return Ok(()),
    };
    if fits {
        return Ok(());
    }
    let actual = particle::name(of);
    Err(InvalidArgument::of_type(format!("bin {bin:?}: {verb} takes {expected}, not {actual}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::InvalidArgumentClass;
    use spikewire_aerospike_protocol::message::{Header, Message};

    struct Number(Option<i64>);

    impl Source for Number {
        type Error = InvalidArgument;

        fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType, InvalidArgument> {
            let number =
                self.0.ok_or_else(|| InvalidArgument::of_type(format!("bin {bin:?}: odd")))?;
            out.extend_from_slice(&number.to_be_bytes());
            Ok(particle::INTEGER)
        }
    }

    fn compose(
        write: impl FnOnce(&mut request::Request<'_>) -> Result<(), InvalidArgument>,
    ) -> Result<usize, InvalidArgument> {
        let mut out = Vec::new();
        let mut request = request::Request::begin(&mut out, &Header::default());
        write(&mut request)?;
        request.finish().map_err(|error| InvalidArgument::of_value(error.to_string()))?;
        let (message, _) = Message::parse(&out[8..]).unwrap();
        Ok(message.ops().count())
    }

    #[test]
    fn invalid_bin_names_are_rejected() {
        let write = |name: &str| compose(|to| to.write_bin(op::WRITE, name, &Number(Some(1))));
        assert_eq!(write("fifteen-bytes-x"), Ok(1));
        assert_eq!(write(""), Ok(1), "other clients write such bins");
        for (name, expected) in [("sixteen-bytes-xx", "16 bytes"), ("a\0b", "NUL")] {
            assert!(write(name).unwrap_err().message().contains(expected));
        }
        let failed = compose(|to| to.write_bin(op::WRITE, "n", &Number(None))).unwrap_err();
        assert_eq!(
            (failed.class(), failed.message()),
            (InvalidArgumentClass::Type, "bin \"n\": odd")
        );
        assert!(compose(|to| to.check_any()).is_err());
    }

    #[test]
    fn operands_fit_their_operation() {
        assert!(compose(|to| to.write_bin(op::ADD, "n", &Number(Some(1)))).is_ok());
        let failed = compose(|to| to.write_bin(op::APPEND, "n", &Number(Some(1)))).unwrap_err();
        assert_eq!(failed.message(), "bin \"n\": append takes a string or bytes, not integer");
    }
}

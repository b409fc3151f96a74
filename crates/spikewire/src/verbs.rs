//! The verbs on one record. Each turns its checked arguments into a [`Request`]; the faces send
//! it. [`verbs!`] writes the methods of both faces from this one source.

use spikewire_engine::Policy;
use spikewire_engine::command::Target;
use spikewire_engine::transport::buffer;
use spikewire_protocol::message::{Header, field, info1, info2, op};
use spikewire_protocol::{limits, request};

use crate::encode::Encode;
use crate::function::function as call;
use crate::key::Key;
use crate::operation::{self, Operation};
use crate::options::{CallOptions, Defaults};
use crate::space::Space;
use crate::{Error, Result, Value};

/// A composed request, ready for whichever face sends it.
#[derive(Debug)]
pub(crate) struct Request {
    pub bytes: Vec<u8>,
    pub target: Target,
    pub policy: Policy,
}

/// Where a verb works and how.
pub(crate) struct Place<'a> {
    pub space: &'a Space,
    pub defaults: &'a Defaults,
    pub options: &'a CallOptions,
}

impl Place<'_> {
    fn compose(
        &self,
        key: &Key<'_>,
        header: &Header,
        send_key: bool,
        compose: impl FnOnce(&mut Composer<request::Request<'_>>) -> Result<()>,
    ) -> Result<Request> {
        let policy = self.policy();
        let user = key.user();
        let digest = match &user {
            Ok(user) => self.space.hasher.digest(user),
            Err(digest) => *digest,
        };
        let write = header.info2 & info2::WRITE != 0;
        let mut bytes = buffer::take();
        let mut composer = Composer {
            request: request::Request::begin(
                &mut bytes,
                &Header { timeout: request::server_timeout(policy.timeout), ..*header },
            ),
            ops: 0,
        };
        composer.request.encoded_fields(2, &self.space.fields);
        composer.request.digest(&digest);
        if write
            && send_key
            && let Ok(user) = &user
        {
            let mut data = Vec::with_capacity(16);
            user.encode(&mut data);
            composer.request.field(field::KEY, &data);
        }
        let composed = compose(&mut composer);
        let whole = composer.request.finish();
        if let Err(error) = composed.and_then(|()| Ok(whole?)) {
            buffer::give(bytes);
            return Err(error);
        }
        let namespace = self.space.namespace.clone();
        let target = Target::record(namespace, digest.partition(), write);
        Ok(Request { bytes, target, policy })
    }

    pub fn policy(&self) -> Policy {
        let mut policy = self.defaults.policy;
        if let Some(timeout) = self.options.timeout {
            policy.timeout = timeout;
        }
        policy
    }

    pub fn send_key(&self) -> bool {
        self.options.send_key.unwrap_or(self.defaults.send_key)
    }

    pub fn get(&self, key: &Key<'_>) -> Result<Request> {
        self.options.check_read()?;
        let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
        self.compose(key, &header, false, |_| Ok(()))
    }

    pub fn get_bins<N: AsRef<str>>(
        &self,
        key: &Key<'_>,
        bins: impl IntoIterator<Item = N>,
    ) -> Result<Request> {
        self.options.check_read()?;
        let mut bins = bins.into_iter().peekable();
        let none = if bins.peek().is_none() { info1::NO_BINS } else { 0 };
        let header = Header { info1: info1::READ | none, ..Header::default() };
        self.compose(key, &header, false, |composer| {
            bins.try_for_each(|name| composer.plain(op::READ, Some(name.as_ref())))
        })
    }

    pub fn exists(&self, key: &Key<'_>) -> Result<Request> {
        self.options.check_read()?;
        let header = Header { info1: info1::READ | info1::NO_BINS, ..Header::default() };
        self.compose(key, &header, false, |_| Ok(()))
    }

    /// One write operation per bin: put, add, append, prepend.
    pub fn write<N: AsRef<str>, V: Encode>(
        &self,
        key: &Key<'_>,
        bins: impl IntoIterator<Item = (N, V)>,
        code: u8,
    ) -> Result<Request> {
        let header = self.options.write_header()?;
        self.compose(key, &header, self.send_key(), |composer| composer.bins(code, bins))
    }

    pub fn delete(&self, key: &Key<'_>) -> Result<Request> {
        self.options.check_no_exists("delete")?;
        let mut header = self.options.write_header()?;
        header.info2 |= info2::DELETE;
        header.ttl = 0;
        self.compose(key, &header, false, |_| Ok(()))
    }

    pub fn touch(&self, key: &Key<'_>) -> Result<Request> {
        self.options.check_no_exists("touch")?;
        let header = self.options.write_header()?;
        self.compose(key, &header, self.send_key(), |composer| composer.plain(op::TOUCH, None))
    }

    /// The request, and which operations the server answers.
    pub fn operate(&self, key: &Key<'_>, operations: &[Operation]) -> Result<(Request, Vec<bool>)> {
        let (header, answered) = self.steps(operations)?;
        let request = self.compose(key, &header, self.send_key(), |composer| {
            operations.iter().try_for_each(|operation| composer.step(operation))
        })?;
        Ok((request, answered))
    }

    pub fn apply(
        &self,
        key: &Key<'_>,
        module: &str,
        function: &str,
        arguments: &[Value],
    ) -> Result<Request> {
        self.options.check_no_exists("apply")?;
        let function = call(module, function, arguments)?;
        let header = self.options.write_header()?;
        self.compose(key, &header, self.send_key(), |composer| {
            composer.request.field(field::UDF_PACKAGE, function.module().as_bytes());
            composer.request.field(field::UDF_FUNCTION, function.name().as_bytes());
            composer.request.field(field::UDF_ARGUMENTS, function.arguments());
            Ok(())
        })
    }

    /// The header of these operations, and which of them the server answers.
    pub fn steps(&self, operations: &[Operation]) -> Result<(Header, Vec<bool>)> {
        if operations.is_empty() {
            return Err(Error::invalid("operations must not be empty"));
        }
        let reads_all = operations.iter().any(Operation::reads_all);
        let mut header = if operations.iter().all(Operation::reads) {
            self.options.check_read()?;
            Header::default()
        } else {
            self.options.write_header()?
        };
        if operations.iter().any(Operation::reads) {
            header.info1 = info1::READ | if reads_all { info1::GET_ALL } else { 0 };
        }
        let mut answered = Vec::new();
        if !reads_all {
            header.info2 |= info2::RESPOND_ALL_OPS;
            answered.extend(operations.iter().map(Operation::is_answered));
        }
        Ok((header, answered))
    }
}

/// Where operations are written: a request on one record, or what is done to rows of a batch.
pub(crate) trait Parts {
    fn op(&mut self, code: u8, name: &[u8]);
    fn op_with(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<u8>,
    ) -> Result<()>;
}

macro_rules! parts {
    ($class:ty) => {
        impl Parts for $class {
            fn op(&mut self, code: u8, name: &[u8]) {
                <$class>::op(self, code, name);
            }

            fn op_with(
                &mut self,
                code: u8,
                name: &[u8],
                write: impl FnOnce(&mut Vec<u8>) -> Result<u8>,
            ) -> Result<()> {
                <$class>::op_with(self, code, name, write)
            }
        }
    };
}

parts!(request::Request<'_>);
parts!(spikewire_protocol::batch::Kind);

/// Adds operations, each checked.
pub(crate) struct Composer<P> {
    pub request: P,
    pub ops: usize,
}

impl<P: Parts> Composer<P> {
    /// One operation per bin; there must be one.
    pub fn bins<N: AsRef<str>, V: Encode>(
        &mut self,
        code: u8,
        bins: impl IntoIterator<Item = (N, V)>,
    ) -> Result<()> {
        for (name, value) in bins {
            self.bin(code, name.as_ref(), &value)?;
        }
        if self.ops == 0 {
            return Err(Error::invalid("bins must not be empty: nothing to write"));
        }
        Ok(())
    }

    fn bin<V: Encode>(&mut self, code: u8, name: &str, value: &V) -> Result<()> {
        check_name(name)?;
        self.ops += 1;
        self.request.op_with(code, name.as_bytes(), |out| {
            let of = value.encode(name, out)?;
            operation::check(code, of, name)?;
            Ok(of)
        })
    }

    pub fn plain(&mut self, code: u8, name: Option<&str>) -> Result<()> {
        name.map_or(Ok(()), check_name)?;
        self.ops += 1;
        self.request.op(code, name.unwrap_or_default().as_bytes());
        Ok(())
    }

    pub fn step(&mut self, operation: &Operation) -> Result<()> {
        let name = operation.bin.as_deref();
        name.map_or(Ok(()), check_name)?;
        self.ops += 1;
        let (particle, value) = operation.value.as_ref().map_err(Clone::clone)?;
        self.request.op_with(operation.code, name.unwrap_or_default().as_bytes(), |out| {
            out.extend_from_slice(value);
            Ok(*particle)
        })
    }
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid("a bin name must not be empty"));
    }
    if name.len() > limits::BIN_NAME {
        return Err(Error::invalid(format!(
            "the bin name {name:?} is {} bytes long; the server's limit is {}",
            name.len(),
            limits::BIN_NAME
        )));
    }
    if name.as_bytes().contains(&0) {
        return Err(Error::invalid(format!("the bin name {name:?} contains a NUL")));
    }
    Ok(())
}

/// Writes the verbs on one record as methods of `$class`, which offers
/// `fn place(&self) -> Place<'_>` and `fn run(&self, Result<Request>, plan) -> $answer<A>`.
macro_rules! verbs {
    ($class:ident, $answer:ident) => {
        impl $class {
            /// Reads a record with all its bins; `None` if there is none.
            pub fn get<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<Option<Record>> {
                self.run(self.place().get(&key.into()), ())
            }

            /// Reads some bins of a record; `None` if there is no record. Without any bin name
            /// only generation and time to live are read.
            pub fn get_bins<'k, N: AsRef<str>>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = N>,
            ) -> $answer<Option<Record>> {
                self.run(self.place().get_bins(&key.into(), bins), ())
            }

            /// Whether a record is there.
            pub fn exists<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<bool> {
                self.run(self.place().exists(&key.into()), ())
            }

            /// Writes bins: pairs of a name and a value, as an array, a vector, a map, or made
            /// by [`bins!`](crate::bins). Other bins of the record stay as they are; a bin
            /// written as [`Value::Nil`](crate::Value::Nil) or `None` is removed.
            pub fn put<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_protocol::message::op::WRITE;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Adds numbers to bins; a missing bin counts as 0, a missing record is created.
            pub fn add<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_protocol::message::op::ADD;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Puts text or bytes behind those in bins; a missing bin counts as empty.
            pub fn append<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_protocol::message::op::APPEND;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Puts text or bytes in front of those in bins; a missing bin counts as empty.
            pub fn prepend<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_protocol::message::op::PREPEND;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Deletes a record; whether it was there.
            pub fn delete<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<bool> {
                self.run(self.place().delete(&key.into()), ())
            }

            /// Renews a record's time to live; fails with `NOT_FOUND` if there is no record.
            pub fn touch<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<()> {
                self.run(self.place().touch(&key.into()), ())
            }

            /// Runs several operations on one record, all or none of them. The record returned
            /// has one entry in [`Record::bins`] per operation, in order.
            pub fn operate<'k>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                operations: impl AsRef<[$crate::Operation]>,
            ) -> $answer<Record> {
                let operations = operations.as_ref();
                match self.place().operate(&key.into(), operations) {
                    Ok((request, answered)) => self.run(Ok(request), answered),
                    Err(error) => self.run(Err(error), Vec::new()),
                }
            }

            /// Calls a function of a registered module on a record, and gives what it returns.
            /// The function gets the record, which may not be there, and then `arguments`. What it
            /// raises is the error.
            pub fn apply<'k>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                module: &str,
                function: &str,
                arguments: &[$crate::Value],
            ) -> $answer<$crate::Value> {
                self.run(self.place().apply(&key.into(), module, function, arguments), ())
            }

            /// This dataset with other options, for one call or to keep. They replace those it
            /// had.
            pub fn with(&self, options: $crate::CallOptions) -> Self {
                Self { options, ..self.clone() }
            }

            /// Its namespace.
            pub fn namespace(&self) -> &str {
                &self.space.namespace
            }

            /// Its set; empty for the records outside of all sets.
            pub fn set(&self) -> &str {
                &self.space.set
            }

            /// The digest of a key in this set.
            pub fn digest<'k>(&self, key: impl Into<$crate::Key<'k>>) -> [u8; 20] {
                match key.into().user() {
                    Ok(user) => self.space.hasher.digest(&user).0,
                    Err(digest) => digest.0,
                }
            }
        }
    };
}
pub(crate) use verbs;

//! The verbs on one record. Each turns checked arguments into a [`Call`]; the faces run it.
//!
//! This is the one source that the blocking and the asyncio face share, on datasets and on
//! clients: [`verbs!`] writes the Python methods of a class from it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyTuple};

use spikewire_engine::Policy;
use spikewire_protocol::message::{Header, info1, info2, op};

use crate::arguments::{self, Given};
use crate::call::{Call, Shape};
use crate::errors::{type_error, type_name, value_error};
use crate::operation::{self, Operation};
use crate::space::Address;
use crate::value::{Place, bin_name, encode};

/// What every call inherits from its client.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    pub policy: Policy,
    pub send_key: bool,
}

/// Keywords that every write takes.
pub struct WriteOptions<'py> {
    pub ttl: Option<Bound<'py, PyAny>>,
    pub generation: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

impl WriteOptions<'_> {
    pub fn header(&self) -> PyResult<Header> {
        let mut header = Header {
            info2: info2::WRITE,
            ttl: arguments::ttl(self.ttl.as_ref())?,
            ..Header::default()
        };
        arguments::generation(&mut header, self.generation.as_ref())?;
        arguments::exists(&mut header, self.exists.as_ref())?;
        if self.durable {
            header.info2 |= info2::DURABLE_DELETE;
        }
        Ok(header)
    }

    fn compose(
        &self,
        defaults: &Defaults,
        address: Address<'_>,
        header: &Header,
        shape: Shape,
        compose: impl FnOnce(&mut spikewire_protocol::request::Request<'_>) -> PyResult<()>,
    ) -> PyResult<Call> {
        let send_key = self.send_key.unwrap_or(defaults.send_key);
        let policy = arguments::policy(&defaults.policy, self.timeout.as_ref())?;
        Call::compose(address, header, true, send_key, policy, shape, compose)
    }
}

pub fn get<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: Option<Bound<'py, PyAny>>,
    default: Given<'py>,
    timeout: Option<Bound<'py, PyAny>>,
) -> PyResult<Call> {
    let default = match default {
        Given::No => None,
        Given::Yes(value) => Some(value.unbind()),
    };
    let (header, names) = reading(bins.as_ref())?;
    let policy = arguments::policy(&defaults.policy, timeout.as_ref())?;
    let shape = Shape::Record { default };
    Call::compose(address, &header, false, false, policy, shape, |request| {
        names.iter().for_each(|name| request.op(op::READ, name.as_bytes()));
        Ok(())
    })
}

/// The header of a read, and the bins to read when not all of them are wanted.
pub fn reading(bins: Option<&Bound<'_, PyAny>>) -> PyResult<(Header, Vec<String>)> {
    let mut header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let mut names = Vec::new();
    if let Some(bins) = bins {
        arguments::bins(bins, |name| names.push(name.to_owned()))?;
        header.info1 = info1::READ | if names.is_empty() { info1::NO_BINS } else { 0 };
    }
    Ok((header, names))
}

pub fn exists<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    timeout: Option<Bound<'py, PyAny>>,
) -> PyResult<Call> {
    let header = Header { info1: info1::READ | info1::NO_BINS, ..Header::default() };
    let policy = arguments::policy(&defaults.policy, timeout.as_ref())?;
    Call::compose(address, &header, false, false, policy, Shape::Found, |_| Ok(()))
}

/// One write operation per bin: put, add, append, prepend.
pub fn write<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    code: u8,
) -> PyResult<Call> {
    let header = options.header()?;
    options
        .compose(defaults, address, &header, Shape::Done, |request| write_bins(request, bins, code))
}

/// Where operations are written: a request on one record, or the kind of batch rows.
pub trait Operations {
    fn op(&mut self, code: u8, name: &[u8]);
    fn op_with(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> PyResult<u8>,
    ) -> PyResult<()>;
    fn count(&self) -> u16;
}

macro_rules! operations {
    ($class:ty) => {
        impl Operations for $class {
            fn op(&mut self, code: u8, name: &[u8]) {
                <$class>::op(self, code, name);
            }

            fn op_with(
                &mut self,
                code: u8,
                name: &[u8],
                write: impl FnOnce(&mut Vec<u8>) -> PyResult<u8>,
            ) -> PyResult<()> {
                <$class>::op_with(self, code, name, write)
            }

            fn count(&self) -> u16 {
                self.ops()
            }
        }
    };
}

operations!(spikewire_protocol::request::Request<'_>);
operations!(spikewire_protocol::batch::Kind);

/// One operation per bin of a mapping.
pub fn write_bins(out: &mut impl Operations, bins: &Bound<'_, PyAny>, code: u8) -> PyResult<()> {
    let mut bin = |name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| -> PyResult<()> {
        let name = bin_name(name)?;
        out.op_with(code, name.as_bytes(), |out| {
            let of = encode(out, value, &Place::Bin(name))?;
            operation::check(code, of, name)?;
            Ok(of)
        })
    };
    if let Ok(bins) = bins.cast::<PyDict>() {
        for (name, value) in bins.iter() {
            bin(&name, &value)?;
        }
    } else if let Ok(bins) = bins.cast::<PyMapping>() {
        for pair in bins.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            bin(&name, &value)?;
        }
    } else {
        return Err(type_error(format!(
            "bins must be a dict of bin names to values, not {}",
            type_name(bins)
        )));
    }
    if out.count() == 0 {
        return Err(value_error("bins must not be empty: nothing to write"));
    }
    Ok(())
}

pub fn delete<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let mut header = options.header()?;
    header.info2 |= info2::DELETE;
    options.compose(defaults, address, &header, Shape::Found, |_| Ok(()))
}

pub fn touch<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let header = options.header()?;
    options.compose(defaults, address, &header, Shape::Done, |request| {
        request.op(op::TOUCH, b"");
        Ok(())
    })
}

pub fn operate<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let steps = Steps::new(operations, options)?;
    let send_key = steps.writes && options.send_key.unwrap_or(defaults.send_key);
    let policy = arguments::policy(&defaults.policy, options.timeout.as_ref())?;
    let shape = Shape::Operated { answered: steps.answered() };
    Call::compose(address, &steps.header, steps.writes, send_key, policy, shape, |request| {
        steps.write(request)
    })
}

/// The operations of one `operate`, checked together.
pub struct Steps<'py> {
    all: Vec<Bound<'py, Operation>>,
    pub header: Header,
    pub writes: bool,
    reads_all: bool,
}

impl<'py> Steps<'py> {
    pub fn new(operations: &Bound<'py, PyAny>, options: &WriteOptions<'py>) -> PyResult<Self> {
        let steps = operations_of(operations)?;
        let any = |test: fn(&Operation) -> bool| steps.iter().any(|step| test(step.get()));
        let (reads, reads_all) = (any(Operation::reads), any(Operation::reads_all));
        let writes = any(|step| !step.reads());
        let mut header = options.header()?;
        if !writes {
            let plain = Header { info2: info2::WRITE, ..Header::default() };
            if header != plain {
                return Err(value_error(
                    "ttl, generation, exists and durable apply to writes, and these operations \
                     only read",
                ));
            }
            header.info2 = 0;
        }
        if reads {
            header.info1 = info1::READ | if reads_all { info1::GET_ALL } else { 0 };
        }
        if !reads_all {
            header.info2 |= info2::RESPOND_ALL_OPS;
        }
        Ok(Self { all: steps, header, writes, reads_all })
    }

    /// Which operations have an answer of their own.
    pub fn answered(&self) -> Vec<bool> {
        if self.reads_all {
            return Vec::new();
        }
        self.all.iter().map(|step| step.get().is_answered()).collect()
    }

    pub fn write(&self, out: &mut impl Operations) -> PyResult<()> {
        for step in &self.all {
            let step = step.get();
            out.op_with(step.code, step.bin.as_bytes(), |out| {
                out.extend_from_slice(&step.value);
                Ok(step.particle)
            })?;
        }
        Ok(())
    }
}

fn operations_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Operation>>> {
    let items: Vec<Bound<'py, PyAny>> = if let Ok(list) = value.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(items) = value.cast::<PyTuple>() {
        items.iter().collect()
    } else {
        return Err(type_error(format!(
            "operations must be a list or tuple of operations, not {}",
            type_name(value)
        )));
    };
    if items.is_empty() {
        return Err(value_error("operations must not be empty"));
    }
    items
        .into_iter()
        .enumerate()
        .map(|(at, item)| match item.cast_into::<Operation>() {
            Ok(step) => Ok(step),
            Err(error) => Err(type_error(format!(
                "operations[{at}] must be an operation from spikewire.op, not {}",
                type_name(&error.into_inner())
            ))),
        })
        .collect()
}

/// Writes the verbs as Python methods of `$class`, which offers
/// `fn address(&self, key) -> PyResult<Address>`, `fn defaults(&self) -> Defaults` and
/// `fn run(&self, py, call)` and `fn run_many(&self, py, call)`, both `-> PyResult<Bound<PyAny>>`.
#[macro_export]
macro_rules! verbs {
    ($class:ty { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// Reads a record.
            ///
            /// `bins` names the bins to read, in a list or tuple: all of them when it is left out,
            /// and none (only generation and TTL) when it is empty. A bin that the record does not
            /// have is left out. `default` is returned when there is no such record, instead of
            /// raising `RecordNotFound`. `timeout` is the total time of the call with all its
            /// retries, in seconds or as a timedelta; 0: no limit. Default: the client's `timeout`,
            /// 1 s unless set.
            ///
            /// Raises `RecordNotFound`, or `Timeout`, `ConnectionFailed` and the other errors of
            /// `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for arguments that
            /// cannot be sent.
            #[pyo3(signature = (key, bins=None, *, default=$crate::arguments::Given::No, timeout=None))]
            fn get<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: Option<Bound<'py, PyAny>>,
                default: $crate::arguments::Given<'py>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let address = self.address(key)?;
                self.run(py, $crate::verbs::get(&self.defaults(), address, bins, default, timeout)?)
            }

            /// Whether there is such a record. Reads no bins.
            ///
            /// `timeout` is the total time of the call with all its retries, in seconds or as a
            /// timedelta; 0: no limit. Default: the client's `timeout`.
            #[pyo3(signature = (key, *, timeout=None))]
            fn exists<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let address = self.address(key)?;
                self.run(py, $crate::verbs::exists(&self.defaults(), address, timeout)?)
            }

            /// Writes bins, from a dict of names to values; a bin set to `None` is removed. Bins
            /// that are not named keep their values, unless `exists` says to replace the record.
            ///
            /// A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
            /// list, tuple or dict of these; map keys are int, str or bytes.
            ///
            /// `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta),
            /// "default" (the namespace's own), "never" or "unchanged". Default: "default".
            /// `generation`: the write is done only if the record has this generation (0 to 65535),
            /// else `GenerationMismatch`. Default: any.
            /// `exists`: "merge" creates or updates, "create" raises `RecordExists` if there is a
            /// record, "update" raises `RecordNotFound` if there is none; "replace" drops the bins
            /// that are not named, "replace_only" does so and raises `RecordNotFound` if there is
            /// no record. Default: "merge".
            /// `durable`: leaves a tombstone if the write removes the last bin, so that the record
            /// cannot come back (Enterprise servers only). Default: False.
            /// `send_key`: stores the user key with the record. Default: the client's `send_key`.
            /// `timeout`: total time of the call with all its retries, in seconds or as a
            /// timedelta; 0: no limit. Default: the client's `timeout`, 1 s unless set.
            ///
            /// Raises also `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
            /// `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
            /// Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
            /// that cannot be stored; nothing is sent then.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn put<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let code = spikewire_protocol::message::op::WRITE;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
            /// missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
            /// `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn add<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let code = spikewire_protocol::message::op::ADD;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
            /// or a missing record, counts as empty. Keywords as in `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn append<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let code = spikewire_protocol::message::op::APPEND;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Puts text or bytes in front, from a dict of bin names to str or bytes. A missing
            /// bin, or a missing record, counts as empty. Keywords as in `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn prepend<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let code = spikewire_protocol::message::op::PREPEND;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Deletes a record. Returns whether there was one.
            ///
            /// `generation`: the record is deleted only if it has this generation (0 to 65535),
            /// else `GenerationMismatch`. Default: any.
            /// `durable`: leaves a tombstone, so that the record cannot come back after a cold
            /// restart (Enterprise servers only). Default: False.
            /// `timeout`: as in `put`.
            #[pyo3(signature = (key, *, generation=None, durable=false, timeout=None))]
            fn delete<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                generation: Option<Bound<'py, PyAny>>,
                durable: bool,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl: None, generation, exists: None, durable, send_key: Some(false), timeout,
                };
                let address = self.address(key)?;
                self.run(py, $crate::verbs::delete(&self.defaults(), address, &options)?)
            }

            /// Renews a record's time to live, without reading or writing bins. Counts as a write:
            /// the generation grows. Keywords as in `put`.
            ///
            /// Raises `RecordNotFound` if there is no such record, and the errors of `put`.
            #[pyo3(signature = (key, *, ttl=None, generation=None, send_key=None, timeout=None))]
            fn touch<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists: None, durable: false, send_key, timeout,
                };
                let address = self.address(key)?;
                self.run(py, $crate::verbs::touch(&self.defaults(), address, &options)?)
            }

            /// Runs operations from `spikewire.op`, in a list or tuple, on one record: in order,
            /// and all or nothing. Returns a record with the bins that were read; its `results` has
            /// one item per operation, `None` where an operation gives nothing.
            ///
            /// Keywords as in `put`; `generation`, `exists` and `durable` need an operation that
            /// writes, else `ValueError`.
            ///
            /// Raises `RecordNotFound` if the operations only read and there is no such record,
            /// `BinTypeError` if an operation does not fit its bin, and the errors of `put`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (key, operations, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn operate<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                operations: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let address = self.address(key)?;
                self.run(py, $crate::verbs::operate(&self.defaults(), address, operations, &options)?)
            }

            /// Reads many records in one call, in parallel over the nodes.
            ///
            /// `keys` is any iterable of keys, also of several sets on a client. `bins` as for
            /// `get`. Returns a `Batch` in input order: a `Record` per row, `None` where there is
            /// no such record. A row that fails does not disturb the others.
            #[pyo3(signature = (keys, bins=None, *, timeout=None))]
            fn get_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                bins: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let (bins, timeout) = (bins.as_ref(), timeout.as_ref());
                self.run_many(py, $crate::many::get(&self.defaults(), &resolve, keys, bins, timeout)?)
            }

            /// Looks for many records without reading their bins.
            ///
            /// Returns a `Batch`: a `Record` without bins per row, `None` where there is no such
            /// record.
            #[pyo3(signature = (keys, *, timeout=None))]
            fn exists_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let call = $crate::many::exists(&self.defaults(), &resolve, keys, timeout.as_ref());
                self.run_many(py, call?)
            }

            /// Writes many records in one call, in parallel over the nodes.
            ///
            /// `records` is a mapping of keys to bins, or an iterable of such pairs. The keywords
            /// are those of `put` and hold for every row. Returns a `Batch`: a `Record` without
            /// bins per row that was written; see `Batch.errors` and `Batch.raise_for_errors`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (records, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn put_many<'py>(
                &self,
                py: Python<'py>,
                records: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                self.run_many(py, $crate::many::put(&self.defaults(), &resolve, records, &options)?)
            }

            /// Deletes many records in one call.
            ///
            /// Returns a `Batch`: a `Record` without bins per row that was deleted, `None` where
            /// there was no such record.
            #[pyo3(signature = (keys, *, generation=None, durable=false, timeout=None))]
            fn delete_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                generation: Option<Bound<'py, PyAny>>,
                durable: bool,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl: None, generation, exists: None, durable, send_key: Some(false), timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                self.run_many(py, $crate::many::delete(&self.defaults(), &resolve, keys, &options)?)
            }

            /// Applies the same operations to many records in one call.
            ///
            /// Returns a `Batch` of `Record`s as `operate` gives them, `None` where there is no
            /// such record.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (keys, operations, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, timeout=None))]
            fn operate_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                operations: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let defaults = self.defaults();
                let call = $crate::many::operate(&defaults, &resolve, keys, operations, &options);
                self.run_many(py, call?)
            }
        }
    };
}

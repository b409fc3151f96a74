//! The verbs on one record: their keywords become options, the options a request, which is sent by
//! one of the ways in [`crate::aerospike::api`].

use std::ops::Deref;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::{
    self, CommandDefaults, CommandSpec, OperationRef, Operations, Prepared, RetryOptions, Source,
    Target,
};
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::request::Request;
use spikewire_aerospike_protocol::value::ParticleType;

use super::function::Function;
use crate::aerospike::arguments::{self, Argument, objects};
use crate::aerospike::call::{Answers, ResponsePlan, ResponseShape};
use crate::aerospike::expression;
use crate::aerospike::key::{Address, Key};
use crate::aerospike::operation::Operation;
use crate::aerospike::record_type::{selection, written};
use crate::aerospike::value::{Codec, Place, bin_text, encode, pairs};
use crate::errors::{RequestError, invalid_argument, type_error, type_name};

/// A built request, and how to convert its reply.
pub struct Call {
    pub bytes: Vec<u8>,
    pub target: Target,
    pub policy: Policy,
    pub plan: ResponsePlan,
}

impl Call {
    /// Builds a request for one record; `write` adds the operations.
    #[inline]
    pub fn compose(
        address: Address<'_>,
        spec: &CommandSpec,
        defaults: &Defaults,
        shape: ResponseShape,
        write: impl FnOnce(&mut Request<'_>) -> Result<(), RequestError>,
    ) -> PyResult<Self> {
        let stored_key = if spec.send_key { address.stored_key()? } else { None };
        let Address { space, key, digest } = address;
        let Prepared { bytes, target, policy } =
            spec.compose(&space, &digest, stored_key.as_deref(), write)?;
        let key = Key { space, user: key.unbind(), digest };
        let plan = ResponsePlan::new(shape, defaults.codec.clone(), key);
        Ok(Self { bytes, target, policy, plan })
    }

    /// Sets whether bytes are returned as views of the reply.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.return_views(buffers);
        self
    }
}

pub fn get<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: Option<Bound<'py, PyAny>>,
    default: Argument<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let default = match default {
        Argument::Absent => None,
        Argument::Present(value) => Some(value.unbind()),
    };
    let (selection, names) = selection(&address.space, bins.as_ref())?;
    let spec =
        CommandSpec::get(defaults, &options.checked()?, selection).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Record(default), |out| {
        names.iter().try_for_each(|name| Ok(out.read_bin(name)?))
    })
}

pub fn exists<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::exists(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Presence, |_| Ok(()))
}

/// One write operation per bin: put, add, append, prepend.
pub fn write<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    code: u8,
) -> PyResult<Call> {
    let spec = CommandSpec::write(defaults, &options.checked()?).map_err(invalid_argument)?;
    let bins = written(&address.space, bins, code, options.exists.as_ref())?;
    Call::compose(address, &spec, defaults, ResponseShape::Done, |out| {
        write_bins(out, &bins, code, defaults.codec.as_deref())
    })
}

pub fn delete<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::delete(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Presence, |_| Ok(()))
}

pub fn touch<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::touch(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Done, |out| {
        out.touch();
        Ok(())
    })
}

pub fn operate<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<Call> {
    let steps = operations_of(operations)?;
    let (options, rules) = (options.checked()?, rules.checked()?);
    let (spec, returns) =
        CommandSpec::operate(defaults, &options, &rules, refs(&steps)).map_err(invalid_argument)?;
    let answers = Answers { returns, plain: plain_bins(&steps, defaults) };
    let shape = ResponseShape::Results((answers, Vec::new()));
    let mut call = Call::compose(address, &spec, defaults, shape, |out| {
        refs(&steps).for_each(|step| out.step(step));
        Ok(())
    })?;
    if let ResponseShape::Results((_, operations)) = call.plan.shape_mut() {
        *operations = steps.into_iter().map(Bound::unbind).collect();
    }
    Ok(call)
}

pub fn apply<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let shape = ResponseShape::Returned(function.0.module().to_string());
    let spec = CommandSpec::apply(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, shape, |out| {
        out.call(&function.0);
        Ok(())
    })
}

/// What every call inherits from its client.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub commands: CommandDefaults,
    pub codec: Option<Arc<Codec>>,
}

impl Deref for Defaults {
    type Target = CommandDefaults;

    fn deref(&self) -> &CommandDefaults {
        &self.commands
    }
}

/// Keywords that only concern reading.
#[derive(Default)]
pub struct ReadRules<'py> {
    pub touch: Option<Bound<'py, PyAny>>,
    pub mode: Option<Bound<'py, PyAny>>,
    pub hedge: Option<Bound<'py, PyAny>>,
    pub share: Option<Bound<'py, PyAny>>,
}

impl ReadRules<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::ReadRules> {
        let touch = self.touch.as_ref().map(arguments::read_touch).transpose()?;
        let mode = self.mode.as_ref().map(arguments::read_mode).transpose()?;
        let hedge =
            self.hedge.as_ref().map(|value| arguments::hedge("hedge", value)).transpose()?;
        let share = self.share.as_ref().map(arguments::share_reads).transpose()?;
        Ok(command::ReadRules { touch, mode, hedge, share })
    }
}

/// Keywords about attempts, and about what each of them asks for.
#[derive(Default)]
pub struct AttemptKeywords<'py> {
    pub max_retries: Option<Bound<'py, PyAny>>,
    pub sleep: Option<Bound<'py, PyAny>>,
    pub multiplier: Option<Bound<'py, PyAny>>,
    pub longest: Option<Bound<'py, PyAny>>,
    pub jitter: Option<bool>,
    pub in_doubt: Option<bool>,
    pub priority: Option<Bound<'py, PyAny>>,
    pub compress: Option<bool>,
    pub commit_level: Option<Bound<'py, PyAny>>,
    pub error_details: Option<Bound<'py, PyAny>>,
    pub on_locking_only: Option<bool>,
    pub respond_all_keys: Option<bool>,
}

impl AttemptKeywords<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<Option<Box<RetryOptions>>> {
        let Self { max_retries, sleep, multiplier, longest, jitter, in_doubt, .. } = self;
        let silent = max_retries.is_none() && sleep.is_none() && multiplier.is_none();
        let silent = silent && longest.is_none() && jitter.is_none();
        let silent = silent && in_doubt.is_none() && self.compress.is_none();
        let silent = silent && self.error_details.is_none();
        let silent = silent && self.on_locking_only.is_none() && self.respond_all_keys.is_none();
        if silent && self.priority.is_none() && self.commit_level.is_none() {
            return Ok(None);
        }
        self.read().map(RetryOptions::boxed)
    }

    #[cold]
    fn read(&self) -> PyResult<RetryOptions> {
        let (least, most) = command::MAX_RETRIES;
        let count = |value| arguments::count("max_retries", value, least, most);
        let span = |what, value: &Option<Bound<'_, PyAny>>| {
            value.as_ref().map(|value| arguments::seconds(what, value)).transpose()
        };
        let factor = |value| arguments::multiplier("sleep_multiplier", value);
        Ok(RetryOptions {
            attempt_timeout: None,
            inline: None,
            inline_on_devices: None,
            max_retries: self.max_retries.as_ref().map(count).transpose()?.map(|it| it as u32),
            sleep: span("sleep_between_retries", &self.sleep)?,
            multiplier: self.multiplier.as_ref().map(factor).transpose()?,
            longest: span("max_sleep_between_retries", &self.longest)?,
            jitter: self.jitter,
            in_doubt: self.in_doubt,
            priority: self.priority.as_ref().map(arguments::priority).transpose()?,
            compress: self.compress,
            commit_level: self.commit_level.as_ref().map(arguments::commit_level).transpose()?,
            error_details: self.error_details.as_ref().map(arguments::error_details).transpose()?,
            on_locking_only: self.on_locking_only,
            respond_all_keys: self.respond_all_keys,
        })
    }
}

/// Keywords of all reads.
#[derive(Default)]
pub struct ReadOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub rules: ReadRules<'py>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: AttemptKeywords<'py>,
}

impl ReadOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::ReadOptions> {
        let filter = self.filter.as_ref().map(expression::filter).transpose()?;
        let timeout = self.timeout.as_ref().map(arguments::timeout).transpose()?;
        let replica = self.replica.as_ref().map(arguments::replica).transpose()?;
        let command::ReadRules { touch, mode, hedge, share } = self.rules.checked()?;
        let retry = self.retry.checked()?;
        Ok(command::ReadOptions { filter, touch, mode, replica, timeout, retry, hedge, share })
    }
}

/// Keywords of all writes.
#[derive(Default)]
pub struct WriteOptions<'py> {
    pub ttl: Option<Bound<'py, PyAny>>,
    pub generation: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
    pub filter: Option<Bound<'py, PyAny>>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: AttemptKeywords<'py>,
}

impl WriteOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::WriteOptions> {
        Ok(command::WriteOptions {
            ttl: self.ttl.as_ref().map(arguments::ttl).transpose()?.unwrap_or_default(),
            generation: self
                .generation
                .as_ref()
                .map(arguments::generation)
                .transpose()?
                .unwrap_or_default(),
            exists: self.exists.as_ref().map(arguments::exists).transpose()?.unwrap_or_default(),
            durable: self.durable,
            send_key: self.send_key,
            filter: self.filter.as_ref().map(expression::filter).transpose()?,
            timeout: self.timeout.as_ref().map(arguments::timeout).transpose()?,
            replica: self.replica.as_ref().map(arguments::replica).transpose()?,
            retry: self.retry.checked()?,
        })
    }
}

/// A bin's value to be encoded, through the codec if there is one.
struct BinValue<'a, 'py> {
    value: &'a Bound<'py, PyAny>,
    codec: Option<&'a Codec>,
    /// Whether this is the whole value of the bin, as opposed to a value to add or append.
    whole: bool,
}

impl Source for BinValue<'_, '_> {
    type Error = RequestError;

    #[inline]
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType, RequestError> {
        let Some(codec) = self.codec else {
            return Ok(encode(out, self.value, &Place::Bin(bin))?);
        };
        let encoded = if self.whole { codec.encode(bin, self.value)? } else { None };
        Ok(encode(out, encoded.as_ref().unwrap_or(self.value), &Place::Coded(bin, codec))?)
    }
}

/// One operation per bin of a mapping.
pub fn write_bins(
    out: &mut impl Operations,
    bins: &Bound<'_, PyAny>,
    code: u8,
    codec: Option<&Codec>,
) -> Result<(), RequestError> {
    let mut bin = |name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| {
        let value = BinValue { value, codec, whole: code == op::WRITE };
        out.write_bin(code, bin_text(name)?, &value)
    };
    if let Ok(bins) = bins.cast::<PyDict>() {
        for pair in pairs(bins) {
            let (name, value) = pair?;
            bin(&name, &value)?;
        }
    } else if let Ok(bins) = bins.cast::<PyMapping>() {
        for pair in bins.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            bin(&name, &value)?;
        }
    } else {
        let message =
            format!("bins must be a dict of bin names to values, not {}", type_name(bins));
        return Err(type_error(message).into());
    }
    Ok(out.check_any()?)
}

/// Operations as a command takes them.
pub fn refs<'a>(
    steps: &'a [Bound<'_, Operation>],
) -> impl Iterator<Item = OperationRef<'a>> + Clone {
    steps.iter().map(|step| step.get().as_sent())
}

/// The bins for which an operation returns something other than their value. Empty without a codec.
pub fn plain_bins(steps: &[Bound<'_, Operation>], defaults: &Defaults) -> Vec<String> {
    let is_coded = defaults.codec.is_some();
    let parts = steps.iter().map(Bound::get).filter(|step| is_coded && step.gives_a_part());
    parts.map(|step| step.bin.clone()).collect()
}

/// The operations in a list or tuple.
pub fn operations_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Operation>>> {
    objects("operations", value, ("operations", "an operation from spikewire.op"))
}

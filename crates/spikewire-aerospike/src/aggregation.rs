//! Aggregations: the nodes run a stream function on their records, and the client reduces their
//! results with the same function of the same module.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::error_details::{self, DetailLevel};
use spikewire_aerospike_protocol::message::Message;
use spikewire_aerospike_protocol::query::Query;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_udf::{Failure, Library, Limits as UdfLimits, Machine, Side};

use crate::admin::module::module_source;
use crate::admin::run;
use crate::cluster::{Cluster, Tally};
use crate::command::Function;
use crate::model::{Error, Kind, Policy, Result};
use crate::query::QuerySpec;
use crate::transport::gather::{Patience, gather};

/// The longest socket timeout that can be sent to a node.
const MAX_SILENCE: Duration = Duration::from_secs(86_400);

/// The largest result, in bytes of memory: the nodes send a value for each record if the function
/// does not reduce them.
const LARGEST_RESULT: usize = 256 << 20;

/// A validated aggregation that has not started.
#[derive(Debug, Clone)]
pub struct AggregationPlan {
    query: Query,
    function: Function,
    patience: Patience,
    details: DetailLevel,
}

impl QuerySpec {
    /// Plans an aggregation with a stream function; `policy` has the client's defaults.
    pub fn aggregate(&self, function: Function, policy: &Policy) -> Result<AggregationPlan> {
        self.check_whole("an aggregation")?;
        if self.filter.is_some() {
            return Err(Error::invalid("a filter (where) does not apply to an aggregation"));
        }
        let limits = self.limits(policy)?;
        let patience = Patience { timeout: limits.timeout, silence: limits.socket_timeout };
        Ok(AggregationPlan { query: self.scope()?, function, patience, details: limits.details })
    }
}

impl AggregationPlan {
    /// Runs it on this thread and returns the result. Fails with [`Kind::Interrupted`] if
    /// `interrupted` returns true, also during the reduction.
    pub fn run(
        &self,
        cluster: &Cluster,
        interrupted: &(dyn Fn() -> bool + '_),
    ) -> Result<Vec<Value>> {
        let mut tally = Tally::new(cluster.counter_scope(&self.query.namespace), "aggregate");
        tally.begin();
        let outcome = self.run_within_timeout(cluster, interrupted).map(|(values, nodes)| {
            (tally.records, tally.parts) = (values.len() as u64, nodes as u64);
            values
        });
        tally.ended(&outcome);
        outcome
    }

    /// Loads the module and reduces the results of the nodes with it. Returns the
    /// values and the number of nodes.
    fn run_within_timeout(
        &self,
        cluster: &Cluster,
        interrupted: &(dyn Fn() -> bool + '_),
    ) -> Result<(Vec<Value>, usize)> {
        let timeout = Some(self.patience.timeout).filter(|timeout| !timeout.is_zero());
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let needs = self.query.needs() | self.function.needs();
        cluster.snapshot().check_request(needs, || self.function.deep_place())?;
        let library = Arc::new(self.library(cluster, interrupted)?);
        let machine = Machine::new(library, UdfLimits::default()).map_err(error_of)?;
        let outcome =
            machine.watched(deadline, interrupted, || self.reduce(cluster, &machine, interrupted));
        outcome.map_err(error_of)?
    }

    fn reduce(
        &self,
        cluster: &Cluster,
        machine: &Machine,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(Vec<Value>, usize)> {
        let (module, name) = (self.function.module(), self.function.name());
        let packed = self.function.arguments();
        let Ok(Value::List(arguments)) = Value::decode(particle::LIST, packed) else {
            return Err(Error::invalid("the arguments are not a list"));
        };
        let pipeline = machine.stream(module, name, &arguments, Side::Client);
        let mut pipeline = pipeline.map_err(error_of)?;
        let silence = self.patience.silence.min(MAX_SILENCE).as_millis() as u32;
        let mut request = Vec::new();
        self.query.write_aggregation(0, silence, (module, name, packed), &mut request)?;
        error_details::ask(&mut request, self.details);
        let mut result = BoundedResult::new(LARGEST_RESULT);
        let namespace = &self.query.namespace;
        let mut take = |frame: &[u8]| {
            take_values(frame, &mut |value| {
                pipeline.value(&value, &mut result.values).map_err(error_of)?;
                result.check()
            })
        };
        let patience = self.patience;
        let nodes = gather(cluster, namespace, &request, patience, Some(interrupted), &mut take)?;
        pipeline.finish(&mut result.values).map_err(error_of)?;
        Ok((result.values, nodes))
    }

    /// Fetches the module from the cluster.
    fn library(&self, cluster: &Cluster, interrupted: &dyn Fn() -> bool) -> Result<Library> {
        let file = format!("{}.lua", self.function.module());
        let source = run(cluster, &mut module_source(&file)?, interrupted);
        let source = source.map_err(|error| match error.kind() {
            Kind::Server(_) => {
                let message = format!("module {file}: {}", error.message());
                Error::new(Kind::Server(ResultCode::UDF), message)
            }
            _ => error,
        })?;
        let mut library = Library::default();
        library.put(&file, &source);
        Ok(library)
    }
}

/// The values of a result, up to a size.
struct BoundedResult {
    values: Vec<Value>,
    /// How many of them are part of `size`.
    counted: usize,
    size: usize,
    limit: usize,
}

impl BoundedResult {
    fn new(limit: usize) -> Self {
        Self { values: Vec::new(), counted: 0, size: 0, limit }
    }

    /// Counts the values that were added; fails if they are too large together.
    fn check(&mut self) -> Result<()> {
        self.size += self.values[self.counted..].iter().map(size).sum::<usize>();
        self.counted = self.values.len();
        if self.size <= self.limit {
            return Ok(());
        }
        let (limit, count) = (self.limit >> 20, self.counted);
        let message = format!(
            "the result of the aggregation takes more than {limit} MiB after {count} values: let \
             the function reduce them, or read the records with a query"
        );
        Err(Error::new(Kind::Server(ResultCode::UDF), message))
    }
}

/// The memory that a value takes.
fn size(value: &Value) -> usize {
    let inside = match value {
        Value::Str(text) | Value::GeoJson(text) => text.len(),
        Value::Bytes(bytes) | Value::Hll(bytes) => bytes.len(),
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(pairs) => pairs.iter().map(|(key, value)| size(key) + size(value)).sum(),
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
    };
    size_of::<Value>() + inside
}

/// Reads the values in a frame, or the error of the function.
fn take_values(frame: &[u8], take: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
    let mut rest = frame;
    while !rest.is_empty() {
        let (message, used) = Message::parse(rest)?;
        for answer in message.ops() {
            let value = Value::decode(answer.particle, answer.value)?;
            if answer.name == b"FAILURE" {
                let text = match value {
                    Value::Str(text) => text,
                    other => format!("{other:?}"),
                };
                return Err(Error::new(Kind::Server(ResultCode::UDF), text).detailed(rest));
            }
            take(value)?;
        }
        match ResultCode(message.header.result) {
            // A node that does not know the set has no records of it.
            ResultCode::OK | ResultCode::NOT_FOUND => {}
            code => return Err(Error::server(code).detailed(rest)),
        }
        rest = &rest[used..];
    }
    Ok(())
}

fn error_of(failure: Failure) -> Error {
    let kind = match failure {
        Failure::TimedOut => Kind::Timeout,
        Failure::Interrupted => Kind::Interrupted,
        _ => Kind::Server(ResultCode::UDF),
    };
    Error::new(kind, failure.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::message::{Header, write_op};

    fn message(code: ResultCode, values: &[(&[u8], Value)]) -> Vec<u8> {
        let header = Header { result: code.0, ops: values.len() as u16, ..Header::default() };
        let mut out = header.to_bytes().to_vec();
        for (name, value) in values {
            let mut bytes = Vec::new();
            let of = value.encode(&mut bytes);
            write_op(&mut out, 1, name, of, &bytes);
        }
        out
    }

    fn values_of(frame: &[u8]) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        take_values(frame, &mut |value| {
            values.push(value);
            Ok(())
        })?;
        Ok(values)
    }

    #[test]
    fn results_failures_and_server_errors_are_parsed() {
        let mut frame = message(ResultCode::OK, &[(b"SUCCESS", Value::Int(1))]);
        frame.extend(message(ResultCode::OK, &[(b"SUCCESS", Value::Int(2))]));
        frame.extend(message(ResultCode::NOT_FOUND, &[]));
        assert_eq!(values_of(&frame).unwrap(), [Value::Int(1), Value::Int(2)]);
        let failure = message(ResultCode::OK, &[(b"FAILURE", Value::Str("no luck".to_owned()))]);
        let error = values_of(&failure).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::UDF));
        assert_eq!(error.message(), "no luck");
        let error = values_of(&message(ResultCode::INDEX_NOT_FOUND, &[])).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::INDEX_NOT_FOUND));
        assert_eq!(values_of(&frame[..9]).unwrap_err().kind(), Kind::Malformed);
    }

    /// A function that reduces nothing returns as much as the records hold.
    #[test]
    fn a_result_beyond_the_largest_size_is_rejected() {
        let megabyte = || Value::List(vec![Value::Bytes(vec![0; 1 << 20])]);
        let mut result = BoundedResult::new(4 << 20);
        for _ in 0..3 {
            result.values.push(megabyte());
            result.check().unwrap();
        }
        result.check().unwrap();
        result.values.push(megabyte());
        let error = result.check().unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::UDF));
        assert!(error.message().contains("more than 4 MiB after 4 values"), "{error}");
        let mut result = BoundedResult::new(1 << 20);
        result.values.extend((0..1_000_000).map(Value::Int));
        result.check().unwrap_err();
    }

    #[test]
    fn queries_that_cannot_be_aggregated_are_rejected() {
        let function = || Function::new("m", "f", vec![0x90]).unwrap();
        let (spec, policy) = (QuerySpec::new("test", "users"), Policy::default());
        spec.aggregate(function(), &policy).unwrap();
        let filtered = QuerySpec { filter: Some(vec![1]), ..spec.clone() };
        let error = filtered.aggregate(function(), &policy).unwrap_err();
        assert!(error.message().contains("filter"), "{error}");
        let limited = QuerySpec { limit: Some(1), ..spec };
        let error = limited.aggregate(function(), &policy).unwrap_err();
        assert_eq!(error.message(), "limit does not apply to an aggregation");
    }
}

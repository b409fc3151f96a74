//! Aggregations: the nodes run a stream function on their records, and what they send is reduced
//! here, by the same function of the same module.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_engine::admin::{self, module::module_source};
use spikewire_engine::command::Function;
use spikewire_engine::transport::gather::{Patience, gather};
use spikewire_protocol::query as wire;
use spikewire_protocol::result_code::ResultCode;
use spikewire_protocol::value::Value;
use spikewire_udf::{Failure, Library, Limits, Machine, Side};

use super::Query;
use super::plan::Choice;
use crate::face::{Face, Tools};
use crate::function::function as call;
use crate::{Error, Kind, Result};

/// The longest silence that can be told to a node.
const LONGEST_SILENCE: Duration = Duration::from_secs(86_400);

impl<C: Face> Query<C> {
    /// What a stream function of a registered module makes of the records: each node runs it over
    /// its own, and what they send is reduced here. What comes out in the end: one value when the
    /// function ends with a `reduce`, none when there are no records. With the feature `aggregate`.
    ///
    /// It is about all records of the set, or of the query's index; of the rest only pace and
    /// limits of time apply. Fails with what the function raised, and with
    /// [`Kind::NoNode`](crate::Kind::NoNode) when records moved between the nodes meanwhile.
    ///
    /// ```
    /// # use spikewire::{Client, Value};
    /// # use std::time::Duration;
    /// # let cluster = spikewire_server::Cluster::start(Default::default()).unwrap();
    /// # let client = Client::connect(cluster.seeds())?;
    /// # let users = client.dataset("test", "users")?;
    /// # users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
    /// let source = "
    ///     function total(stream, bin)
    ///         return stream
    ///             : map(function (rec) return rec[bin] end)
    ///             : reduce(function (a, b) return a + b end)
    ///     end";
    /// client.modules().register("sums.lua", source, Duration::from_secs(10))?;
    /// let sums = users.query().aggregate("sums", "total", &["age".into()])?;
    /// assert_eq!(sums, [Value::Int(4950)]);
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn aggregate(
        &self,
        module: &str,
        function: &str,
        arguments: &[Value],
    ) -> C::Answer<Vec<Value>> {
        let composed = compose(&self.choice, call(module, function, arguments));
        let (choice, arguments) = (self.choice.clone(), arguments.to_vec());
        self.client.work(move |tools, wanted| {
            let (query, function) = composed?;
            let limits = choice.limits(&tools.defaults)?;
            let patience = Patience { timeout: limits.timeout, silence: limits.socket_timeout };
            run(tools, &query, &function, &arguments, patience, &|| !wanted())
        })
    }
}

fn compose(choice: &Choice, function: Result<Function>) -> Result<(wire::Query, Function)> {
    let function = function?;
    choice.check_whole("an aggregation")?;
    if choice.filter.is_some() {
        return Err(Error::invalid("filter does not apply to an aggregation"));
    }
    choice.options.check_read()?;
    Ok((choice.scope()?, function))
}

fn run(
    tools: &Tools,
    query: &wire::Query,
    function: &Function,
    arguments: &[Value],
    patience: Patience,
    given_up: &dyn Fn() -> bool,
) -> Result<Vec<Value>> {
    let library = Arc::new(library(tools, function.module())?);
    let machine = Machine::new(library, Limits::default()).map_err(|failure| failed(&failure))?;
    let timeout = Some(patience.timeout).filter(|timeout| !timeout.is_zero());
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let worked = machine.watched(deadline, given_up, || {
        reduce(tools, query, function, arguments, (patience, given_up), &machine)
    });
    worked.map_err(|failure| failed(&failure))?
}

fn reduce(
    tools: &Tools,
    query: &wire::Query,
    function: &Function,
    arguments: &[Value],
    (patience, given_up): (Patience, &dyn Fn() -> bool),
    machine: &Machine,
) -> Result<Vec<Value>> {
    let (module, name, packed) = (function.module(), function.name(), function.arguments());
    let pipeline = machine.stream(module, name, arguments, Side::Client);
    let mut pipeline = pipeline.map_err(|failure| failed(&failure))?;
    let silence = patience.silence.min(LONGEST_SILENCE).as_millis() as u32;
    let mut request = Vec::new();
    query.write_aggregation(0, silence, (module, name, packed), &mut request)?;
    let mut out = Vec::new();
    let (cluster, namespace) = (&tools.cluster, &query.namespace);
    gather(cluster, namespace, &request, patience, Some(given_up), &mut |value| {
        pipeline.value(&value, &mut out).map_err(|failure| failed(&failure))
    })?;
    pipeline.finish(&mut out).map_err(|failure| failed(&failure))?;
    Ok(out)
}

/// The module, as the cluster has it.
fn library(tools: &Tools, module: &str) -> Result<Library> {
    let file = format!("{module}.lua");
    let source = admin::run(&tools.cluster, &mut module_source(&file)?, &|| false);
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

fn failed(failure: &Failure) -> Error {
    let kind = match failure {
        Failure::TimedOut => Kind::Timeout,
        Failure::Interrupted => Kind::Interrupted,
        _ => Kind::Server(ResultCode::UDF),
    };
    Error::new(kind, failure.to_string())
}

//! Aggregations: the nodes run a stream function on their records, and what they send is reduced
//! here, by the same function of the same module.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyList;

use spikewire_engine::admin::{self, module::module_source};
use spikewire_engine::command::Function;
use spikewire_engine::transport::gather::{Patience, gather};
use spikewire_engine::{Error, Kind};
use spikewire_protocol::query::Query;
use spikewire_protocol::result_code::ResultCode;
use spikewire_protocol::value::Value;
use spikewire_udf::{Failure, Library, Limits, Machine, Side};

use super::plan::QueryCall;
use crate::core::Core;
use crate::errors::{to_python, value_error};
use crate::signal::Signal;
use crate::value::particle;
use crate::verbs;

/// What of a query an aggregation needs.
pub struct Whole {
    core: Arc<Core>,
    query: Arc<Query>,
    patience: Patience,
    /// The keyword that an aggregation cannot follow.
    refused: Option<&'static str>,
}

impl Whole {
    pub fn of(core: &Arc<Core>, call: &QueryCall) -> Self {
        let (timeout, silence) = (call.limits.timeout, call.limits.socket_timeout);
        let patience = Patience { timeout, silence };
        Self { core: core.clone(), query: call.query.clone(), patience, refused: call.partial }
    }

    /// An aggregation with this function.
    pub fn aggregation(
        &self,
        module: &Bound<'_, PyAny>,
        function: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Aggregation> {
        if let Some(keyword) = self.refused {
            return Err(value_error(format!(
                "an aggregation is about whole sets or index ranges: {keyword} does not apply"
            )));
        }
        Ok(Aggregation {
            core: self.core.clone(),
            query: self.query.clone(),
            patience: self.patience,
            function: verbs::Function::new(module, function, arguments)?.0,
            unwanted: AtomicBool::new(false),
        })
    }
}

/// An aggregation that was composed; calling it runs it, on the calling thread.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Aggregation {
    core: Arc<Core>,
    query: Arc<Query>,
    patience: Patience,
    function: Function,
    /// Nobody waits for it any more.
    unwanted: AtomicBool,
}

#[pymethods]
impl Aggregation {
    pub fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let signal = Signal::default();
        let outcome = py.detach(|| {
            let minded = Signal::is_minded();
            self.run(&|| self.unwanted.load(Relaxed) || (minded && signal.look()))
        });
        if let Some(error) = signal.raised() {
            return Err(error);
        }
        let values = outcome.map_err(|error| to_python(py, &error, None))?;
        let mut bytes = Vec::new();
        let shown = PyList::empty(py);
        for value in values {
            bytes.clear();
            let of = value.encode(&mut bytes);
            shown.append(particle(py, of, &bytes)?)?;
        }
        Ok(shown)
    }

    /// Takes note of the end of the future that its thread works for: one that is cancelled ends
    /// the aggregation.
    fn ended(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        if future.call_method0("cancelled")?.extract()? {
            self.unwanted.store(true, Relaxed);
        }
        Ok(())
    }
}

impl Aggregation {
    fn run(&self, interrupted: &dyn Fn() -> bool) -> Result<Vec<Value>, Error> {
        let module = self.function.module();
        let library = Arc::new(self.library(module, interrupted)?);
        let machine = Machine::new(library, Limits::default()).map_err(|error| failed(&error))?;
        let Ok(Value::List(arguments)) =
            Value::decode(spikewire_protocol::value::particle::LIST, self.function.arguments())
        else {
            return Err(Error::invalid("the arguments are not a list"));
        };
        let deadline = self.deadline();
        let worked = machine
            .watched(deadline, interrupted, || self.reduce(&machine, &arguments, interrupted));
        worked.map_err(|error| failed(&error))?
    }

    /// When the whole of it must be over.
    fn deadline(&self) -> Option<Instant> {
        let timeout = Some(self.patience.timeout).filter(|timeout| !timeout.is_zero());
        timeout.and_then(|timeout| Instant::now().checked_add(timeout))
    }

    fn reduce(
        &self,
        machine: &Machine,
        arguments: &[Value],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Value>, Error> {
        let (module, name) = (self.function.module(), self.function.name());
        let pipeline = machine.stream(module, name, arguments, Side::Client);
        let mut pipeline = pipeline.map_err(|error| failed(&error))?;
        let silence = self.patience.silence.min(Duration::from_secs(86_400));
        let mut request = Vec::new();
        self.query.write_aggregation(
            0,
            silence.as_millis() as u32,
            (module, name, self.function.arguments()),
            &mut request,
        )?;
        let mut out = Vec::new();
        let namespace = &self.query.namespace;
        let cluster = &self.core.cluster;
        gather(cluster, namespace, &request, self.patience, Some(interrupted), &mut |value| {
            pipeline.value(&value, &mut out).map_err(|error| failed(&error))
        })?;
        pipeline.finish(&mut out).map_err(|error| failed(&error))?;
        Ok(out)
    }

    /// The module, as the cluster has it.
    fn library(&self, module: &str, interrupted: &dyn Fn() -> bool) -> Result<Library, Error> {
        let file = format!("{module}.lua");
        let mut library = Library::default();
        let source = admin::run(&self.core.cluster, &mut module_source(&file)?, interrupted);
        let source = source.map_err(|error| match error.kind() {
            Kind::Server(_) => {
                let message = format!("module {file}: {}", error.message());
                Error::new(Kind::Server(ResultCode::UDF), message)
            }
            _ => error,
        })?;
        library.put(&file, &source);
        Ok(library)
    }
}

fn failed(failure: &Failure) -> Error {
    let kind = match failure {
        Failure::TimedOut => Kind::Timeout,
        Failure::Interrupted => Kind::Interrupted,
        _ => Kind::Server(ResultCode::UDF),
    };
    Error::new(kind, failure.to_string())
}

//! Batches whose stages are timed.

use std::sync::Arc;

use spikewire_aerospike::command::batch::Batch;
use spikewire_transport::Tick;
use spikewire_transport::metrics::Observed;

use crate::aerospike::ticket::RowPlan;
use crate::environment::Environment;
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;
use crate::stages::Watch;

/// A batch whose stages are timed.
pub struct TimedRows {
    pub plan: Box<dyn RowPlan>,
    pub observed: Arc<dyn Observed>,
    pub watch: Watch,
}

impl RowPlan for TimedRows {
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle> {
        let Self { plan, observed, watch } = *self;
        let watch = if rows.answered().is_some() { watch } else { Watch::default() };
        Box::new(TimedValue { value: plan.rows_done(rows), observed, watch })
    }
}

struct TimedValue {
    value: Box<dyn Settle>,
    observed: Arc<dyn Observed>,
    watch: Watch,
}

impl Settle for TimedValue {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let Self { value, observed, watch } = *self;
        let since = Tick::now();
        let value = value.settle(env, environment);
        observed.metrics().decoded(Some(since));
        watch.settles(env, environment);
        value
    }
}

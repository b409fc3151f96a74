//! Events about nodes, taken by JavaScript from time to time.

use std::time::Duration;

use spikewire_transport::Metrics;

use crate::arguments;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `(client, listens)`: with `null`, the events since the last call, name and node in turn, and how
/// many were lost as the node of an event `events_lost`; otherwise starts or stops keeping them.
pub fn take<'e>(call: &Call<'e>, metrics: &Metrics) -> Result<Option<Value<'e>>> {
    let listens = call.argument(1);
    if !listens.is_absent() {
        metrics.events().listen(arguments::flag("listens", listens)?);
        return Ok(None);
    }
    let (events, lost) = metrics.events().wait(Duration::ZERO);
    let mut texts = Vec::with_capacity(2 * events.len());
    for event in &events {
        let (name, node) = event.named();
        texts.extend([name.to_owned(), node.map(ToString::to_string).unwrap_or_default()]);
    }
    if lost > 0 {
        texts.extend(["events_lost".to_owned(), lost.to_string()]);
    }
    call.env.array_of(texts.iter().map(|text| call.env.string(text))).map(Some)
}

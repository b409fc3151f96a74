//! The stage of calls that only the binding sees: the time until a promise's task continues.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use spikewire_transport::Tick;
use spikewire_transport::metrics::{Observed, Stage};

use crate::binding::Call;
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::{Env, Result, Value};

/// Measures the hand-over of one in this many calls, because that takes two calls of JavaScript.
const EVERY: u32 = 64;

/// Chooses the calls whose hand-over is measured.
#[derive(Debug, Default)]
pub struct Turns(Cell<u32>);

impl Turns {
    /// The watch of a call whose stages are timed.
    pub fn watch(&self, observed: &Arc<impl Observed + 'static>) -> Watch {
        let turn = self.0.get();
        self.0.set(turn.wrapping_add(1));
        let observed: Arc<dyn Observed> = observed.clone();
        Watch(turn.is_multiple_of(EVERY).then_some(observed))
    }
}

/// Measures how long after its promise is settled a call's task continues, or nothing.
#[derive(Default)]
pub struct Watch(Option<Arc<dyn Observed>>);

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watch").field(&self.0.is_some()).finish()
    }
}

impl Watch {
    /// Whether it measures anything.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Called right before the promise is settled.
    #[inline]
    pub fn settles(self, env: Env<'_>, environment: &Environment) {
        if let Some(observed) = self.0 {
            hand_over(env, environment, observed);
        }
    }
}

#[cold]
fn hand_over(env: Env<'_>, environment: &Environment, observed: Arc<dyn Observed>) {
    let Ok(hooks) = environment.hooks() else { return };
    let since = Rc::new(HandOver { observed, since: Tick::now() });
    let number = environment.resources.add(since);
    let called = env.uint32(number).and_then(|number| hooks.hand_over.call(env, &[number]));
    if called.is_err() {
        // The environment is being torn down.
        let _ = env.take_exception();
        environment.resources.remove(number);
    }
}

/// A promise that is being settled.
struct HandOver {
    observed: Arc<dyn Observed>,
    since: Tick,
}

impl Resource for HandOver {}

/// `handedOver(number)`: the task that waited for a promise continues now.
pub fn handed_over<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (resources, number) = (&call.host.environment.resources, call.index(0)?);
    let HandOver { observed, since } = &*resources.get::<HandOver>(number)?;
    observed.metrics().stage(Stage::HandOver, Tick::now().since(*since));
    resources.remove(number);
    Ok(None)
}

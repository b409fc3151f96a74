//! Clients and sessions that are being connected.

use std::rc::Rc;

use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::js::work::Running;
use crate::js::{Result, Value};

/// A client or a session that is being connected.
#[derive(Debug)]
pub struct Connecting(Running);

impl Resource for Connecting {}

impl Connecting {
    /// Its number, for [`abandon`].
    pub fn add<'e>(call: &Call<'e>, running: Running) -> Result<Value<'e>> {
        call.env.uint32(call.host.environment.resources.add(Rc::new(Self(running))))
    }
}

/// `connectAbandon(connecting)`: it keeps the environment alive no longer.
pub fn abandon<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let connecting = call.host.environment.resources.get::<Connecting>(call.index(0)?);
    if let Ok(connecting) = connecting {
        connecting.0.abandon(call.env);
    }
    Ok(None)
}

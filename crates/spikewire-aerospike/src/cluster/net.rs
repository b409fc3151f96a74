//! State shared by all requests to the cluster.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use spikewire_transport::descriptors::Descriptors;
use spikewire_transport::resolve::Resolver;

use super::address::{Addressing, Scheme};
use super::build::user_agent;
use crate::model::Options;
use crate::model::Result;
use crate::security::Gate;

/// Default connect timeout.
const WITHIN: Duration = Duration::from_secs(1);

/// Shared by everything that opens sockets for one cluster.
#[derive(Debug)]
pub(super) struct Net {
    /// Time limit for connecting and receiving a reply.
    pub within: Duration,
    pub addressing: Addressing,
    /// Whether seeds are used as they are, whatever is behind their addresses.
    pub seed_only: bool,
    /// The command that identifies the client.
    pub user_agent: String,
    pub gate: Gate,
    pub resolver: Resolver,
    pub descriptors: Arc<Descriptors>,
    /// Set when the client is closed; ends every wait.
    pub closed: AtomicBool,
}

impl Net {
    pub fn new(options: &Options) -> Result<Self> {
        let within = options.connect_timeout;
        let gate = Gate::new(&options.login, options.tls.as_ref())?;
        let scheme = Scheme { tls: gate.encrypts(), alternate: options.use_services_alternate };
        Ok(Self {
            within: if within.is_zero() { WITHIN } else { within },
            addressing: Addressing::new(scheme, &options.ip_map)?,
            seed_only: options.seed_only,
            user_agent: user_agent(options.application_id.as_deref()),
            gate,
            resolver: Resolver::default(),
            descriptors: Arc::default(),
            closed: AtomicBool::new(false),
        })
    }
}

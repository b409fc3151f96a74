//! The core of a session: the engine, and the transports that the blocking and the asynchronous API
//! share.

use std::sync::Arc;

use spikewire_cassandra::blocking::BlockingExecutor;
use spikewire_cassandra::{Error, Options, SESSION_CLOSED, Session};

use super::classes::Classes;
use crate::bridge::background::BackgroundSlot;
use crate::bridge::forks::forks;
use crate::bridge::lifecycle::Running;
use crate::stages::Stages;

/// The core of a session.
#[derive(Debug)]
pub struct Core {
    pub session: Arc<Session>,
    /// The classes for values of user-defined types.
    pub classes: Arc<Classes>,
    pub blocking: BlockingExecutor,
    /// Sends submitted statements.
    pub submitter: BackgroundSlot,
    /// Decides which calls are timed.
    pub stages: Stages,
    fork_generation: u32,
}

impl Core {
    /// Connects to the cluster. Blocks.
    pub fn open(options: Options, classes: Arc<Classes>) -> Result<Self, Error> {
        let session = Session::open(options)?;
        let blocking = BlockingExecutor::new(session.cluster());
        let submitter = BackgroundSlot::new();
        let stages = Stages::default();
        Ok(Self { session, classes, blocking, submitter, stages, fork_generation: forks() })
    }
}

impl Running for Core {
    type Error = Error;

    const NOT_CONNECTED: &'static str = "the session is not open yet: use `with Session(...)`, \
        `async with AsyncSession(...)`, or their connect";

    const CLOSED: &'static str = SESSION_CLOSED;

    fn is_own(&self) -> bool {
        self.fork_generation == forks()
    }

    fn close(&self) {
        if self.is_own() {
            self.blocking.close();
            self.submitter.end();
            self.session.cluster().close();
        } else {
            self.abandon();
        }
    }

    fn abandon(&self) {
        self.session.cluster().abandon();
    }
}

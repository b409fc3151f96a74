//! A reply, still in the connection's buffer.

use std::fmt;
use std::sync::Arc;

use crate::attempts::Attempts;
use crate::fault::CommandError;
use crate::protocol::{ErrorOf, NodeOf, Protocol, TargetOf};
use crate::topology::Topology as _;

/// A server's reply to one command.
pub struct Reply<'a, P: Protocol> {
    /// The frame's body, accepted by the protocol.
    pub body: &'a [u8],
    /// The node that replied.
    pub node: &'a Arc<NodeOf<P>>,
    /// The attempts it took.
    pub attempts: Attempts,
}

impl<'a, P: Protocol> Reply<'a, P> {
    /// Its result code.
    pub fn code(&self) -> P::Code {
        P::code(self.body)
    }

    /// The outcome of its command, whose request says more about an error if this is `explained`.
    #[inline(always)]
    pub(crate) fn outcome(
        self,
        topology: &P::Topology,
        target: &mut TargetOf<P>,
        explained: Option<ErrorOf<P>>,
    ) -> Outcome<'a, P> {
        if let Some(error) = explained {
            Err(self.attempts.annotate(error.on(self.node.to_string())))
        } else if self.attempts.count > 1 && P::is_server_error(self.body) {
            Err(topology.conclude(target, self.error()))
        } else {
            Ok(self)
        }
    }

    /// The error in this reply.
    pub fn error(&self) -> ErrorOf<P> {
        self.attempts.annotate(P::server_error(self.body).on(self.node.to_string()))
    }
}

impl<P: Protocol> Clone for Reply<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Protocol> Copy for Reply<'_, P> {}

impl<P: Protocol> fmt::Debug for Reply<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { body, node, attempts } = self;
        f.debug_struct("Reply")
            .field("body", body)
            .field("node", node)
            .field("attempts", attempts)
            .finish()
    }
}

/// How a command ended: its reply, or an error.
pub type Outcome<'a, P> = Result<Reply<'a, P>, ErrorOf<P>>;

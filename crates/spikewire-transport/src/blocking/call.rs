//! A single command of a calling thread.

use std::sync::Arc;

use super::{BlockingPool, BlockingTicket, CallerLimits};
use crate::attempts::Attempts;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{CommandError as _, Fault, FaultKind};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol};
use crate::reply::Outcome;

/// The node that replied and the attempts it took, or an error.
type CallResult<P> = Result<(Arc<NodeOf<P>>, Attempts), ErrorOf<P>>;

/// The ticket of a caller with one command; holds a copy of its reply.
#[derive(Debug)]
pub struct Single<P: Protocol> {
    body: Vec<u8>,
    details: ReplyDetails,
    outcome: Option<CallResult<P>>,
}

/// Boxed because tickets are moved and few replies need it.
pub type ReplyDetails = Option<Box<RareDetails>>;

/// Additional data that few replies have.
#[derive(Debug, Default)]
pub struct RareDetails {
    /// The request, if the node did not execute it.
    pub returned: Option<Vec<u8>>,
    /// When the reply was delivered, while stages are timed.
    pub answered: Option<Tick>,
}

/// What is known of a reply besides its bytes.
#[derive(Debug)]
pub struct ReplyOrigin<P: Protocol> {
    /// The node that replied.
    pub node: Arc<NodeOf<P>>,
    /// The attempts it took.
    pub attempts: Attempts,
}

impl<P: Protocol> Single<P> {
    /// A ticket that puts the body of the reply into this buffer.
    #[inline(always)]
    pub fn new(body: Vec<u8>) -> Self {
        Self { body, details: None, outcome: None }
    }
}

impl<P: Protocol> ResponseHandler for Single<P> {
    fn returned(&mut self, request: Vec<u8>) {
        self.details.get_or_insert_default().returned = Some(request);
    }

    fn answered_at(&mut self, at: Tick) {
        self.details.get_or_insert_default().answered = Some(at);
    }
}

impl<P: Protocol> BlockingTicket<P> for Single<P> {
    #[inline(always)]
    fn complete(&mut self, outcome: Outcome<'_, P>) {
        self.outcome = Some(outcome.map(|reply| {
            self.body.clear();
            self.body.extend_from_slice(reply.body);
            (reply.node.clone(), reply.attempts)
        }));
    }
}

impl<P: Protocol, T: BlockingTicket<P>> BlockingPool<P, T> {
    /// Sends one command and waits until it has ended, including retries. `single` extracts the
    /// [`Single`] from the command's ticket. The reply is left in `body`, and additional data in
    /// `details`. `interrupted` is called when a signal may have arrived: it runs the signal
    /// handlers, and returns whether the caller gives up.
    #[inline(always)]
    pub fn call(
        &self,
        command: CommandOf<P, T>,
        now: Tick,
        body: &mut Vec<u8>,
        details: &mut ReplyDetails,
        interrupted: Option<&dyn Fn() -> bool>,
        single: impl Fn(T) -> Option<Single<P>>,
    ) -> Result<ReplyOrigin<P>, ErrorOf<P>> {
        let limits = CallerLimits { now, deadline: command.deadline, alone: false, interrupted };
        let mut completed = None;
        // By reference because a command is large: it is moved less often.
        let run = self.run(std::iter::once(command).by_ref(), limits, |ticket| {
            if let Some(Single { body: filled, details: more, outcome }) = single(ticket) {
                *body = filled;
                *details = more;
                completed = outcome;
            }
        });
        match (run, completed) {
            (Ok(()), Some(outcome)) => {
                outcome.map(|(node, attempts)| ReplyOrigin { node, attempts })
            }
            (Ok(()), None) => {
                Err(Fault::new(FaultKind::Withdrawn, "the call was withdrawn").into())
            }
            // The command ended with the call, so whether it may have been applied is known by now.
            (Err(fault), Some(Err(ended))) => {
                let (attempts, in_doubt) = ended.tried();
                Err(ErrorOf::<P>::from(fault).after(attempts, in_doubt))
            }
            (Err(fault), _) => Err(fault.into()),
        }
    }
}

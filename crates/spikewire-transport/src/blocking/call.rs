//! One command of a calling thread.

use std::sync::Arc;

use super::{BlockingPool, BlockingTicket, CallerLimits};
use crate::attempts::Attempts;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{CommandError as _, Fault, FaultKind};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol};
use crate::reply::Outcome;

/// Who answered and what it took, or why nobody did.
type Ended<P> = Result<(Arc<NodeOf<P>>, Attempts), ErrorOf<P>>;

/// The ticket of a caller with one command: its reply, copied.
#[derive(Debug)]
pub struct Single<P: Protocol> {
    body: Vec<u8>,
    /// Apart, for it is rare, and every ticket is moved.
    #[expect(clippy::box_collection, reason = "a third of the size")]
    returned: Option<Box<Vec<u8>>>,
    outcome: Option<Ended<P>>,
}

/// What there is to know of a reply besides its bytes.
#[derive(Debug)]
pub struct Answered<P: Protocol> {
    /// Who answered.
    pub node: Arc<NodeOf<P>>,
    /// What it took.
    pub attempts: Attempts,
}

impl<P: Protocol> Single<P> {
    /// A ticket; the body of the reply goes into this buffer.
    #[inline(always)]
    pub fn new(body: Vec<u8>) -> Self {
        Self { body, returned: None, outcome: None }
    }
}

impl<P: Protocol> ResponseHandler for Single<P> {
    fn returned(&mut self, request: Vec<u8>) {
        self.returned = Some(Box::new(request));
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
    /// Sends one command and waits until it is over, retries included. `single` finds what the
    /// command was made with in its ticket. The reply is left in `body`, and the request in
    /// `returned` where the node did not execute it. `interrupted` is asked when a signal may have
    /// come: it runs the handlers, and says whether the caller gives up.
    #[inline(always)]
    pub fn call(
        &self,
        command: CommandOf<P, T>,
        now: Tick,
        body: &mut Vec<u8>,
        returned: &mut Option<Vec<u8>>,
        interrupted: Option<&dyn Fn() -> bool>,
        single: impl Fn(T) -> Option<Single<P>>,
    ) -> Result<Answered<P>, ErrorOf<P>> {
        let limits = CallerLimits { now, deadline: command.deadline, alone: false, interrupted };
        let mut completed = None;
        // Lent, for a command is large: it is moved less often.
        let run = self.run(std::iter::once(command).by_ref(), limits, |ticket| {
            if let Some(Single { body: filled, returned: back, outcome }) = single(ticket) {
                *body = filled;
                *returned = back.map(|request| *request);
                completed = outcome;
            }
        });
        match (run, completed) {
            (Ok(()), Some(outcome)) => outcome.map(|(node, attempts)| Answered { node, attempts }),
            (Ok(()), None) => {
                Err(Fault::new(FaultKind::Withdrawn, "the call was withdrawn").into())
            }
            // The command ended with the call: whether it may have been applied is known by now.
            (Err(fault), Some(Err(ended))) => {
                let (attempts, in_doubt) = ended.tried();
                Err(ErrorOf::<P>::from(fault).after(attempts, in_doubt))
            }
            (Err(fault), _) => Err(fault.into()),
        }
    }
}

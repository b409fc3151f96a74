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
    aside: Aside,
    outcome: Option<Ended<P>>,
}

/// What few replies come with. Apart, for every ticket is moved.
pub type Aside = Option<Box<Extra>>;

/// What few replies come with.
#[derive(Debug, Default)]
pub struct Extra {
    /// The request, where the node did not execute it.
    pub returned: Option<Vec<u8>>,
    /// When the reply was handed over, while stages are timed.
    pub answered: Option<Tick>,
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
        Self { body, aside: None, outcome: None }
    }
}

impl<P: Protocol> ResponseHandler for Single<P> {
    fn returned(&mut self, request: Vec<u8>) {
        self.aside.get_or_insert_default().returned = Some(request);
    }

    fn answered_at(&mut self, at: Tick) {
        self.aside.get_or_insert_default().answered = Some(at);
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
    /// command was made with in its ticket. The reply is left in `body`, and what else there is of it
    /// in `aside`. `interrupted` is asked when a signal may have
    /// come: it runs the handlers, and says whether the caller gives up.
    #[inline(always)]
    pub fn call(
        &self,
        command: CommandOf<P, T>,
        now: Tick,
        body: &mut Vec<u8>,
        aside: &mut Aside,
        interrupted: Option<&dyn Fn() -> bool>,
        single: impl Fn(T) -> Option<Single<P>>,
    ) -> Result<Answered<P>, ErrorOf<P>> {
        let limits = CallerLimits { now, deadline: command.deadline, alone: false, interrupted };
        let mut completed = None;
        // Lent, for a command is large: it is moved less often.
        let run = self.run(std::iter::once(command).by_ref(), limits, |ticket| {
            if let Some(Single { body: filled, aside: more, outcome }) = single(ticket) {
                *body = filled;
                *aside = more;
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

//! Whether a failed attempt is followed by another, and whether a write is in doubt.

use std::fmt::Display;

use crate::clock::Tick;
use crate::fault::{CommandError, Fault, FaultKind};
use crate::policy::{Policy, Preference};

/// How one attempt ended badly.
#[derive(Debug)]
pub enum Failure<E> {
    /// The request has not left this machine: no connection, no place, no node.
    NotSent(E),
    /// The request was written, and no whole answer came.
    Lost(E),
    /// The server refused it.
    Refused(Refusal<E>),
}

impl<E> Failure<E> {
    /// The error.
    pub fn error(&self) -> &E {
        match self {
            Self::NotSent(error) | Self::Lost(error) => error,
            Self::Refused(refusal) => &refusal.error,
        }
    }
}

/// A server's refusal.
#[derive(Debug)]
pub struct Refusal<E> {
    /// What the caller gets if it is final.
    pub error: E,
    /// Whether another attempt may get past it.
    pub retryable: bool,
    /// Whether a write may have been applied all the same.
    pub doubtful: bool,
}

/// What was tried so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts made, counting the one under way.
    pub made: u32,
    /// Replicas to move on by for the next attempt.
    pub step: u32,
    /// Whether an attempt to write may have been applied.
    pub in_doubt: bool,
}

/// What follows a failed attempt.
#[derive(Debug)]
pub enum Verdict<E> {
    /// Try again, at this time.
    Retry(Tick),
    /// Tell the caller.
    Fail(E),
}

impl Attempts {
    /// Records how the latest attempt failed and decides what follows.
    pub fn failed<E: CommandError, R: Preference>(
        &mut self,
        failure: Failure<E>,
        write: bool,
        policy: &Policy<R>,
        deadline: Tick,
        now: Tick,
    ) -> Verdict<E> {
        let (error, retryable, moves_on) = match failure {
            Failure::NotSent(error) => {
                let retryable = !error.is_final();
                (error, retryable, true)
            }
            Failure::Lost(error) => {
                self.in_doubt |= write;
                (error, !write || policy.retry_in_doubt, true)
            }
            Failure::Refused(Refusal { error, retryable, doubtful }) => {
                let doubt = write && doubtful;
                self.in_doubt |= doubt;
                (error, retryable && (!doubt || policy.retry_in_doubt), !doubt)
            }
        };
        if !retryable || self.made > policy.max_retries {
            return Verdict::Fail(self.annotate(error));
        }
        let rotates = moves_on && policy.replica.moves_on();
        // A different replica is worth trying at once, but only the first time round.
        let at = if rotates && self.step == 0 {
            now
        } else {
            now.after(policy.pause(self.made, self.step))
        };
        self.step += u32::from(rotates);
        if at >= deadline {
            return Verdict::Fail(self.annotate(error));
        }
        Verdict::Retry(at)
    }

    /// The error of a command whose total deadline passed; `sent` tells whether the attempt under
    /// way had been written, `node` which node it was for, where one was chosen.
    pub fn timed_out<E: CommandError, R>(
        &mut self,
        write: bool,
        sent: bool,
        node: Option<&dyn Display>,
        policy: &Policy<R>,
    ) -> E {
        self.in_doubt |= write && sent;
        let limit = policy.timeout.as_secs_f64();
        let place = match (sent, node) {
            (true, Some(node)) => format!("no answer came from node {node}"),
            (true, None) => "no answer came".to_owned(),
            (false, Some(node)) => format!("it was still waiting to be sent to node {node}"),
            (false, None) => "it was still waiting to be sent".to_owned(),
        };
        let message = format!("the command's total timeout of {limit} s passed: {place}");
        let node = node.map(ToString::to_string);
        self.annotate(Fault { kind: FaultKind::Timeout, message, node }.into())
    }

    /// What was tried without the latest attempt, of which the node executed nothing: a command that
    /// goes on from here has not used one up.
    #[must_use]
    pub fn without_latest(self) -> Self {
        Self { made: self.made.saturating_sub(1), ..self }
    }

    /// Adds what was tried to an error.
    pub fn annotate<E: CommandError>(&self, error: E) -> E {
        error.after(self.made, self.in_doubt)
    }
}

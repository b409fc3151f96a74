//! Decides whether a failed attempt is retried, and whether a write is in doubt.

use std::fmt::Display;

use crate::clock::Tick;
use crate::fault::{CommandError, Fault, FaultKind};
use crate::policy::{Policy, Preference};

/// How an attempt failed.
#[derive(Debug)]
pub enum Failure<E> {
    /// The request has not left this machine: there was no node, no connection or no place on one.
    NotSent(E),
    /// The request was written, but no complete reply arrived.
    Lost(E),
    /// The server returned an error.
    Server(ServerFailure<E>),
}

impl<E> Failure<E> {
    /// The error.
    pub fn error(&self) -> &E {
        match self {
            Self::NotSent(error) | Self::Lost(error) => error,
            Self::Server(failure) => &failure.error,
        }
    }
}

/// An error returned by a server.
#[derive(Debug)]
pub struct ServerFailure<E> {
    /// The error the caller gets if there is no retry.
    pub error: E,
    /// Whether another attempt may succeed.
    pub retryable: bool,
    /// Whether a write may have been applied nevertheless.
    pub doubtful: bool,
}

/// The attempts made at a command so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts made, including the current one.
    pub count: u32,
    /// How many replicas the next attempt moves on by.
    pub step: u32,
    /// Whether a write may have been applied by one of the attempts.
    pub in_doubt: bool,
    /// How many attempts were given up because their node was silent.
    pub silences: u8,
}

/// What to do after a failed attempt.
#[derive(Debug)]
pub enum Verdict<E> {
    /// Retry at this time.
    Retry(Tick),
    /// Return this error to the caller.
    Fail(E),
}

impl Attempts {
    /// Records why the latest attempt failed and decides whether there is another.
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
                (error, !write || policy.flags.in_doubt(), true)
            }
            Failure::Server(ServerFailure { error, retryable, doubtful }) => {
                let doubt = write && doubtful;
                self.in_doubt |= doubt;
                (error, retryable && (!doubt || policy.flags.in_doubt()), !doubt)
            }
        };
        if !retryable || self.count > policy.max_retries {
            return Verdict::Fail(self.annotate(error));
        }
        let rotates = moves_on && policy.replica.moves_on();
        // A different replica is worth trying at once, but only the first time.
        let at = if rotates && self.step == 0 {
            now
        } else {
            now.after(policy.pause(self.count, self.step))
        };
        self.step += u32::from(rotates);
        if at >= deadline {
            return Verdict::Fail(self.annotate(error));
        }
        Verdict::Retry(at)
    }

    /// The error of a command whose total deadline passed. `sent` says whether the current attempt
    /// was written, `node` which node it was for, if one had been chosen.
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
        self.annotate(Fault { kind: FaultKind::Timeout, message, node, cause: None }.into())
    }

    /// The attempts without the latest one. For a request that the node did not execute: sending it
    /// again does not count as a retry.
    #[must_use]
    pub fn without_latest(self) -> Self {
        Self { count: self.count.saturating_sub(1), ..self }
    }

    /// Whether an attempt before the current one failed for another reason than silence.
    pub fn has_failed(&self) -> bool {
        self.count > 1 + u32::from(self.silences)
    }

    /// Adds the number of attempts and `in_doubt` to an error.
    pub fn annotate<E: CommandError>(&self, error: E) -> E {
        error.after(self.count, self.in_doubt)
    }
}

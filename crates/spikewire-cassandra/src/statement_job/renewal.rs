//! Preparing one statement anew: because the schema has changed, or because values do not fit what
//! is known of its parameters.

use std::sync::Arc;

use super::host::ParameterEncoder;
use crate::Session;
use crate::error::Error;
use crate::session::{Call, Preparation};
use crate::statement::{Prepared, StatementOptions};

/// Why something cannot be composed with a prepared statement yet.
#[derive(Debug)]
pub enum Unready<E> {
    /// A node has to prepare the statement first, by this call.
    Prepare(Box<Call>),
    /// It cannot be composed at all.
    Failed(E),
}

/// What was done so far to know a prepared statement as it is now. A node is asked at most once.
#[derive(Debug)]
pub struct Renewal<H: ParameterEncoder> {
    is_requested: bool,
    /// Why the values do not fit what was known of the statement before.
    encode_error: Option<H::Error>,
}

impl<H: ParameterEncoder> Default for Renewal<H> {
    fn default() -> Self {
        Self { is_requested: false, encode_error: None }
    }
}

impl<H: ParameterEncoder> Renewal<H> {
    /// Composes something with a prepared statement as it is now.
    #[inline]
    pub fn compose<T>(
        &mut self,
        session: &Arc<Session>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
        work: impl Fn(&Arc<Prepared>) -> Result<T, H::Error>,
    ) -> Result<T, Unready<H::Error>> {
        if prepared.is_stale() {
            return self.compose_stale(session, prepared, options, work);
        }
        work(prepared).map_err(|error| self.after_encode_error(session, prepared, options, error))
    }

    #[cold]
    fn compose_stale<T>(
        &mut self,
        session: &Arc<Session>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
        work: impl Fn(&Arc<Prepared>) -> Result<T, H::Error>,
    ) -> Result<T, Unready<H::Error>> {
        match self.renew(session, prepared, options) {
            Ok(Preparation::Ask(call)) => Err(Unready::Prepare(call)),
            Ok(Preparation::Known(latest)) => work(&latest)
                .map_err(|error| self.after_encode_error(session, &latest, options, error)),
            Err(error) => Err(Unready::Failed(error.into())),
        }
    }

    /// The same for a text, which may have to be prepared first.
    pub fn compose_text<T>(
        &mut self,
        session: &Arc<Session>,
        text: &str,
        options: &StatementOptions,
        work: impl Fn(&Arc<Prepared>) -> Result<T, H::Error>,
    ) -> Result<T, Unready<H::Error>> {
        match session.prepare(text, options) {
            Ok(Preparation::Ask(call)) => Err(Unready::Prepare(call)),
            Ok(Preparation::Known(known)) => self.compose(session, &known, options, work),
            Err(error) => Err(Unready::Failed(error.into())),
        }
    }

    /// What to execute in place of a statement that is stale.
    #[cold]
    pub(super) fn renew(
        &mut self,
        session: &Arc<Session>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
    ) -> crate::Result<Preparation> {
        let renewed = session.renew(prepared, options)?;
        if matches!(renewed, Preparation::Ask(_)) && std::mem::replace(&mut self.is_requested, true)
        {
            // The schema has changed again meanwhile; a node that notices says so.
            return Ok(Preparation::Known(prepared.clone()));
        }
        Ok(renewed)
    }

    /// What to do about values that do not fit: the parameters may be other ones by now.
    #[cold]
    pub(super) fn after_encode_error(
        &mut self,
        session: &Arc<Session>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
        error: H::Error,
    ) -> Unready<H::Error> {
        if self.is_requested || !H::may_be_outdated(&error) {
            return Unready::Failed(error);
        }
        let Ok(call) = session.prepare_anew(prepared, options) else {
            return Unready::Failed(error);
        };
        (self.is_requested, self.encode_error) = (true, Some(error));
        Unready::Prepare(call)
    }

    /// Takes the answer to PREPARE and composes again.
    #[cold]
    pub fn on_answer<T>(
        &mut self,
        session: &Arc<Session>,
        answer: crate::Result<Arc<Prepared>>,
        options: &StatementOptions,
        work: impl Fn(&Arc<Prepared>) -> Result<T, H::Error>,
    ) -> Result<T, Unready<H::Error>> {
        match answer {
            Ok(latest) => {
                self.on_prepared();
                self.compose(session, &latest, options, work)
            }
            Err(error) => Err(Unready::Failed(self.error(error))),
        }
    }

    /// A node has prepared the statement.
    pub(super) fn on_prepared(&mut self) {
        (self.is_requested, self.encode_error) = (true, None);
    }

    /// The error to report if a request failed: that of the values, if it was sent because of them.
    pub(super) fn error(&mut self, error: Error) -> H::Error {
        self.encode_error.take().unwrap_or_else(|| error.into())
    }
}

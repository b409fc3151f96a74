//! Batches whose statements may have to be prepared first.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_cql::request::{BatchKind, Values, values_with};

use super::host::ParameterEncoder;
use super::renewal::Unready;
use crate::Session;
use crate::error::Error;
use crate::session::{Call, Preparation};
use crate::statement::{BatchBuilder, Prepared, StatementOptions};

/// One statement of a batch, as its host keeps it.
#[derive(Debug)]
pub enum BatchStatement<K> {
    /// Text.
    Text(Arc<str>),
    /// A prepared statement and its values.
    Bound(Arc<Prepared>, Arc<[u8]>),
    /// Text that is prepared when the batch is executed, and its parameters.
    Unprepared(Arc<str>, K),
    /// A prepared statement whose parameters may have changed since, and values that fit only then.
    Unbound(Arc<Prepared>, K),
}

impl<K> BatchStatement<K> {
    /// Its text.
    pub fn text(&self) -> &Arc<str> {
        match self {
            Self::Text(text) | Self::Unprepared(text, _) => text,
            Self::Bound(prepared, _) | Self::Unbound(prepared, _) => &prepared.text,
        }
    }
}

/// One statement of a batch that is composed.
#[derive(Debug, Clone, Copy)]
pub enum BatchEntry<'a, P> {
    /// Text.
    Text(&'a str),
    /// A prepared statement and its values.
    Bound(&'a Arc<Prepared>, &'a [u8]),
    /// Text that is prepared if it is not known, and its parameters.
    Unprepared(&'a Arc<str>, P),
    /// A prepared statement and its parameters, encoded as it is now.
    Unbound(&'a Arc<Prepared>, P),
}

/// The contents of a batch when it is executed.
#[derive(Debug)]
pub struct BatchContent<K> {
    /// The kind of batch.
    pub kind: BatchKind,
    /// Its statements.
    pub statements: Vec<Arc<BatchStatement<K>>>,
}

impl<K> Clone for BatchContent<K> {
    fn clone(&self) -> Self {
        Self { kind: self.kind, statements: self.statements.clone() }
    }
}

/// What was prepared for a batch.
#[derive(Debug)]
pub struct BatchTexts<H: ParameterEncoder> {
    /// Texts, and whether a node was asked for them.
    known: FxHashMap<Arc<str>, (Arc<Prepared>, bool)>,
    /// Stale statements that a node was asked for.
    renewed: FxHashSet<Arc<str>>,
    /// Why values do not fit what was known of their statement before.
    encode_error: Option<H::Error>,
}

impl<H: ParameterEncoder> Default for BatchTexts<H> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), renewed: FxHashSet::default(), encode_error: None }
    }
}

impl<H: ParameterEncoder> BatchTexts<H> {
    /// Composes the request. If a statement has to be prepared first, it is composed again after
    /// [`BatchTexts::on_answer`].
    pub fn compose<'a>(
        &mut self,
        session: &Arc<Session>,
        kind: BatchKind,
        entries: impl Iterator<Item = BatchEntry<'a, H::Parameters<'a>>>,
        options: &StatementOptions,
    ) -> Result<Call, Unready<H::Error>> {
        let begun = session.batch(kind, options);
        let mut batch = begun.map_err(|error| Unready::Failed(error.into()))?;
        for (at, entry) in entries.enumerate() {
            let added = self.add(session, &mut batch, (at, entry), options)?;
            added.map_err(|error| Unready::Failed(H::in_batch(error, at)))?;
        }
        session.run_batch(batch, options).map_err(|error| Unready::Failed(error.into()))
    }

    /// Adds a statement, or says what has to be done before that is possible.
    fn add(
        &mut self,
        session: &Arc<Session>,
        batch: &mut BatchBuilder,
        (at, entry): (usize, BatchEntry<'_, H::Parameters<'_>>),
        options: &StatementOptions,
    ) -> Result<Result<(), H::Error>, Unready<H::Error>> {
        if let BatchEntry::Bound(prepared, _) | BatchEntry::Unbound(prepared, _) = entry
            && prepared.is_stale()
        {
            if H::CAN_WAIT || !prepared.latest().is_stale() {
                self.renew(session, prepared, options)?;
            } else {
                return Ok(Err(prepared.outdated().into()));
            }
        }
        Ok(match entry {
            BatchEntry::Text(text) => batch.add_text(text).map_err(H::Error::from),
            BatchEntry::Bound(prepared, bytes) => {
                let values = Values { count: prepared.parameters.len(), named: false, bytes };
                if prepared.is_stale() {
                    let latest = prepared.for_bound_values().map_err(H::Error::from);
                    latest.and_then(|it| batch.add(&it, values).map_err(H::Error::from))
                } else {
                    batch.add(prepared, values).map_err(H::Error::from)
                }
            }
            BatchEntry::Unbound(prepared, parameters) => {
                if prepared.is_stale() {
                    encode::<H>(batch, &prepared.latest(), parameters)
                } else {
                    encode::<H>(batch, prepared, parameters)
                }
            }
            BatchEntry::Unprepared(text, parameters) => {
                let plain = options.to_prepare();
                if !self.known.contains_key(text) {
                    match session.prepare(text, &plain) {
                        Ok(Preparation::Ask(call)) => return Err(Unready::Prepare(call)),
                        Ok(Preparation::Known(known)) => {
                            self.known.insert(text.clone(), (known, false));
                        }
                        Err(error) => return Err(Unready::Failed(error.into())),
                    }
                }
                let (known, is_latest) = &self.known[text];
                match encode::<H>(batch, known, parameters) {
                    // Its parameters may be other ones by now.
                    Err(error) if !is_latest && H::may_be_outdated(&error) => {
                        match session.prepare_anew(known, &plain) {
                            Ok(call) => {
                                self.encode_error = Some(H::in_batch(error, at));
                                return Err(Unready::Prepare(call));
                            }
                            Err(_) => Err(error),
                        }
                    }
                    added => added,
                }
            }
        })
    }

    /// Has a stale statement prepared again, unless a node was asked already.
    #[cold]
    fn renew(
        &mut self,
        session: &Arc<Session>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
    ) -> Result<(), Unready<H::Error>> {
        match session.renew(prepared, options) {
            Ok(Preparation::Ask(call)) if self.renewed.insert(prepared.text.clone()) => {
                Err(Unready::Prepare(call))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(Unready::Failed(error.into())),
        }
    }

    /// Takes the answer to PREPARE.
    #[cold]
    pub fn on_answer(&mut self, answer: crate::Result<Arc<Prepared>>) -> Result<(), H::Error> {
        answer.map(|prepared| self.on_prepared(&prepared)).map_err(|error| self.error(error))
    }

    /// A node has prepared a statement of the batch.
    pub(super) fn on_prepared(&mut self, prepared: &Arc<Prepared>) {
        self.encode_error = None;
        self.known.insert(prepared.text.clone(), (prepared.clone(), true));
    }

    /// The error to report if a request failed: that of the values, if it was sent because of them.
    pub(super) fn error(&mut self, error: Error) -> H::Error {
        self.encode_error.take().unwrap_or_else(|| error.into())
    }
}

/// Adds a statement with parameters.
fn encode<H: ParameterEncoder>(
    batch: &mut BatchBuilder,
    prepared: &Arc<Prepared>,
    parameters: H::Parameters<'_>,
) -> Result<(), H::Error> {
    let write = |out: &mut Vec<u8>| H::encode(prepared, Some(parameters), out);
    batch.add(prepared, values_with::<H::Error>(prepared.parameters.len(), false, write))
}

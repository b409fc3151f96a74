//! Batches: several statements in one request.

use std::sync::Arc;

use spikewire_cql::request::{BatchKind, BatchWriter, RequestError, WriteValues};
use spikewire_cql::version::Version;
use spikewire_transport::buffer;
use spikewire_transport::metrics::CallStart;

use super::Prepared;
use crate::error::Error;

/// Collects the statements of a batch. It is sent to a replica of the first statement whose
/// partition is known.
#[derive(Debug)]
pub struct BatchBuilder {
    pub(crate) writer: BatchWriter<Vec<u8>>,
    pub(crate) prepared: Vec<Arc<Prepared>>,
    /// The statement that determines where it goes, and its token.
    pub(crate) token: Option<(Arc<Prepared>, i64)>,
    pub(crate) conditional: bool,
    /// Whether it has counters, so that executing it twice makes a difference.
    pub(crate) counts: bool,
    /// The call's start, for the metrics.
    pub(crate) began: CallStart,
}

impl BatchBuilder {
    /// Starts a batch, with the tracing and payload of its execution.
    pub fn new(
        version: Version,
        kind: BatchKind,
        tracing: bool,
        payload: &[(String, Option<Vec<u8>>)],
        began: CallStart,
    ) -> Result<Self, Error> {
        let payload = borrowed(payload);
        let extras = spikewire_cql::envelope::Extras { tracing, payload: &payload };
        let writer = BatchWriter::new(buffer::take(), version, kind, &extras)?;
        let (token, counts) = (None, kind == BatchKind::Counter);
        Ok(Self { writer, prepared: Vec::new(), token, conditional: false, counts, began })
    }

    /// The number of statements.
    pub fn len(&self) -> usize {
        self.writer.len()
    }

    /// Whether it has no statements.
    pub fn is_empty(&self) -> bool {
        self.writer.is_empty()
    }

    /// Adds a statement without values.
    pub fn add_text(&mut self, text: &str) -> Result<(), Error> {
        self.conditional |= crate::text::Traits::of(text).conditional;
        Ok(self.writer.query(text, spikewire_cql::request::Values::NONE)?)
    }

    /// Adds a prepared statement and its values.
    pub fn add<V: WriteValues>(
        &mut self,
        prepared: &Arc<Prepared>,
        values: V,
    ) -> Result<(), V::Error> {
        let before = self.writer.size();
        self.writer.prepared(&prepared.id, values)?;
        self.conditional |= prepared.traits.conditional;
        if self.token.is_none() && prepared.table.is_some() {
            // Kind, id, number of values.
            let skipped = before + 1 + 2 + prepared.id.len() + 2;
            let values = self.writer.written().get(skipped..).unwrap_or_default();
            self.token = prepared.token(values).map(|token| (prepared.clone(), token));
        }
        if !self.prepared.iter().any(|known| Arc::ptr_eq(known, prepared)) {
            self.prepared.push(prepared.clone());
        }
        Ok(())
    }
}

/// Borrows a payload in the form that requests take.
pub fn borrowed(payload: &[(String, Option<Vec<u8>>)]) -> Vec<(&str, Option<&[u8]>)> {
    payload.iter().map(|(name, bytes)| (name.as_str(), bytes.as_deref())).collect()
}

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Self {
        Self::invalid(error.to_string())
    }
}

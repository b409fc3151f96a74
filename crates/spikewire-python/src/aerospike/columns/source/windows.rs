//! The rows of a table as batches. Each row is encoded once, and only a limited number are in
//! memory at a time.

use crate::columns::column_error;
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::CommandSpec;
use spikewire_aerospike::command::batch::{Batch as Rows, RowKind};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::op;

use super::choice::Table;
use super::keys::user;
use crate::aerospike::key::Key;
use crate::aerospike::space::Space;
use crate::columns::source::Piece;
use crate::errors::{about, value_error};
use spikewire_columns::ColumnError;
use spikewire_columns::source::Cell;

/// The maximum number of rows in a window, so that three nodes get about one full request each.
const ROWS: usize = 16_384;
/// The number of encoded bytes after which a window is closed.
const BYTES: usize = 16 << 20;

/// The rows of a table that have not been sent yet.
pub struct Windows {
    table: Table,
    space: Arc<Space>,
    spec: CommandSpec,
    piece: Option<Arc<Piece>>,
    /// Rows of the current piece that are done.
    at: usize,
    /// Rows of the table that are done.
    row: usize,
}

/// Encoded rows, and the positions of their keys.
#[derive(Default)]
struct Window {
    kinds: Vec<RowKind>,
    digests: Vec<Digest>,
    spans: Vec<(Arc<Piece>, Range<usize>)>,
}

impl Windows {
    pub fn new(table: Table, space: Arc<Space>, spec: CommandSpec) -> Self {
        Self { table, space, spec, piece: None, at: 0, row: 0 }
    }

    /// The next rows and their keys. `None` after the last ones.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<(Rows, Vec<Key>)>> {
        let sent = self.row;
        let window = py.detach(|| self.fill()).map_err(|error| match sent {
            0 => error,
            _ => about(py, error, &format!("after {sent} rows were sent")),
        })?;
        if window.digests.is_empty() {
            return Ok(None);
        }
        let mut keys = Vec::with_capacity(window.digests.len());
        let mut digests = window.digests.iter();
        for (piece, rows) in &window.spans {
            for (row, digest) in rows.clone().zip(&mut digests) {
                let user = user(py, &piece.columns[0].cell(row).map_err(column_error)?)?.unbind();
                keys.push(Key { space: self.space.clone(), user, digest: *digest });
            }
        }
        let rows = window.digests.into_iter().zip(0..);
        let rows = Rows::new(window.kinds, rows, self.spec.policy, Tick::now());
        Ok(Some((rows, keys)))
    }

    fn fill(&mut self) -> PyResult<Window> {
        let mut window = Window::default();
        let mut bytes = 0;
        let mut scratch = Kind::default();
        let needs = self.spec.row_needs();
        while window.digests.len() < ROWS && bytes < BYTES {
            let Some(piece) = self.piece()? else { break };
            let start = self.at;
            while self.at < piece.rows && window.digests.len() < ROWS && bytes < BYTES {
                let digest = self.encode(&piece, self.at, &mut scratch)?;
                bytes += scratch.as_bytes().len();
                window.digests.push(digest);
                window.kinds.push(RowKind {
                    row: scratch.clone(),
                    namespace: self.space.namespace.clone(),
                    write: true,
                    replica: self.spec.policy.replica,
                    needs: needs | CommandSpec::nesting_of(&scratch),
                });
                self.at += 1;
                self.row += 1;
            }
            window.spans.push((piece, start..self.at));
        }
        Ok(window)
    }

    /// The piece that has rows left.
    fn piece(&mut self) -> PyResult<Option<Arc<Piece>>> {
        while self.piece.as_ref().is_none_or(|piece| self.at >= piece.rows) {
            let Some(piece) = self.table.pieces.get_mut().next()? else {
                self.piece = None;
                return Ok(None);
            };
            (self.piece, self.at) = (Some(Arc::new(piece)), 0);
        }
        Ok(self.piece.clone())
    }

    /// Encodes one row. Returns its digest.
    fn encode(&self, piece: &Piece, at: usize, out: &mut Kind) -> PyResult<Digest> {
        let place = |column: &str| format!("row {}, column {column:?}", self.row);
        let wrong = |error: ColumnError, column: &str| column_error(error.within(&place(column)));
        let cell = piece.columns[0].cell(at).map_err(|error| wrong(error, &self.table.key))?;
        let key = cell.key().map_err(|error| wrong(error, &self.table.key))?;
        let stored = self.spec.send_key.then(|| key.stored());
        self.spec.begin_row(&self.space, stored.as_deref(), out);
        for ((column, bin), cells) in self.table.bins.iter().zip(&piece.columns[1..]) {
            let cell = cells.cell(at).map_err(|error| wrong(error, column))?;
            if matches!(cell, Cell::Null) && !self.table.removes {
                continue;
            }
            out.op_with(op::WRITE, bin.as_bytes(), |out| cell.particle(out))
                .map_err(|error| wrong(error, column))?;
        }
        if out.ops() == 0 {
            return Err(value_error(format!(
                "row {}: every bin is null, so there is nothing to write; leave such rows out, or \
                 remove their bins by nulls='remove'",
                self.row
            )));
        }
        out.finish().map_err(|error| value_error(format!("row {}: {error}", self.row)))?;
        Ok(self.space.digest(&key))
    }
}

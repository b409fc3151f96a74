//! Reading the answer to a statement.

use std::sync::Arc;

use spikewire_cql::envelope::{HEADER_LEN, Opcode, Prefix};
use spikewire_cql::notation::Malformed;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::response::{
    Message, Prepared as PreparedReply, QueryResult, Response, Rows as RowsReply, SchemaChange,
    ServerError,
};
use spikewire_cql::tablet::Tablet;
use spikewire_transport::Attempts;

use super::{ToPrepare, What};
use crate::cluster::Node;
use crate::connection::Reply;
use crate::error::{Error, Kind, Result};
use crate::memory::Memory;
use crate::statement::{Prepared, Shape};

/// The answer to a statement.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The node that answered.
    pub node: &'a Arc<Node>,
    /// The attempts it took.
    pub attempts: Attempts,
    /// The length of the reply.
    pub bytes: usize,
    /// Trace id, warnings and payload.
    pub prefix: Prefix<'a>,
    /// Whether the nodes agreed on the schema in the end, if the statement changed it.
    pub agreed: bool,
    /// Its content.
    pub content: Content<'a>,
}

/// The content of an answer.
#[derive(Debug)]
pub enum Content<'a> {
    /// The statement was executed.
    Void,
    /// Rows: all of them, or a page.
    Rows(Rows<'a>),
    /// The session's keyspace is now this one.
    Keyspace(&'a str),
    /// The statement was prepared.
    Prepared(Arc<Prepared>),
    /// The schema was changed.
    Schema(SchemaChange),
}

/// The rows of an answer.
#[derive(Debug)]
pub struct Rows<'a> {
    /// Their columns.
    pub shape: Arc<Shape>,
    /// How many there are.
    pub count: usize,
    /// Their cells, row by row.
    pub cells: Cells<'a>,
    /// Where the next page begins; `None` on the last one.
    pub paging_state: Option<&'a [u8]>,
}

/// The error in a reply, if it is one.
pub fn error_of(reply: &Reply<'_>) -> Option<Result<ServerError>> {
    if reply.code() != Opcode::Error as u8 {
        return None;
    }
    Some(match Response::read(reply.body).map(|response| response.message) {
        Ok(Message::Error(error)) => Ok(error),
        Ok(_) => Err(strange(reply.node, &"a frame of kind ERROR without an error")),
        Err(error) => Err(malformed(reply.node, &error)),
    })
}

/// The server's description of a statement that it prepared.
pub fn prepared_of<'a>(reply: &Reply<'a>) -> Result<PreparedReply<'a>> {
    match Response::read_with(reply.body, &reply.node.shards.extensions()) {
        Ok(Response { message: Message::Result(QueryResult::Prepared(prepared)), .. }) => {
            Ok(prepared)
        }
        Ok(_) => Err(strange(reply.node, &"no prepared statement in answer to PREPARE")),
        Err(error) => Err(malformed(reply.node, &error)),
    }
}

/// Whether a reply reports a schema change. Only replies with a prefix, or of an unusual kind, are
/// parsed for that.
pub fn changes_schema(reply: &Reply<'_>) -> bool {
    if reply.code() != Opcode::Result as u8 {
        return false;
    }
    // Rows are the common case, and are not parsed twice.
    match reply.body.get(HEADER_LEN..HEADER_LEN + 4) {
        Some([0, 0, 0, 1..=4]) if reply.body[1] == 0 => false,
        _ => matches!(
            Response::read(reply.body),
            Ok(Response { message: Message::Result(QueryResult::SchemaChange(_)), .. })
        ),
    }
}

/// Reads a reply to this kind of request.
pub(super) fn read<'a>(
    memory: &Memory,
    what: &What,
    body: &'a [u8],
    node: &'a Arc<Node>,
    attempts: Attempts,
) -> Result<Answer<'a>> {
    let extensions = node.shards.extensions();
    let response = Response::read_with(body, &extensions);
    let Response { prefix, message } = response.map_err(|error| malformed(node, &error))?;
    if !prefix.payload.is_empty() {
        learn_tablet(memory, what, &prefix);
    }
    let Message::Result(result) = message else {
        return Err(strange(
            node,
            &format!("a {} in answer to a statement", message.opcode().name()),
        ));
    };
    let content = match result {
        QueryResult::Void => Content::Void,
        QueryResult::SetKeyspace(name) => {
            if matches!(what, What::Use) {
                memory.set_keyspace(name);
            }
            Content::Keyspace(name)
        }
        QueryResult::SchemaChange(change) => {
            // Its event may arrive later than this answer.
            memory.statements.note(&change);
            memory.cluster.note_schema_change(&change);
            Content::Schema(change)
        }
        QueryResult::Prepared(prepared) => {
            Content::Prepared(remember(memory, what, &prefix, prepared, node)?)
        }
        QueryResult::Rows(rows) => Content::Rows(read_rows(what, rows, node)?),
    };
    Ok(Answer { node, attempts, bytes: body.len(), prefix, agreed: true, content })
}

fn remember(
    memory: &Memory,
    what: &What,
    prefix: &Prefix<'_>,
    reply: PreparedReply<'_>,
    node: &Arc<Node>,
) -> Result<Arc<Prepared>> {
    let What::Prepare(request) = what else {
        return Err(strange(node, &"a prepared statement in answer to something else"));
    };
    let warnings = prefix.warnings.iter().map(|warning| (*warning).to_owned()).collect();
    let ToPrepare { text, keyspace, context } = &**request;
    let lwt_mark = node.shards.extensions().lwt_mark;
    let prepared = described(text.clone(), keyspace.clone(), reply, warnings, lwt_mark);
    Ok(memory.statements.remember(prepared, context))
}

/// Takes note of the tablet that a reply names, because its request came to the wrong place. The
/// request was executed: one that makes no sense is left out.
#[cold]
fn learn_tablet(memory: &Memory, what: &What, prefix: &Prefix<'_>) {
    if let What::Execute { prepared, .. } = what
        && let Some((keyspace, table)) = &prepared.table
        && let Ok(Some(tablet)) = Tablet::of(&prefix.payload)
    {
        memory.cluster.tablets().add(keyspace, table, tablet);
    }
}

/// A statement as a node describes it, with the flags that mark conditional ones there.
pub(super) fn described(
    text: Arc<str>,
    keyspace: Option<Arc<str>>,
    reply: PreparedReply<'_>,
    warnings: Vec<String>,
    lwt_mark: Option<u32>,
) -> Prepared {
    let columns = reply.result.map(|metadata| metadata.columns).unwrap_or_default();
    let shape = Shape::new(reply.metadata_id, columns);
    let (parameters, key) = (reply.markers.columns, reply.partition_key);
    let conditional = lwt_mark.is_some_and(|mask| reply.flags & mask != 0);
    Prepared::new(text, keyspace, reply.id, parameters, key, shape, warnings).with_mark(conditional)
}

fn read_rows<'a>(what: &What, rows: RowsReply<'a>, node: &Arc<Node>) -> Result<Rows<'a>> {
    let RowsReply { paging_state, metadata_id, metadata, columns, count, cells } = rows;
    let shape = match (metadata, what) {
        (Some(metadata), What::Execute { prepared, shape }) => {
            if let Some(id) = metadata_id {
                let changed = Shape::new(id, metadata.columns);
                prepared.set_result(changed.clone());
                changed
            } else if *metadata.columns == *shape.columns {
                // Keeps what the host stored with the shape.
                shape.clone()
            } else {
                Shape::new(&[], metadata.columns)
            }
        }
        (Some(metadata), _) => Shape::new(&[], metadata.columns),
        (None, What::Execute { shape, .. }) if shape.columns.len() == columns => shape.clone(),
        (None, _) => {
            let why = format!("rows of {columns} columns without their description");
            return Err(strange(node, &why));
        }
    };
    Ok(Rows { shape, count, cells, paging_state })
}

fn malformed(node: &Arc<Node>, error: &Malformed) -> Error {
    let message = format!("node {node} sent invalid bytes: {error}");
    let error = Error::new(Kind::Malformed, message).because(Some(Arc::new(error.clone())));
    error.on(node.to_string())
}

fn strange(node: &Arc<Node>, why: &dyn std::fmt::Display) -> Error {
    let message = format!("node {node} sent {why}");
    Error::new(Kind::Malformed, message).on(node.to_string())
}

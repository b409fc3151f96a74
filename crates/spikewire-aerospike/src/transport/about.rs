//! Classifies requests for metrics. Their bytes are parsed when they end, and only while metrics
//! are enabled, so that commands carry nothing extra.

use std::sync::LazyLock;

use spikewire_aerospike_protocol::batch::{ROW_LEN, Rows, row_flag};
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{HEADER_LEN, Header, Walk, field, info1, info2, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::metrics::{About, Subject};
use spikewire_transport::protocol::RequestKind;

use crate::route::Target;

/// Bytes of a row before its digest.
const INDEX_LEN: usize = 4;

static LABELS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let label = |code| match ResultCode(code) {
        ResultCode::OK => "ok".to_owned(),
        // Distinguished from the client's timeout.
        ResultCode::TIMEOUT => "server_timeout".to_owned(),
        code => code.name().map_or_else(|| format!("code_{}", code.0), str::to_ascii_lowercase),
    };
    (0..=u8::MAX).map(label).collect()
});

/// A label for a result code: `ok`, or its symbolic name in lower case.
pub(super) fn label(code: ResultCode) -> &'static str {
    &LABELS[usize::from(code.0)]
}

/// Classifies a request of this kind, about this many rows.
pub(super) fn about<'a>(
    bytes: &'a [u8],
    target: &'a Target,
    rows: usize,
    kind: RequestKind,
) -> About<'a> {
    if kind != RequestKind::Data {
        return About { operation: "info", namespace: "", records: 0 };
    }
    let message = bytes.get(frame::HEADER_LEN..).unwrap_or_default();
    let Ok(header) = Header::parse(message) else {
        return About { operation: "command", namespace: "", records: rows };
    };
    if header.info1 & info1::BATCH != 0 {
        let operation = if target.write { "batch_write" } else { "batch_read" };
        let namespace = namespace_of_first_row(message).unwrap_or_default();
        return About { operation, namespace, records: rows };
    }
    let namespace = match target.aim.partition() {
        Ok((namespace, _)) => namespace,
        Err(_) => namespace(&message[HEADER_LEN..]).unwrap_or_default(),
    };
    About { operation: operation(&header, message), namespace, records: rows }
}

/// The record that a request is about; of a batch, the one of this row.
pub(super) fn subject(bytes: &[u8], kind: RequestKind, row: usize) -> Option<Subject<'_>> {
    if kind != RequestKind::Data {
        return None;
    }
    let message = bytes.get(frame::HEADER_LEN..)?;
    let header = Header::parse(message).ok()?;
    let fields = Fields { left: header.fields, rest: &message[HEADER_LEN..] };
    if header.info1 & info1::BATCH == 0 {
        return Some(subject_of(fields));
    }
    let (_, data) = { fields }.find(|(id, _)| *id == field::BATCH)?;
    let mut rows = Rows::parse(data).ok()?;
    for _ in 0..row {
        rows.next().ok()??;
    }
    let digest = data.get(rows.offset()..)?.get(INDEX_LEN..ROW_LEN)?;
    let row = rows.next().ok()??;
    Some(Subject {
        key: digest,
        ..subject_of(Fields { left: row.header.fields, rest: row.fields })
    })
}

/// Namespace, set and digest.
fn subject_of(fields: Fields<'_>) -> Subject<'_> {
    let mut subject = Subject::default();
    for (id, data) in fields {
        match id {
            field::NAMESPACE => subject.namespace = data,
            field::SET => subject.set = data,
            field::DIGEST => subject.key = data,
            _ => {}
        }
    }
    subject
}

/// The fields of a message that were not read yet.
struct Fields<'a> {
    left: u16,
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (id, data, rest) = next_field(self.rest)?;
        self.rest = rest;
        Some((id, data))
    }
}

/// The operation on one record.
fn operation(header: &Header, message: &[u8]) -> &'static str {
    if has_function(header, message) {
        return "apply";
    }
    if header.info2 & info2::RESPOND_ALL_OPS != 0 {
        return "operate";
    }
    if header.info2 & info2::DELETE != 0 {
        return "delete";
    }
    if header.info2 & info2::WRITE == 0 {
        return if header.info1 & info1::NO_BINS != 0 { "exists" } else { "get" };
    }
    if header.info1 & info1::READ != 0 {
        return "operate";
    }
    let first = Walk::begin(message).ok().and_then(|(_, mut walk)| walk.next().ok().flatten());
    match first.map(|first| first.code) {
        Some(op::ADD) => "add",
        Some(op::APPEND) => "append",
        Some(op::PREPEND) => "prepend",
        Some(op::TOUCH) => "touch",
        _ => "put",
    }
}

/// Whether one of its fields names a function.
fn has_function(header: &Header, message: &[u8]) -> bool {
    let mut rest = &message[HEADER_LEN..];
    // Namespace, set and digest are always present.
    if header.fields <= 3 {
        return false;
    }
    for _ in 0..header.fields {
        let Some((id, _, after)) = next_field(rest) else { return false };
        if id == field::UDF_PACKAGE {
            return true;
        }
        rest = after;
    }
    false
}

/// The first field, if it is a namespace.
fn namespace(fields: &[u8]) -> Option<&str> {
    let (id, data, _) = next_field(fields)?;
    if id == field::NAMESPACE { std::str::from_utf8(data).ok() } else { None }
}

/// The namespace of a batch; if there are several, that of the first row.
fn namespace_of_first_row(message: &[u8]) -> Option<&str> {
    let header = Header::parse(message).ok()?;
    let mut rest = &message[HEADER_LEN..];
    for _ in 0..header.fields {
        let (id, data, after) = next_field(rest)?;
        if id == field::BATCH {
            return namespace_of_row(data.get(5 + ROW_LEN..)?);
        }
        rest = after;
    }
    None
}

/// The namespace of a row's kind.
fn namespace_of_row(kind: &[u8]) -> Option<&str> {
    let flags = *kind.first()?;
    let mut fields = 2;
    for (flag, len) in
        [(row_flag::INFO, 2), (row_flag::GENERATION, 2), (row_flag::TTL, 4), (row_flag::INFO4, 1)]
    {
        if flags & flag != 0 {
            fields += len;
        }
    }
    // After the numbers of fields and operations.
    namespace(kind.get(fields + 4..)?)
}

/// A field's id and data, and the remaining bytes.
fn next_field(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let len = u32::from_be_bytes(*bytes.first_chunk()?) as usize;
    let field = bytes.get(4..)?.get(..len)?;
    let (id, data) = field.split_first()?;
    Some((*id, data, &bytes[4 + len..]))
}

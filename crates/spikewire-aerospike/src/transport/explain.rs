//! Adds to the error of a request what it was about: servers reply with a code only.

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::{Message, info1};
use spikewire_aerospike_protocol::result_code::ResultCode;

use crate::model::{self, Error};

/// How many bins an error names.
const NAMED: usize = 8;

/// The error of a request about one record. `None` if it was another one, or there is nothing to
/// add.
#[cold]
pub(super) fn describe(code: ResultCode, request: &[u8]) -> Option<Error> {
    let (frame, _) = frame::split(request).ok()??;
    let (message, _) = Message::parse(frame.body).ok()?;
    if frame.kind != Kind::Message || message.header.info1 & info1::BATCH != 0 {
        return None;
    }
    let more = if code == ResultCode::RECORD_TOO_BIG {
        format!("; the request has {} bytes", request.len())
    } else {
        format!(": {}", bins(&message)?)
    };
    Some(Error::new(model::Kind::Server(code), format!("{}{more}", code.text())))
}

/// The bins that a request is about.
fn bins(message: &Message<'_>) -> Option<String> {
    let mut names: Vec<&[u8]> = Vec::new();
    for op in message.ops() {
        if !op.name.is_empty() && !names.contains(&op.name) {
            names.push(op.name);
        }
    }
    let listed: Vec<_> = names
        .iter()
        .take(NAMED)
        .map(|name| format!("{:?}", String::from_utf8_lossy(name)))
        .collect();
    match &*listed {
        [] => None,
        [one] => Some(format!("bin {one}")),
        all if names.len() > NAMED => {
            Some(format!("one of bins {} and {} more", all.join(", "), names.len() - NAMED))
        }
        all => Some(format!("one of bins {}", all.join(", "))),
    }
}

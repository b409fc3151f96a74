//! Describes a request for the metrics: read from its bytes as it ends, and only while requests are
//! counted.

use spikewire_cql::envelope::{HEADER_LEN, Opcode, flag};
use spikewire_transport::metrics::About;

use crate::routing::{Aim, Target};

/// The description of a request.
pub(super) fn about<'a>(bytes: &[u8], target: &'a Target, rows: usize) -> About<'a> {
    let namespace = match &target.aim {
        Aim::Token { keyspace, .. } => keyspace,
        Aim::Any | Aim::Node(_) => "",
    };
    let opcode = bytes.get(4).copied().and_then(Opcode::from_number);
    let (operation, records) = match opcode {
        Some(Opcode::Query) => ("query", rows),
        Some(Opcode::Prepare) => ("prepare", 0),
        Some(Opcode::Execute) => ("execute", rows),
        Some(Opcode::Batch) => ("batch", statements(bytes).unwrap_or(rows)),
        _ => ("request", 0),
    };
    About { operation, namespace, records }
}

/// The number of statements in a batch.
fn statements(bytes: &[u8]) -> Option<usize> {
    let (flags, body) = (bytes.get(1)?, bytes.get(HEADER_LEN..)?);
    // The kind of batch and the number of statements come first, unless there is a payload.
    let count = body.get(1..3)?.first_chunk()?;
    (flags & flag::CUSTOM_PAYLOAD == 0).then(|| u16::from_be_bytes(*count).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_known_by_their_first_bytes() {
        let target = Target::new(
            Aim::Token { keyspace: "shop".into(), token: 1, tablet: None, conditional: false },
            true,
            0,
        );
        let description_of = |bytes: &[u8]| {
            let About { operation, namespace, records } = about(bytes, &target, 1);
            (operation, namespace.to_owned(), records)
        };
        let request = |opcode, body: &[u8]| {
            let mut bytes = vec![5, 0, 0, 0, opcode as u8, 0, 0, 0, body.len() as u8];
            bytes.extend_from_slice(body);
            bytes
        };
        let shop = || "shop".to_owned();
        assert_eq!(description_of(&request(Opcode::Query, &[])), ("query", shop(), 1));
        assert_eq!(description_of(&request(Opcode::Execute, &[])), ("execute", shop(), 1));
        assert_eq!(description_of(&request(Opcode::Prepare, &[])), ("prepare", shop(), 0));
        assert_eq!(description_of(&request(Opcode::Batch, &[0, 0, 17, 0])), ("batch", shop(), 17));
        assert_eq!(description_of(&request(Opcode::Batch, &[0])), ("batch", shop(), 1));
        assert_eq!(description_of(&[]), ("request", shop(), 0));
    }
}

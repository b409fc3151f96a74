//! CQL responses: arbitrary input; what decodes is encoded, and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::dialect::Extensions;
use spikewire_cql::envelope::Header;
use spikewire_cql::response::{Message, QueryResult, Response};
use spikewire_cql::tablet::Tablet;

fuzz_target!(|input: &[u8]| {
    let Some(([first, flags, opcode], body)) = input.split_first_chunk() else { return };
    let version = 4 + (first & 1);
    let (flags, opcode, len) = (*flags, *opcode, body.len());
    let header = Header { version, is_response: true, flags, stream: 1, opcode, body: len };
    let whole = [&header.to_bytes()[..], body].concat();
    let with_ids = Extensions { metadata_id: true, ..Extensions::default() };
    let _ = Response::read_with(&whole, &with_ids);
    let Ok(response) = Response::parse(&header, body) else { return };
    if let Ok(Some(tablet)) = Tablet::of(&response.prefix.payload) {
        let (name, bytes) = tablet.to_payload();
        assert_eq!(Tablet::of(&vec![(name, Some(&bytes[..]))]), Ok(Some(tablet)));
    }
    if let Message::Result(QueryResult::Rows(rows)) = &response.message {
        assert!(rows.count * rows.columns.max(1) * 4 <= body.len());
        let mut cells = rows.cells;
        while cells.cell().is_ok() {}
    }
    let mut once = Vec::new();
    response.write(&mut once, header.layout(), 1).expect("what was read is not too long");
    let again = Response::read(&once).expect("our own response");
    let mut twice = Vec::new();
    again.write(&mut twice, header.layout(), 1).expect("what was read is not too long");
    assert_eq!(once, twice);
});

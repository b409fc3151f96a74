//! CQL responses: arbitrary input; what decodes is encoded, and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::envelope::Header;
use spikewire_cql::response::{Message, QueryResult, Response};

fuzz_target!(|input: &[u8]| {
    let Some(([first, flags, opcode], body)) = input.split_first_chunk() else { return };
    let version = 4 + (first & 1);
    let (flags, opcode, len) = (*flags, *opcode, body.len());
    let header = Header { version, is_response: true, flags, stream: 1, opcode, body: len };
    let Ok(response) = Response::parse(&header, body) else { return };
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

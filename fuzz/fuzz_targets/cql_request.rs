//! CQL requests: arbitrary input; what decodes is encoded, and is stable from then on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::dialect::{Dialect, Extensions, TabletRouting};
use spikewire_cql::envelope::{Extras, HEADER_LEN, Header};
use spikewire_cql::request::batch::Statement;
use spikewire_cql::request::{self, BatchWriter, Message, Request, RequestError, Startup};

fuzz_target!(|input: &[u8]| {
    let Some(([first, flags, opcode], body)) = input.split_first_chunk() else { return };
    let version = 4 + (first & 1);
    let (flags, opcode, len) = (*flags, *opcode, body.len());
    let header = Header { version, is_response: false, flags, stream: 0, opcode, body: len };
    let all = Extensions { metadata_id: true, tablets: TabletRouting::V2, ..Extensions::default() };
    let (whole, version) = ([&header.to_bytes()[..], body].concat(), header.layout());
    let (from, to) = (all.dialect(version), Dialect::from(version));
    let mut translated = Vec::new();
    let _ = request::translate(&whole, from, to, &mut translated);
    let Ok(asked) = Request::parse(&header, body) else { return };
    let mut once = Vec::new();
    // Servers reject some valid encodings, and so do we.
    if write(&asked, &header, &mut once).is_err() {
        assert!(once.is_empty());
        return;
    }
    let header = Header::read(&once).expect("our own header").expect("a whole one");
    let again = Request::parse(&header, &once[HEADER_LEN..]).expect("our own request");
    let mut twice = Vec::new();
    write(&again, &header, &mut twice).expect("what was said before");
    assert_eq!(once, twice);
});

fn write(asked: &Request<'_>, header: &Header, out: &mut Vec<u8>) -> Result<(), RequestError> {
    let version = header.layout();
    let extras = &Extras { tracing: asked.tracing, payload: &asked.prefix.payload };
    match &asked.message {
        Message::Options => request::options(out, version),
        Message::Startup(pairs) => {
            // The encoder's own options come first.
            let pairs: Vec<_> =
                pairs.iter().copied().filter(|(key, _)| *key != "CQL_VERSION").collect();
            request::startup(out, version, &Startup { extras: &pairs, ..Startup::default() })
        }
        Message::AuthResponse(token) => request::auth_response(out, version, *token),
        Message::Register(kinds) => request::register(out, version, kinds),
        Message::Query(query) => {
            request::query(out, version, query.text, query.values, &query.parameters, extras)
        }
        Message::Prepare(prepare) => {
            request::prepare(out, version, prepare.text, prepare.keyspace, extras)
        }
        Message::Execute(execute) => {
            let (id, metadata_id) = (execute.id, execute.metadata_id);
            let (values, parameters) = (execute.values, &execute.parameters);
            request::execute(out, version, id, metadata_id, values, parameters, extras)
        }
        Message::Batch(batch) => {
            let mut writer = BatchWriter::new(&mut *out, version, batch.kind, extras)?;
            for (statement, values) in &batch.statements {
                match statement {
                    Statement::Text(text) => writer.query(text, *values)?,
                    Statement::Prepared(id) => writer.prepared(id, *values)?,
                }
            }
            writer.finish(&batch.parameters).map(drop)
        }
    }
}

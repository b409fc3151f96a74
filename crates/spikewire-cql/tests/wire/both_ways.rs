//! Everything in the dialogues is written back unchanged.

use spikewire_cql::compression::{compress_bodies, inflate};
use spikewire_cql::envelope::{self, Extras, HEADER_LEN, Header, UnsealResult, flag};
use spikewire_cql::request::batch::Statement;
use spikewire_cql::request::{self, BatchWriter, Message, Request, Startup};
use spikewire_cql::response::Response;
use spikewire_cql::segment::{self, Unsealer};

use super::script::{Around, all};

/// The envelope of a line, with an uncompressed body.
fn inflated(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    assert_eq!(inflate(plain, &mut out), Ok(UnsealResult::Took(plain.len())));
    out
}

#[test]
fn responses_are_written_as_recorded() {
    for line in all().into_iter().filter(|line| line.is_response) {
        let recorded = inflated(&line.plain);
        let header = Header::read(&recorded).unwrap().unwrap();
        let response =
            Response::read(&recorded).unwrap_or_else(|error| panic!("{}: {error}", line.place));
        let mut written = Vec::new();
        response.write(&mut written, header.layout(), header.stream).unwrap();
        let again = Response::read(&written).unwrap();
        assert_eq!(again, response, "{}", line.place);
        // Cassandra says that names are global even where it omits them.
        let mut expected = recorded.clone();
        if matches!(line.place.as_str(), "v4 pages 3" | "v4 pages 5" | "v5 pages 3") {
            let flags = HEADER_LEN + 7;
            assert_eq!(expected[flags] & 0x05, 0x05, "{}", line.place);
            expected[flags] &= !0x01;
        }
        assert_eq!(written, expected, "{}", line.place);
    }
}

#[test]
fn requests_are_written_as_recorded() {
    for line in all().into_iter().filter(|line| !line.is_response) {
        let recorded = inflated(&line.plain);
        let header = Header::read(&recorded).unwrap().unwrap();
        let request = Request::parse(&header, &recorded[HEADER_LEN..]);
        let request = request.unwrap_or_else(|error| panic!("{}: {error}", line.place));
        let mut written = Vec::new();
        write(&request, &header, &mut written);
        envelope::stamp(&mut written, header.stream as u16);
        assert_eq!(written, recorded, "{}", line.place);
    }
}

fn write(request: &Request<'_>, header: &Header, out: &mut Vec<u8>) {
    let version = header.layout();
    let extras = Extras { tracing: request.tracing, payload: &request.prefix.payload };
    match &request.message {
        Message::Options => request::options(out, version),
        Message::Startup(pairs) => {
            let (first, rest) = pairs.split_first().unwrap();
            assert_eq!(*first, ("CQL_VERSION", "3.0.0"));
            let lz4 = rest.contains(&("COMPRESSION", "lz4"));
            request::startup(out, version, &Startup { lz4, ..Startup::default() })
        }
        Message::AuthResponse(token) => request::auth_response(out, version, *token),
        Message::Register(kinds) => request::register(out, version, kinds),
        Message::Query(query) => {
            request::query(out, version, query.text, query.values, &query.parameters, &extras)
        }
        Message::Prepare(prepare) => {
            request::prepare(out, version, prepare.text, prepare.keyspace, &extras)
        }
        Message::Execute(execute) => {
            let (id, metadata_id) = (execute.id, execute.metadata_id);
            let (values, parameters) = (execute.values, &execute.parameters);
            request::execute(out, version, id, metadata_id, values, parameters, &extras)
        }
        Message::Batch(batch) => {
            let mut writer = BatchWriter::new(&mut *out, version, batch.kind, &extras).unwrap();
            for (statement, values) in &batch.statements {
                match statement {
                    Statement::Text(text) => writer.query(text, *values).unwrap(),
                    Statement::Prepared(id) => writer.prepared(id, *values).unwrap(),
                }
            }
            writer.finish(&batch.parameters).map(drop)
        }
    }
    .unwrap();
}

#[test]
fn segments_without_compression_are_sealed_as_they_were() {
    for line in all() {
        if line.around != (Around::Segment { lz4: false }) {
            continue;
        }
        let mut out = b"before".to_vec();
        out.extend_from_slice(&line.plain);
        segment::seal(&mut out, 6, false);
        assert_eq!(out[..6], *b"before", "{}", line.place);
        assert_eq!(out[6..], line.sealed, "{}", line.place);
    }
}

#[test]
fn segments_with_compression_hold_the_message() {
    for line in all() {
        if line.around != (Around::Segment { lz4: true }) {
            continue;
        }
        let mut sealed = line.plain.clone();
        segment::seal(&mut sealed, 0, true);
        let mut plain = Vec::new();
        let opened = Unsealer::new(true).open(&sealed, &mut plain);
        assert_eq!(opened, Ok(UnsealResult::Took(sealed.len())));
        assert_eq!(plain, line.plain, "{}", line.place);
    }
}

#[test]
fn bodies_are_compressed_where_that_makes_them_shorter() {
    for line in all().into_iter().filter(|line| line.plain[0] & 0x7f == 4) {
        let plain = inflated(&line.plain);
        let mut sealed = plain.clone();
        compress_bodies(&mut sealed, 0);
        assert!(sealed.len() <= plain.len());
        assert_eq!(sealed[1] & flag::COMPRESSED != 0, sealed.len() < plain.len(), "{}", line.place);
        assert_eq!(inflated(&sealed), plain, "{}", line.place);
    }
}

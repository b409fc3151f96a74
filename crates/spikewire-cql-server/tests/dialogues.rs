//! Dialogues with a running server over its socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use spikewire_cql::envelope::{Extras, Header, UnsealResult, stamp};
use spikewire_cql::request::{self, Parameters, Startup, Values, values_with};
use spikewire_cql::response::error::Code;
use spikewire_cql::response::{Message, QueryResult, Response};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::version::Version;
use spikewire_cql_server::{Options, Server};

const KEYSPACE: &str = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}";
const TABLE: &str = "CREATE TABLE k.t (b int, a text, v blob, n bigint, PRIMARY KEY ((a, b)))";

/// A connection that reads one reply at a time.
struct Client {
    socket: TcpStream,
    version: Version,
    sealing: Sealing,
    sealed: Vec<u8>,
    plain: Vec<u8>,
}

impl Client {
    fn connect(server: &Server, version: Version, lz4: bool) -> Self {
        let socket = TcpStream::connect(server.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let sealing = Sealing::Bare;
        let (sealed, plain) = (Vec::new(), Vec::new());
        let mut client = Self { socket, version, sealing, sealed, plain };
        let mut out = Vec::new();
        request::startup(&mut out, version, &Startup { lz4, ..Startup::default() }).unwrap();
        client.socket.write_all(&out).unwrap();
        client.sealing = Sealing::during_startup(version, lz4);
        let ready = client.reply();
        assert_eq!(Response::read(&ready).unwrap().message, Message::Ready);
        client.sealing = Sealing::after_startup(version, lz4);
        client
    }

    fn send(&mut self, mut plain: Vec<u8>) {
        self.sealing.seal(&mut plain, 0);
        self.socket.write_all(&plain).unwrap();
    }

    /// The next envelope.
    fn reply(&mut self) -> Vec<u8> {
        loop {
            if let Some(header) = Header::read(&self.plain).unwrap()
                && self.plain.len() >= header.envelope_len()
            {
                return self.plain.drain(..header.envelope_len()).collect();
            }
            if let UnsealResult::Took(len) =
                self.sealing.open(&self.sealed, &mut self.plain).unwrap()
            {
                self.sealed.drain(..len);
                continue;
            }
            let mut chunk = vec![0; 1 << 16];
            let len = self.socket.read(&mut chunk).unwrap();
            assert!(len > 0, "the server closed the connection");
            self.sealed.extend_from_slice(&chunk[..len]);
        }
    }

    fn query(&mut self, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let parameters = Parameters::default();
        request::query(&mut out, self.version, text, Values::NONE, &parameters, &Extras::default())
            .unwrap();
        self.send(out);
        self.reply()
    }

    fn prepare(&mut self, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        request::prepare(&mut out, self.version, text, None, &Extras::default()).unwrap();
        self.send(out);
        self.reply()
    }
}

fn values(cells: &[&[u8]]) -> Vec<u8> {
    cells.iter().flat_map(|cell| [&(cell.len() as i32).to_be_bytes()[..], cell].concat()).collect()
}

fn execute(
    version: Version,
    ids: (&[u8], &[u8]),
    cells: &[&[u8]],
    parameters: &Parameters<'_>,
) -> Vec<u8> {
    let (mut out, bytes) = (Vec::new(), values(cells));
    let bound = values_with(cells.len(), false, |out: &mut Vec<u8>| {
        out.extend_from_slice(&bytes);
        Ok::<_, request::RequestError>(())
    });
    request::execute(&mut out, version, ids.0, ids.1, bound, parameters, &Extras::default())
        .unwrap();
    out
}

/// The result in a reply.
fn result(envelope: &[u8]) -> QueryResult<'_> {
    match Response::read(envelope).unwrap().message {
        Message::Result(result) => result,
        other => panic!("{other:?}"),
    }
}

fn error(envelope: &[u8]) -> (Code, String) {
    match Response::read(envelope).unwrap().message {
        Message::Error(error) => (error.code, error.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn statements_are_prepared_and_answered_in_every_way_of_sealing() {
    for (version, lz4) in
        [(Version::V4, false), (Version::V4, true), (Version::V5, false), (Version::V5, true)]
    {
        let server = Server::start(&Options { rows: 1000, ..Options::default() }).unwrap();
        let mut client = Client::connect(&server, version, lz4);
        for text in [KEYSPACE, TABLE] {
            assert!(matches!(result(&client.query(text)), QueryResult::SchemaChange(_)));
        }

        let reply = client.prepare("INSERT INTO k.t (v, b, a) VALUES (?, ?, ?)");
        let QueryResult::Prepared(insert) = result(&reply) else { panic!() };
        let names: Vec<_> = insert.markers.columns.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["v", "b", "a"]);
        assert_eq!(insert.partition_key, [2, 1]);
        assert_eq!(insert.result, None);
        let ids = (insert.id, insert.metadata_id);
        let written: [&[u8]; 3] = [b"blob", &7_i32.to_be_bytes(), b"key"];
        client.send(execute(version, ids, &written, &Parameters::default()));
        assert_eq!(result(&client.reply()), QueryResult::Void);

        let reply = client.prepare("SELECT n, a, v FROM k.t WHERE b = ? AND a = ?");
        let QueryResult::Prepared(select) = result(&reply) else { panic!() };
        assert_eq!(select.partition_key, [1, 0]);
        let skipping = Parameters { skip_metadata: true, ..Parameters::default() };
        let (ids, key) = ((select.id, select.metadata_id), [&7_i32.to_be_bytes()[..], b"key"]);
        client.send(execute(version, ids, &key, &skipping));
        let reply = client.reply();
        let QueryResult::Rows(mut rows) = result(&reply) else { panic!() };
        assert_eq!((rows.metadata, rows.columns, rows.count), (None, 3, 1));
        assert_eq!(rows.cells.cell().unwrap().unwrap().len(), 8);
        assert_eq!(rows.cells.cell().unwrap(), Some(&b"key"[..]));

        // A client with outdated metadata gets the current one, even if it asked to skip it.
        if version == Version::V5 {
            client.send(execute(version, (select.id, b"other"), &key, &skipping));
            let reply = client.reply();
            let QueryResult::Rows(rows) = result(&reply) else { panic!() };
            assert_eq!(rows.metadata_id, Some(select.metadata_id));
            assert_eq!(rows.metadata, select.result);
        }
        assert!(server.served() >= 2);
    }
}

#[test]
fn many_rows_come_page_by_page_and_requests_of_one_write_are_all_answered() {
    let server = Server::start(&Options { rows: 1000, ..Options::default() }).unwrap();
    let version = Version::V5;
    let mut client = Client::connect(&server, version, false);
    [KEYSPACE, TABLE].iter().for_each(|text| drop(client.query(text)));
    let reply = client.prepare("SELECT * FROM k.t");
    let QueryResult::Prepared(select) = result(&reply) else { panic!() };
    let ids = (select.id, select.metadata_id);

    let (mut seen, mut state) = (Vec::new(), None::<Vec<u8>>);
    loop {
        let paging_state = state.as_deref();
        let page = Parameters { page_size: Some(300), paging_state, ..Parameters::default() };
        client.send(execute(version, ids, &[], &page));
        let reply = client.reply();
        let QueryResult::Rows(mut rows) = result(&reply) else { panic!() };
        for _ in 0..rows.count {
            let cells: Vec<_> = (0..rows.columns).map(|_| rows.cells.cell().unwrap()).collect();
            seen.push(cells[0].unwrap().to_vec());
        }
        state = rows.paging_state.map(<[u8]>::to_vec);
        if state.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 1000);
    seen.dedup();
    assert_eq!(seen.len(), 1000, "rows are different from each other");

    let all = Parameters::default();
    let mut together = Vec::new();
    for stream in [5, 3, 9] {
        let mut one = execute(version, ids, &[], &all);
        stamp(&mut one, stream);
        together.append(&mut one);
    }
    client.send(together);
    let streams: Vec<_> =
        (0..3).map(|_| Header::read(&client.reply()).unwrap().unwrap().stream).collect();
    assert_eq!(streams, [5, 3, 9]);
}

#[test]
fn unsupported_statements_get_an_error_message() {
    let server = Server::start(&Options::default()).unwrap();
    let mut client = Client::connect(&server, Version::V4, false);
    [KEYSPACE, TABLE].iter().for_each(|text| drop(client.query(text)));
    for (text, code, words) in [
        ("SELECT * FROM k.missing", Code::Invalid, "table missing does not exist"),
        ("SELECT nothing FROM k.t", Code::Invalid, "Undefined column name nothing"),
        ("SELECT count(*) FROM k.t", Code::Syntax, "only columns can be selected"),
        ("UPDATE k.t SET v = 0x00 WHERE a = 'a'", Code::Syntax, "no UPDATE"),
        ("INSERT INTO k.t (a) VALUES ('a')", Code::Invalid, "key parts are missing: b"),
        ("SELECT * FROM t", Code::Invalid, "No keyspace"),
        ("SELECT 'open", Code::Syntax, "quote is not closed"),
        (KEYSPACE, Code::AlreadyExists, "already existing k"),
    ] {
        let (actual, message) = error(&client.query(text));
        assert_eq!(actual, code, "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    }
    client.send(execute(Version::V4, (b"unknown", b""), &[], &Parameters::default()));
    assert_eq!(error(&client.reply()).0, Code::Unprepared);
    let reply = client.prepare("SELECT v FROM k.t WHERE a = ? AND b = ?");
    let QueryResult::Prepared(select) = result(&reply) else { panic!() };
    client.send(execute(Version::V4, (select.id, b""), &[b"a"], &Parameters::default()));
    assert!(error(&client.reply()).1.contains("there were 2 markers"));

    // A dropped table takes its prepared statements along.
    assert!(matches!(result(&client.query("DROP TABLE k.t")), QueryResult::SchemaChange(_)));
    client.send(execute(Version::V4, (select.id, b""), &[b"a"], &Parameters::default()));
    assert_eq!(error(&client.reply()).0, Code::Unprepared);
}

#[test]
fn other_protocols_and_versions_are_rejected() {
    let server = Server::start(&Options::default()).unwrap();
    let mut stranger = TcpStream::connect(server.address()).unwrap();
    stranger.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut reply = Vec::new();
    stranger.read_to_end(&mut reply).unwrap();
    assert!(error(&reply).1.contains("HTTP"));

    let mut out = Vec::new();
    request::options(&mut out, Version::V5).unwrap();
    out[0] = 6;
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    socket.write_all(&out).unwrap();
    let mut reply = vec![0; 4096];
    let len = socket.read(&mut reply).unwrap();
    let Message::Error(rejection) = Response::read(&reply[..len]).unwrap().message else {
        panic!()
    };
    assert!(rejection.rejects_version());
}

#[test]
fn connections_end_with_the_server() {
    let server = Server::start(&Options::default()).unwrap();
    let mut client = Client::connect(&server, Version::V4, false);
    drop(server);
    assert_eq!(client.socket.read(&mut [0; 1]).unwrap_or(0), 0);
}

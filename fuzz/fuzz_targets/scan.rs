//! Requests without a digest, executed by the embedded cluster: scans, index queries, jobs. For any
//! request, the stream consists of complete messages, each record is returned once, and there is
//! one end.
#![no_main]

use std::cell::RefCell;
use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{self, Header, field, info1, info2, op};
use spikewire_aerospike_protocol::query::{Answer, Collection};
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_server::Options;
use spikewire_aerospike_server::background::Task;
use spikewire_aerospike_server::cluster::rebalance;
use spikewire_aerospike_server::command::Context;
use spikewire_aerospike_server::index::definition::{Definition, Source};
use spikewire_aerospike_server::index::key::KeyType;
use spikewire_aerospike_server::index::list::IndexCreation;
use spikewire_aerospike_server::state::ClusterState;
use spikewire_aerospike_server::state::index_build::IndexBuild;
use spikewire_aerospike_server::turn::NextTurn;

/// Number of inputs after which everything is restarted, since finished jobs stay listed.
const FRESH: usize = 1000;

thread_local! {
    static CONTEXT: RefCell<(Context, usize)> = RefCell::new((context(), FRESH));
}

/// A few records with every indexed bin type, and the indexes.
fn context() -> Context {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 3000));
    let state = ClusterState::new(Options::default(), None, vec![address]).expect("one version");
    rebalance::first(&state);
    let mut context = Context::new(Arc::new(state));
    for number in 0..20_u8 {
        let header = Header { info2: info2::WRITE, fields: 3, ops: 4, ..Header::default() };
        let mut body = header.to_bytes().to_vec();
        message::write_field(&mut body, field::NAMESPACE, b"test");
        message::write_field(&mut body, field::SET, if number % 2 == 0 { b"s" } else { b"t" });
        message::write_field(&mut body, field::DIGEST, &Digest([number % 5; 20]).0);
        let point = format!(r#"{{"type":"Point","coordinates":[{number},1]}}"#);
        for (name, value) in [
            ("i", Value::Int(i64::from(number))),
            ("s", Value::Str(number.to_string())),
            ("l", Value::List(vec![Value::Int(1), Value::Int(i64::from(number))])),
            ("g", Value::GeoJson(point)),
        ] {
            let start = message::begin_op(&mut body, op::WRITE, name.as_bytes());
            let particle = value.encode(&mut body);
            message::finish_op(&mut body, start, particle);
        }
        let now = context.state.clock.now();
        assert!(context.run(0, &body, now, &mut Vec::new()).is_none());
    }
    for (name, collection, kind) in [
        ("i", Collection::Value, KeyType::Int),
        ("s", Collection::Value, KeyType::Str),
        ("l", Collection::List, KeyType::Int),
        ("g", Collection::Value, KeyType::Geo),
    ] {
        let source = Source::Bin { name: name.to_owned(), context: None };
        let definition = Definition { set: None, source, collection, kind };
        let created = context.state.namespaces[0].indexes.create(name, definition);
        let IndexCreation::New(index) = created else { panic!("{name} is there") };
        let mut build = IndexBuild::new(context.state.clone(), 0, index);
        while build.step() != NextTurn::Never {}
    }
    context
}

fuzz_target!(|data: &[u8]| {
    CONTEXT.with_borrow_mut(|(context, left)| {
        *left -= 1;
        if *left == 0 {
            context.state.background.close();
            (*context, *left) = (self::context(), FRESH);
        }
        run(context, data);
    });
});

fn run(context: &mut Context, data: &[u8]) {
    let Some((&[one, two, three, fields, ops], rest)) = data.split_first_chunk() else { return };
    let header = Header {
        info1: one & !info1::BATCH,
        info2: two,
        info3: three,
        fields: u16::from(fields) + 1,
        ops: u16::from(ops),
        ..Header::default()
    };
    let mut body = header.to_bytes().to_vec();
    message::write_field(&mut body, field::NAMESPACE, b"test");
    body.extend_from_slice(rest);
    let mut out = Vec::new();
    let now = context.state.clock.now();
    let Some(mut reply) = context.run(0, &body, now, &mut out) else { return };
    loop {
        match reply.advance(context, now, &mut out) {
            NextTurn::Soon => {}
            NextTurn::Never => break,
            // A rate limit, which is not waited for here.
            NextTurn::At(_) => return,
        }
    }
    check(&out);
}

fn check(mut out: &[u8]) {
    let (mut met, mut ends) = (HashSet::new(), 0);
    while !out.is_empty() {
        let (frame, used) = frame::split(out).expect("our own frame").expect("a whole frame");
        out = &out[used..];
        let mut body = frame.body;
        assert!(!body.is_empty());
        while !body.is_empty() {
            assert_eq!(ends, 0, "something after the end");
            // The results of an aggregation have no digest, and are not records.
            let Ok((answer, used)) = Answer::parse(body) else { return };
            body = &body[used..];
            match answer {
                Answer::Row(row) => assert!(met.insert(row.point.digest), "a record came twice"),
                Answer::Partition(..) => {}
                Answer::End(_) => ends += 1,
            }
        }
    }
    assert_eq!(ends, 1);
}

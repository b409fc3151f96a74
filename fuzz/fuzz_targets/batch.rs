//! Batch rows, executed by the embedded cluster: frames are consistent, and the replies are the
//! same as for the rows as separate requests.
#![no_main]

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::batch::{Row, Rows, flag};
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{self, Header, Message, field, info1, info3};
use spikewire_aerospike_server::Options;
use spikewire_aerospike_server::cluster::rebalance;
use spikewire_aerospike_server::command::Context;
use spikewire_aerospike_server::command::batch::BLOCK;
use spikewire_aerospike_server::state::ClusterState;
use spikewire_aerospike_server::turn::NextTurn;

/// Number of inputs after which everything is restarted, since sets are never removed.
const FRESH: usize = 1000;

/// One cluster executes the batches, the other one their rows.
struct Pair {
    batches: Context,
    singles: Context,
    left: usize,
}

impl Pair {
    fn new() -> Self {
        Self { batches: context(), singles: context(), left: FRESH }
    }
}

fn context() -> Context {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 3000));
    let state = ClusterState::new(Options::default(), None, vec![address]).expect("one version");
    rebalance::first(&state);
    Context::new(Arc::new(state))
}

thread_local! {
    static PAIR: RefCell<Pair> = RefCell::new(Pair::new());
}

fuzz_target!(|data: &[u8]| {
    PAIR.with_borrow_mut(|pair| {
        pair.left -= 1;
        if pair.left == 0 {
            *pair = Pair::new();
        }
        run(pair, data);
    });
});

fn run(pair: &mut Pair, data: &[u8]) {
    let header = Header { info1: info1::BATCH, fields: 1, ..Header::default() };
    let mut body = header.to_bytes().to_vec();
    message::write_field(&mut body, field::BATCH, data);
    let (now, mut out) = (pair.batches.state.clock.now(), Vec::new());
    if let Some(mut rest) = pair.batches.run(0, &body, now, &mut out) {
        while rest.advance(&mut pair.batches, now, &mut out) != NextTurn::Never {}
    }
    let (answers, code) = take_apart(&out);

    let (mut expected, mut digests, mut broken) = (Vec::new(), Vec::new(), true);
    let mut flags = 0;
    if let Ok(mut rows) = Rows::parse(data) {
        flags = rows.flags;
        broken = rows.left() == 0;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) if is_known(&row) => row,
                Ok(None) => break,
                _ => {
                    broken = true;
                    break;
                }
            };
            let mut out = Vec::new();
            pair.singles.run(0, &single(&row), now, &mut out);
            expected.push((row.index, out.split_off(frame::HEADER_LEN)));
            digests.push(row.digest);
        }
    }
    if broken {
        assert_eq!(code, 4);
    }
    if flags & flag::RESPOND_ALL != 0 && !broken {
        assert_eq!((answers.len(), code), (expected.len(), 0));
    }
    assert!(expected.starts_with(&answers), "{answers:02x?} instead of {expected:02x?}");
    for digest in digests {
        for context in [&pair.batches, &pair.singles] {
            context.state.namespaces[0].partition(digest.partition()).remove(&digest.0);
        }
    }
}

/// Whether a row starts with an existing namespace.
fn is_known(row: &Row<'_>) -> bool {
    let names = || message::fields_in(row.fields).filter(|field| field.id == field::NAMESPACE);
    let first = message::fields_in(row.fields).next();
    first.is_some_and(|field| field.id == field::NAMESPACE)
        && names().last().is_some_and(|field| field.data == b"test")
}

/// A row as the body of a separate request.
fn single(row: &Row<'_>) -> Vec<u8> {
    let mut fields = Vec::new();
    let mut count = 0;
    for field in message::fields_in(row.fields).filter(|field| field.id != field::DIGEST) {
        message::write_field(&mut fields, field.id, field.data);
        count += 1;
    }
    message::write_field(&mut fields, field::DIGEST, &row.digest.0);
    let info1 = row.header.info1 & !info1::BATCH;
    let header = Header { info1, fields: count + 1, ..row.header };
    [&header.to_bytes()[..], &fields, row.ops].concat()
}

/// The replies, each with its index, and the overall code.
fn take_apart(out: &[u8]) -> (Vec<(u32, Vec<u8>)>, u8) {
    let (mut rest, mut answers) = (out, Vec::new());
    loop {
        let (frame, used) = frame::split(rest).expect("our own frame").expect("a whole frame");
        rest = &rest[used..];
        let (mut body, before) = (frame.body, answers.len());
        while !body.is_empty() {
            let (message, used) = Message::parse(body).expect("our own message");
            if message.header.info3 & info3::LAST != 0 {
                assert!(rest.is_empty() && used == frame.body.len());
                return (answers, message.header.result);
            }
            let mut answer = body[..used].to_vec();
            answer[14..18].fill(0);
            answers.push((message.header.timeout, answer));
            body = &body[used..];
        }
        assert!(
            answers.len() > before && (frame.body.len() <= BLOCK || answers.len() == before + 1)
        );
    }
}

//! Queries from both sides: a valid request is the same when it is encoded again, and so is a
//! stream of replies.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{Header, Message};
use spikewire_aerospike_protocol::query::answer::{write_end, write_unavailable};
use spikewire_aerospike_protocol::query::{
    Answer, ChosenIndex, NodeQuery, PlanReply, Query, Share, TextFilter, Work,
};
use spikewire_aerospike_protocol::result_code::ResultCode;

fuzz_target!(|body: &[u8]| {
    if let Ok((message, _)) = Message::parse(body)
        && let Ok(node_query) = NodeQuery::parse(&message)
        && node_query.work == Work::Send
    {
        again(&node_query);
    }
    plans(body);
    let mut rest = body;
    while let Ok((answer, used)) = Answer::parse(rest) {
        stream(&answer);
        rest = &rest[used..];
    }
});

/// Text filters, and the plans that servers make for them.
fn plans(body: &[u8]) {
    if let Ok(filter) = TextFilter::decode(body) {
        assert_eq!(TextFilter::decode(&filter.encode()), Ok(filter));
    }
    if let Ok(reply) = PlanReply::parse(body) {
        let mut out = Vec::new();
        reply.write(&mut out);
        assert_eq!(PlanReply::parse(&out[frame::HEADER_LEN..]), Ok(reply));
    }
    if let Ok((chosen, _)) = ChosenIndex::restore(body) {
        let mut out = Vec::new();
        chosen.store(&mut out);
        assert_eq!(ChosenIndex::restore(&out), Ok((chosen, out.len())));
    }
}

/// Encodes the decoded request and decodes it again.
fn again(node_query: &NodeQuery<'_>) {
    let (Ok(namespace), Ok(set)) =
        (std::str::from_utf8(node_query.namespace), std::str::from_utf8(node_query.set))
    else {
        return;
    };
    let query = Query {
        namespace: namespace.to_owned(),
        set: set.to_owned(),
        index: node_query.index.clone(),
        filter: node_query.filter.map(<[u8]>::to_vec),
        no_bins: node_query.no_bins,
        short: node_query.short,
        records_per_second: node_query.records_per_second,
        ..Query::default()
    };
    let share = Share {
        id: node_query.id,
        patience: node_query.patience.unwrap_or(10_000),
        partitions: &node_query.partitions,
        points: &node_query.points,
        limit: node_query.limit,
    };
    let mut out = Vec::new();
    let _ = query.write(&share, &mut out);
    let (message, _) = Message::parse(&out[frame::HEADER_LEN..]).expect("our own message");
    let copy = NodeQuery::parse(&message).expect("our own query");
    let patience = Some(share.patience);
    assert_eq!(copy, NodeQuery { patience, bins: None, ..node_query.clone() });
}

fn stream(answer: &Answer<'_>) {
    let mut out = Vec::new();
    match answer {
        Answer::Row(row) => row.write(b"test", true, false, &mut out),
        Answer::Partition(pid, _) => write_unavailable(*pid, &mut out),
        Answer::End(ResultCode::OK) => write_end(ResultCode::OK, &mut out),
        Answer::End(code) => {
            out.extend_from_slice(&Header { result: code.0, ..Header::default() }.to_bytes());
        }
    }
    let (copy, used) = Answer::parse(&out).expect("our own message");
    assert_eq!(used, out.len());
    match (answer, &copy) {
        (Answer::Row(row), Answer::Row(copy)) => {
            assert_eq!((row.point, row.set, row.key), (copy.point, copy.set, copy.key));
            assert!(row.ops().eq(copy.ops()));
        }
        (Answer::Partition(pid, _), Answer::Partition(copy, _)) => assert_eq!(pid, copy),
        (Answer::End(code), Answer::End(copy)) => assert_eq!(code, copy),
        _ => panic!("{answer:?} became {copy:?}"),
    }
}

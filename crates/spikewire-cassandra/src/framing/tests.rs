//! Handshakes with nodes that offer extensions.

use spikewire_cql::envelope::Prefix;
use spikewire_cql::request::{Message as RequestMessage, Request};
use spikewire_cql::response::Message as ResponseMessage;

use super::*;
use crate::cluster::seeds;
use crate::options::Options;

const NODE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9042);

const ALL: Extensions = Extensions {
    lwt_mark: Some(1 << 31),
    rate_limit: Some(0x4321),
    metadata_id: true,
    tablets: TabletRouting::V2,
};

fn response(message: ResponseMessage<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    Response { prefix: Prefix::default(), message }.write(&mut out, Version::V4, 1).unwrap();
    out
}

/// Leads a connection to the end of its handshake with a node that offers these extensions; returns
/// those in its STARTUP.
fn shake(connection: &mut Cassandra, offered: &Extensions) -> Extensions {
    let mut out = Vec::new();
    assert_eq!(connection.next_handshake_step(None, &mut out), HandshakeStep::Wait);
    let options = offered.supported();
    let options = options.iter().map(|(key, value)| (*key, vec![value.as_str()])).collect();
    let supported = response(ResponseMessage::Supported(Supported(options)));
    out.clear();
    assert_eq!(connection.next_handshake_step(Some(&supported), &mut out), HandshakeStep::Wait);
    let header = Header::read(&out).unwrap().unwrap();
    let request = Request::parse(&header, &out[HEADER_LEN..]).unwrap();
    let RequestMessage::Startup(startup) = request.message else { panic!("{request:?}") };
    let ready = response(ResponseMessage::Ready);
    let step = connection.next_handshake_step(Some(&ready), &mut Vec::new());
    assert_eq!(step, HandshakeStep::Ready);
    offered.in_startup(&startup)
}

fn execute(dialect: Dialect) -> Vec<u8> {
    let (mut out, parameters) = (Vec::new(), Parameters::default());
    request::execute(&mut out, dialect, b"i", b"m", Values::NONE, &parameters, &Extras::default())
        .unwrap();
    out
}

#[test]
fn a_connection_uses_what_its_node_offers_of_what_the_session_agreed_on() {
    let plain = Extensions::default();
    let v1 = Extensions { tablets: TabletRouting::V1, ..ALL };
    for (first, node, used) in [
        (ALL, ALL, ALL),
        (ALL, v1, v1),
        (ALL, plain, plain),
        // Requests have no room for what the first node did not offer.
        (plain, ALL, Extensions { metadata_id: false, ..v1 }),
    ] {
        let handshake = seeds::handshake(&Options::new(Vec::new()), Version::V4);
        let mut control = Cassandra::control(handshake.clone(), NODE);
        assert_eq!(shake(&mut control, &first), first);
        handshake.nodes_have_options.store(true, Relaxed);
        let shards = Arc::new(Shards::new(false, true));
        let mut connection = Cassandra::to_node(handshake.clone(), NODE, shards.clone());
        assert_eq!(shake(&mut connection, &node), used);
        let extensions = shards.extensions();
        assert_eq!(
            (extensions.lwt_mark, extensions.metadata_id),
            (used.lwt_mark, used.metadata_id)
        );
        // What was composed for the session arrives as this node reads it.
        let (ours, theirs) = (first.dialect(Version::V4), used.dialect(Version::V4));
        let mut out = b"written".to_vec();
        out.extend(execute(ours));
        out.extend(execute(ours));
        assert_eq!(connection.seals(), ours != theirs);
        if connection.seals() {
            connection.seal(&mut out, 7);
        }
        assert_eq!(out[7..], [execute(theirs), execute(theirs)].concat());
    }
}

#[test]
fn a_server_without_extensions_is_not_asked_again() {
    let handshake = seeds::handshake(&Options::new(Vec::new()), Version::V4);
    shake(&mut Cassandra::control(handshake.clone(), NODE), &Extensions::default());
    let mut connection = Cassandra::to_node(handshake, NODE, Arc::new(Shards::new(false, true)));
    let mut out = Vec::new();
    connection.next_handshake_step(None, &mut out);
    assert_eq!(Header::read(&out).unwrap().unwrap().opcode, Opcode::Startup as u8);
}

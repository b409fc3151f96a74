//! Opening connections before a command needs them.

use std::sync::Arc;

use mio::{Events, Interest, Poll, Token};

use crate::clock::Tick;
use crate::connection::Opened;
use crate::dial::{Dial, LOOK};
use crate::pipeline::Inbound;
use crate::protocol::{NodeOf, Protocol};
use crate::topology::{Endpoint as _, Topology as _};

/// A connection being opened.
struct Opening<P: Protocol> {
    node: Arc<NodeOf<P>>,
    dial: Dial,
    opened: Opened<P>,
}

/// Opens this many connections to each of these nodes, all at once, and leaves them with the nodes
/// for those who need one. Returns when all are open, or when the connect timeout has passed or the
/// client is closed; what has failed by then is left to the first command that goes there.
pub fn open_ahead<P: Protocol + Send>(
    topology: &P::Topology,
    nodes: &[Arc<NodeOf<P>>],
    count: usize,
) {
    let until = Tick::now().after(topology.settings().connect_timeout);
    let Ok(mut poll) = Poll::new() else { return };
    let mut opening: Vec<Option<Opening<P>>> = Vec::new();
    for node in nodes.iter().flat_map(|node| std::iter::repeat_n(node, count)) {
        let Ok((mut wire, dial)) = Dial::start(node.address(), node.encryption(), until) else {
            continue;
        };
        let interest = Interest::READABLE | Interest::WRITABLE;
        if poll.registry().register(&mut wire, Token(opening.len()), interest).is_ok() {
            let opened = (wire, P::new(topology, node), Inbound::default());
            opening.push(Some(Opening { node: node.clone(), dial, opened }));
        }
    }
    let mut events = Events::with_capacity(256);
    loop {
        let now = Tick::now();
        if now >= until || topology.is_closed() || opening.iter().all(Option::is_none) {
            return;
        }
        // Interrupted waits find nothing; other failures last, and the time limit ends this.
        let _ = poll.poll(&mut events, Some(until.since(now).min(LOOK)));
        for event in &events {
            let Some(slot) = opening.get_mut(event.token().0) else { continue };
            let Some(Opening { node, mut dial, opened: (mut wire, mut protocol, mut inbound) }) =
                slot.take()
            else {
                continue;
            };
            match dial.advance(&mut wire, &mut protocol, &mut inbound) {
                Ok(false) => {
                    let opened = (wire, protocol, inbound);
                    *slot = Some(Opening { node, dial, opened });
                }
                Ok(true) if poll.registry().deregister(&mut wire).is_ok() => {
                    if let Some(ready) = node.ready_connections() {
                        let took = Tick::now().since(dial.started());
                        node.gauges().inspect(|gauges| {
                            gauges.opens();
                            gauges.connected(took);
                        });
                        ready.keep((wire, protocol, inbound), Tick::now());
                    }
                }
                Ok(true) | Err(_) => {}
            }
        }
    }
}

//! Replies whose slices are produced by the function threads, and sent by a worker.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Context;
use super::stream::StreamedReply;
use crate::record::clock::Moment;
use crate::turn::NextTurn;

/// How long a worker waits for a slice that it has just requested: most are short.
const BRIEF: Duration = Duration::from_millis(1);
/// How often a worker looks for a slice that takes longer.
const LOOK: Duration = Duration::from_millis(1);

/// A slice, and the reply that produces the next one.
#[derive(Debug)]
struct Slice {
    reply: Box<dyn StreamedReply>,
    out: Vec<u8>,
    next: NextTurn,
}

/// A reply whose slices are produced by the function threads.
#[derive(Debug)]
pub struct Elsewhere {
    node: usize,
    ends_in_own_frame: bool,
    /// The reply, unless a slice of it is being produced.
    reply: Option<Box<dyn StreamedReply>>,
    slices: Option<Receiver<Slice>>,
}

impl Elsewhere {
    /// A reply of this node.
    pub fn new(node: usize, reply: Box<dyn StreamedReply>) -> Self {
        let ends_in_own_frame = reply.ends_in_own_frame();
        Self { node, ends_in_own_frame, reply: Some(reply), slices: None }
    }

    /// Requests a slice.
    fn begin(
        &mut self,
        context: &Context,
        now: Moment,
        mut reply: Box<dyn StreamedReply>,
    ) -> Receiver<Slice> {
        let (sender, slices) = mpsc::sync_channel(1);
        let (node, state, access) = (self.node, context.state.clone(), context.access.clone());
        let work = move || {
            let mut context = Context::with_time(state);
            context.access = access;
            let mut out = Vec::new();
            let next = reply.advance(&mut context, now, &mut out);
            context.state.nodes[node].counters.take(&mut context.counters);
            // Without a receiver, the connection is closed.
            let _ = sender.send(Slice { reply, out, next });
        };
        context.state.function_threads.add(Box::new(work));
        slices
    }
}

impl StreamedReply for Elsewhere {
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        let (slices, wait) = match (self.reply.take(), self.slices.take()) {
            (Some(reply), _) => (self.begin(context, now, reply), BRIEF),
            (None, Some(slices)) => (slices, Duration::ZERO),
            (None, None) => return NextTurn::Never,
        };
        match slices.recv_timeout(wait) {
            Ok(slice) => {
                out.extend_from_slice(&slice.out);
                self.reply = Some(slice.reply);
                slice.next
            }
            Err(RecvTimeoutError::Timeout) => {
                self.slices = Some(slices);
                NextTurn::At(Instant::now() + LOOK)
            }
            // The cluster is stopping.
            Err(RecvTimeoutError::Disconnected) => NextTurn::Never,
        }
    }

    fn ends_in_own_frame(&self) -> bool {
        self.ends_in_own_frame
    }

    fn time_out(&self) {
        if let Some(reply) = &self.reply {
            reply.time_out();
        }
    }
}

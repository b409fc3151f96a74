//! Starting background jobs: one request for each node, which answers as soon as the job runs.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use spikewire_protocol::frame;
use spikewire_protocol::query::{Answer, Query, Task};
use spikewire_protocol::result_code::ResultCode;

use super::Streams;
use super::launch::number;
use crate::clock::Tick;
use crate::cluster::Node;
use crate::error::{Error, Kind, Result};

/// A job that runs on these nodes.
#[derive(Debug)]
pub struct Job {
    /// Its number on every node.
    pub id: u64,
    /// Where it was started.
    pub nodes: Vec<Arc<Node>>,
}

impl Streams {
    /// Starts a job on every node, within `timeout` (zero: no limit). Blocks. When it fails on one
    /// node it may run on others: the error is in doubt then.
    pub fn start(&self, query: &Query, task: &Task<'_>, timeout: Duration) -> Result<Job> {
        let ends = if timeout.is_zero() { Tick::NEVER } else { Tick::now().after(timeout) };
        let mut job = Job { id: number(), nodes: Vec::new() };
        let nodes = self.cluster.snapshot().nodes.clone();
        // Asked after the nodes, because closing takes them away.
        if self.cluster.is_closed() {
            return Err(Error::new(Kind::Closed, "the client is closed"));
        }
        if nodes.is_empty() {
            return Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now"));
        }
        let mut request = Vec::new();
        query.write_task(job.id, task, &mut request)?;
        for node in nodes {
            let began = !job.nodes.is_empty();
            let failed = |kind, why: &str, doubt: bool| {
                let place = if began { "; it runs on other nodes already" } else { "" };
                let message =
                    format!("job {} could not be started on node {node}: {why}{place}", job.id);
                Err(Error::new(kind, message).on(node.to_string()).after(1, doubt))
            };
            let limit = self.cluster.options().connect_timeout;
            let socket = match TcpStream::connect_timeout(&node.address, limit) {
                Ok(socket) => socket,
                Err(error) => return failed(Kind::Connection, &error.to_string(), began),
            };
            match ask(&socket, &request, ends) {
                Ok(ResultCode::OK) => job.nodes.push(node),
                Ok(code) => return failed(Kind::Server(code), code.text(), began),
                Err(error) => {
                    let late =
                        matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
                    let kind = if late { Kind::Timeout } else { Kind::Connection };
                    return failed(kind, &error.to_string(), true);
                }
            }
        }
        Ok(job)
    }
}

/// Sends a request and reads the one message that answers it.
fn ask(mut socket: &TcpStream, request: &[u8], ends: Tick) -> io::Result<ResultCode> {
    let nonsense = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let bound = || {
        let left = ends.since(Tick::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let left = (left != Duration::MAX).then_some(left);
        socket.set_write_timeout(left)?;
        socket.set_read_timeout(left)
    };
    bound()?;
    socket.set_nodelay(true)?;
    socket.write_all(request)?;
    let mut came = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let whole = frame::split(&came).map_err(|error| nonsense(error.to_string()))?;
        if let Some((frame, _)) = whole {
            return match Answer::parse(frame.body) {
                Ok((Answer::End(code), _)) => Ok(code),
                Ok(_) => Err(nonsense("the node answered with records".to_owned())),
                Err(error) => Err(nonsense(error.to_string())),
            };
        }
        bound()?;
        let size = socket.read(&mut piece)?;
        if size == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        came.extend_from_slice(&piece[..size]);
    }
}

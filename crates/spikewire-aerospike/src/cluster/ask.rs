//! Requests from callers to single nodes: info commands, and the few other requests with a single
//! reply message. Each uses a connection of its own.

use std::sync::Arc;

use spikewire_aerospike_protocol::auth::Reply;
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::manage::{Page, Row};
use spikewire_aerospike_protocol::query::Answer;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::info_command::InfoCommand;
use super::info_request::{InfoCommands, InfoRequest};
use super::node_error::NodeError;
use super::node_request::{ManageRequest, MessageRequest, NodeAnswer};
use super::{Cluster, Node, poll};
use crate::clock::Tick;
use crate::model::{Error, Kind, Result};

impl Cluster {
    /// Every node of the cluster; at least one.
    pub fn members(&self) -> Result<Vec<Arc<Node>>> {
        let nodes = self.snapshot().nodes.clone();
        // Checked after reading the nodes, because closing removes them.
        if self.is_closed() {
            return Err(NodeError::Stopped.into_error());
        }
        if nodes.is_empty() {
            return Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now"));
        }
        Ok(nodes)
    }

    /// The node with this name.
    pub fn member(&self, name: &str) -> Result<Arc<Node>> {
        let nodes = self.members()?;
        nodes.iter().find(|node| node.name == name).cloned().ok_or_else(|| {
            let known: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
            let known = known.join(", ");
            Error::invalid(format!("no node {name:?} in the cluster; there are: {known}"))
        })
    }

    /// Sends an info command to a node. Blocks, at most for the connect timeout.
    pub fn info(&self, node: &Arc<Node>, command: &InfoCommand) -> Result<String> {
        let answers = self.ask(std::slice::from_ref(node), command, &|| false)?;
        answers.into_iter().next().map_or_else(|| Err(Error::server(ResultCode(1))), |it| it.answer)
    }

    /// Sends an info command to these nodes concurrently. Blocks, at most for the connect timeout.
    /// Fails with [`Kind::Interrupted`] if `interrupted`, which is polled, returns true.
    pub fn ask(
        &self,
        nodes: &[Arc<Node>],
        command: &InfoCommand,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<NodeAnswer>> {
        if self.is_closed() {
            return Err(NodeError::Stopped.into_error());
        }
        let net = &self.shared.net;
        let commands = &[command.as_str()];
        let start = |node: &Arc<Node>| {
            let (address, access, within) = (node.address, &node.access, net.within);
            let spec = InfoCommands { address, access, commands, introduce: None, within };
            InfoRequest::start(&spec, None, &net.descriptors)
        };
        let mut requests: Vec<InfoRequest> = nodes.iter().map(start).collect();
        self.finish_all(&mut requests, interrupted)?;
        let answers = nodes.iter().zip(requests).map(|(node, request)| {
            request.count(node);
            let answer = match request.finish() {
                Ok((answer, _)) => info_answer(&answer, command),
                Err(error) => Err(error.into_error()),
            };
            NodeAnswer::text(node.clone(), answer.map_err(|it| it.on(node.to_string())))
        });
        Ok(answers.collect())
    }

    /// Sends a node a request with a single reply message. An error says whether the node may
    /// nevertheless have acted on the request.
    pub fn send(
        &self,
        request: &MessageRequest,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<NodeAnswer> {
        if self.is_closed() {
            return Err(NodeError::Stopped.into_error());
        }
        let (net, node) = (&self.shared.net, &request.node);
        let mut sent = [InfoRequest::message(
            (node.address, &node.access),
            &request.frame,
            net.within,
            request.deadline,
            &net.descriptors,
        )];
        let waited = self.finish_all(&mut sent, interrupted);
        let [sent] = sent;
        sent.count(node);
        let in_doubt = sent.has_left();
        let answer = match (waited, sent.finish_body()) {
            (Err(error), _) => Err(error.after(1, in_doubt)),
            (Ok(()), Ok((body, _))) => message_answer(&body),
            (Ok(()), Err(error)) => Err(error.into_error().after(1, in_doubt)),
        };
        Ok(NodeAnswer::text(node.clone(), answer))
    }

    /// Sends a node a request for users and roles. An error says whether the node may nevertheless
    /// have acted on it.
    pub fn manage(
        &self,
        node: &Arc<Node>,
        request: &ManageRequest,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<NodeAnswer> {
        if self.is_closed() {
            return Err(NodeError::Stopped.into_error());
        }
        let net = &self.shared.net;
        let mut sent = [InfoRequest::manage(
            (node.address, &node.access),
            request,
            net.within,
            &net.descriptors,
        )];
        let waited = self.finish_all(&mut sent, interrupted);
        let [sent] = sent;
        sent.count(node);
        let in_doubt = sent.has_left() && !request.is_question;
        match (waited, sent.finish_body()) {
            (Err(error), _) => Err(error.after(1, in_doubt)),
            (Ok(()), Ok((body, _))) => {
                Ok(NodeAnswer::rows(node.clone(), manage_answer(&body, request.is_question)))
            }
            (Ok(()), Err(error)) => {
                let error = error.into_error().after(1, in_doubt);
                Ok(NodeAnswer::text(node.clone(), Err(error)))
            }
        }
    }

    fn finish_all(
        &self,
        requests: &mut [InfoRequest],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<()> {
        while requests.iter().any(|request| !request.is_over()) {
            let mut all: Vec<&mut InfoRequest> = requests.iter_mut().collect();
            poll::turn(&mut all, Tick::NEVER, &self.shared.net.closed);
            if interrupted() {
                return Err(Error::new(Kind::Interrupted, "a signal interrupted the request"));
            }
        }
        Ok(())
    }
}

/// The value in the reply to an info command; error replies become errors.
pub fn info_answer(answer: &str, command: &InfoCommand) -> Result<String> {
    info::value(answer, command.as_str()).map(str::to_owned).map_err(|error| {
        let code = Kind::Server(ResultCode(error.code));
        Error::new(code, error.to_string())
    })
}

/// The users or roles of the whole answer to a request about them; none if it is a change.
pub fn manage_answer(body: &[u8], is_question: bool) -> Result<Vec<Row>> {
    let malformed =
        |error: spikewire_aerospike_protocol::Malformed| Error::from(error).after(1, !is_question);
    let (rows, code) = if is_question {
        let page = Page::parse(body).map_err(malformed)?;
        (page.rows, page.end.unwrap_or(ResultCode::OK))
    } else {
        (Vec::new(), Reply::parse(body).map_err(malformed)?.result)
    };
    match code {
        ResultCode::OK | ResultCode::QUERY_END => Ok(rows),
        code => Err(Error::server(code)),
    }
}

/// The reply to a message: an empty string on success.
pub fn message_answer(body: &[u8]) -> Result<String> {
    let malformed = |why: String| Error::new(Kind::Malformed, why).after(1, true);
    match Answer::parse(body) {
        Ok((Answer::End(ResultCode::OK), _)) => Ok(String::new()),
        Ok((Answer::End(code), _)) => Err(Error::server(code).detailed(body)),
        Ok(_) => Err(malformed("the node answered with records".to_owned())),
        Err(error) => Err(malformed(error.to_string())),
    }
}

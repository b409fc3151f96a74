//! Binary requests: from the body of a message frame to a complete reply frame.
//!
//! | module | what it holds |
//! |---|---|
//! | [`request`] | the parts of a request, found in one walk |
//! | [`reply`] | a reply frame being written |
//! | [`read`], [`mod@write`], [`delete`] | the single-record commands |
//! | [`transaction`] | what locks records, and which version of them a command works on |
//! | [`monitor`] | the records of transactions themselves |
//! | [`modify`] | what one operation of a write does to the bins |
//! | [`batch`] | many of them in one request |
//! | [`query`] | scans, index queries, background jobs |
//! | [`stream`] | replies that are longer than one turn |
//! | [`elsewhere`] | those that the function threads produce |
//! | [`features`] | what servers of some versions reject |
//! | [`bin_operation`] | operations on what is inside a bin |
//! | [`function`] | a user-defined function applied to a record |

pub mod batch;
pub mod bin_operation;
pub mod delete;
pub mod elsewhere;
pub mod features;
pub mod function;
pub mod modify;
pub mod monitor;
pub mod query;
pub mod read;
pub mod reply;
pub mod request;
pub mod stream;
pub mod transaction;
pub mod write;

use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::message::{info1, info2, info3, info4};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::function::LongCall;
use self::reply::{Rejection, Reply};
use self::request::Request;
use self::stream::StreamedReply;
use crate::expression::{Filters, Program, RecordView, trace};
use crate::options::Edition;
use crate::reason;
use crate::record::View;
use crate::record::bins::Bins;
use crate::record::clock::Moment;
use crate::security::access::Access;
use crate::security::permission::Permissions;
use crate::state::ClusterState;
use crate::state::counters::LocalCounters;
use crate::storage::namespace::Namespace;

/// Where a message has its fourth info byte.
const INFO4_AT: usize = 4;

/// The state of one thread for running commands, with reusable buffers.
#[derive(Debug)]
pub struct Context {
    /// The cluster.
    pub state: Arc<ClusterState>,
    /// Counters, added to the node's when a connection's turn ends.
    pub counters: LocalCounters,
    /// The client of the current request.
    pub peer: Option<SocketAddr>,
    /// The privileges of the client's user, with security.
    pub access: Option<Arc<Access>>,
    /// Whether functions may take all their time on this thread: nobody else waits for it.
    has_time: bool,
    /// Whether the next command has been admitted and counted already.
    resumes: bool,
    bins: Bins,
    image: Vec<u8>,
    last_set: LastSet,
    filters: Filters,
}

/// The set of the last command, which the next one often uses, too.
#[derive(Debug, Default)]
struct LastSet {
    namespace: usize,
    name: Vec<u8>,
    number: u16,
}

impl Context {
    /// A context for one thread.
    pub fn new(state: Arc<ClusterState>) -> Self {
        Self {
            state,
            counters: LocalCounters::default(),
            peer: None,
            access: None,
            has_time: false,
            resumes: false,
            bins: Bins::default(),
            image: Vec::new(),
            last_set: LastSet::default(),
            filters: Filters::default(),
        }
    }

    /// A context for a thread for which nobody waits, so that functions may take all their time.
    pub fn with_time(state: Arc<ClusterState>) -> Self {
        Self { has_time: true, ..Self::new(state) }
    }

    /// Runs the request in `body`, which arrived at `node`. Appends the reply, or its start, and
    /// returns the rest.
    pub fn run(
        &mut self,
        node: usize,
        body: &[u8],
        now: Moment,
        out: &mut Vec<u8>,
    ) -> Option<Box<dyn StreamedReply>> {
        let info4 = body.get(INFO4_AT).copied().unwrap_or_default();
        if !self.resumes {
            self.counters.requests += 1;
            self.counters.detailed_requests += u64::from(info4 & info4::ERROR_DETAILS != 0);
        }
        reason::begin(self.detail_level(node, info4));
        if batch::is_batch(body) {
            return self.batch(node, body, now, out);
        }
        let reply = Reply::begin(out);
        let Ok(request) = Request::parse(body) else {
            self.reject(reply, ResultCode::PARAMETER.into());
            return None;
        };
        let state = self.state.clone();
        let Some((index, namespace)) = state.namespace(request.namespace) else {
            self.reject(reply, ResultCode::NAMESPACE.into());
            return None;
        };
        if !request.has_digest {
            reply.withdraw();
            return self.query(node, index, body, out);
        }
        let set = self.find_set(index, namespace, request.set);
        let target = Target { node, namespace, request: &request, set, now, filter: None };
        match self.run_single(&target, reply) {
            Progress::Replied => None,
            Progress::NeedsTime => Some(Box::new(LongCall::new(node, body))),
        }
    }

    /// Runs a command on one record, either a request of its own or a batch row.
    fn run_single(&mut self, target: &Target<'_>, reply: Reply<'_>) -> Progress {
        let is_new = !std::mem::take(&mut self.resumes);
        match self.admit(target, is_new) {
            Ok(filter) => self.dispatch(&Target { filter, ..*target }, reply, is_new),
            Err(code) => {
                self.reject(reply, code.into());
                Progress::Replied
            }
        }
    }

    /// The checks before a command is run; returns its filter. Only a new one counts for quotas.
    fn admit(
        &mut self,
        target: &Target<'_>,
        is_new: bool,
    ) -> Result<Option<Arc<Program>>, ResultCode> {
        let request = target.request;
        reason::begin(self.detail_level(target.node, request.header.info4));
        let edition = self.state.options.edition;
        admit(request, edition).and_then(|()| transaction::admit(target, edition))?;
        if let Some(access) = &self.access {
            let required = permissions(request);
            if !access.permits(required, request.namespace, request.set) {
                return Err(ResultCode::ROLE_VIOLATION);
            }
            if is_new && !access.spend(target.node, required) {
                return Err(ResultCode::QUOTA_EXCEEDED);
            }
        }
        features::check(self.state.nodes[target.node].features, request)?;
        request.filter.map(|bytes| self.filters.read(bytes)).transpose()
    }

    fn dispatch(&mut self, target: &Target<'_>, reply: Reply<'_>, is_new: bool) -> Progress {
        let request = target.request;
        if is_new && request.header.info2 & info2::WRITE != 0 {
            let commits = request.header.info3 & info3::COMMIT_MASTER != 0;
            self.counters.master_commits += u64::from(commits);
        }
        if request.header.info2 & info2::WRITE == 0 {
            if request.has_udf {
                self.reject(reply, ResultCode::PARAMETER.into());
                return Progress::Replied;
            }
            self.counters.reads += 1;
            if request.header.info4 & info4::VERIFY_READ != 0 {
                self.verify(target, reply);
            } else {
                self.read(target, reply);
            }
        } else if request.header.info4 & (info4::ROLL_FORWARD | info4::ROLL_BACK) != 0 {
            self.counters.writes += 1;
            self.roll(target, reply);
        } else if request.has_udf {
            self.counters.writes += u64::from(is_new);
            return self.function(target, reply);
        } else if request.header.info2 & info2::DELETE != 0 {
            self.counters.writes += 1;
            self.delete(target, reply);
        } else {
            self.counters.writes += 1;
            self.write(target, reply);
        }
        Progress::Replied
    }

    /// Whether the client's user, with security, may do this to a set.
    fn permits(
        &self,
        required: impl FnOnce() -> Permissions,
        namespace: &[u8],
        set: &[u8],
    ) -> bool {
        match &self.access {
            None => true,
            Some(access) => access.permits(required(), namespace, set),
        }
    }

    /// The number of a set; `None` if no record was ever written to it.
    fn find_set(&mut self, index: usize, namespace: &Namespace, name: &[u8]) -> Option<u16> {
        if self.last_set.namespace == index && self.last_set.name == name {
            return Some(self.last_set.number);
        }
        let number = namespace.sets.find(name)?;
        self.last_set.namespace = index;
        self.last_set.name.clear();
        self.last_set.name.extend_from_slice(name);
        self.last_set.number = number;
        Some(number)
    }

    /// How much a request to a node asks for in its fourth info byte, as far as the node knows that.
    fn detail_level(&self, node: usize, info4: u8) -> DetailLevel {
        match self.state.nodes.get(node) {
            Some(node) if node.features.has(Features::ERROR_DETAILS) => {
                DetailLevel::of_flags(info4)
            }
            _ => DetailLevel::Off,
        }
    }

    fn reject(&mut self, mut reply: Reply<'_>, rejection: Rejection) {
        self.counters.count_error(rejection.code);
        reply.explain(reason::take(rejection.code));
        reply.reject(&rejection);
    }

    fn reject_with_last(&mut self, mut reply: Reply<'_>, code: ResultCode) {
        self.counters.count_error(code);
        reply.explain(reason::take(code));
        reply.last(code);
    }
}

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
enum Progress {
    /// Its reply is complete.
    Replied,
    /// Its function takes longer than others may wait for it. There is no reply, and nothing has
    /// changed; a function thread has to run it.
    NeedsTime,
}

/// A command and its target.
#[derive(Debug)]
pub struct Target<'a> {
    /// The node the command arrived at.
    pub node: usize,
    /// Its namespace.
    pub namespace: &'a Namespace,
    /// The request.
    pub request: &'a Request<'a>,
    /// The number of its set; `None` if no record was ever written to it.
    pub set: Option<u16>,
    /// The time of its execution.
    pub now: Moment,
    /// Its filter, once decoded.
    pub filter: Option<Arc<Program>>,
}

impl Target<'_> {
    /// Rejects a record that the filter excludes.
    fn check_filter(&self, record: View<'_>) -> Result<(), ResultCode> {
        let Some(filter) = &self.filter else { return Ok(()) };
        let view = RecordView::stored(&self.namespace.sets, record, self.now);
        if filter.passes(&view) {
            return Ok(());
        }
        let bytes = self.request.filter.unwrap_or_default();
        Err(trace::without_value(ResultCode::FILTERED_OUT, bytes, &view))
    }
}

/// The permissions that a single-record command needs.
fn permissions(request: &Request<'_>) -> Permissions {
    let reads = request.header.info1 & info1::READ != 0;
    if request.header.info2 & info2::WRITE == 0 {
        return Permissions::READ;
    }
    if request.has_udf {
        return Permissions::UDF_APPLY;
    }
    Permissions::WRITE | if reads { Permissions::READ } else { Permissions::NONE }
}

/// The checks before the record is accessed.
fn admit(request: &Request<'_>, edition: Edition) -> Result<(), ResultCode> {
    let header = &request.header;
    let reads = header.info1 & info1::READ != 0;
    let writes = header.info2 & info2::WRITE != 0;
    if request.digest.is_none() || !(reads || writes) {
        return Err(ResultCode::PARAMETER);
    }
    if !writes && header.info2 & info2::DELETE != 0 {
        return Err(ResultCode::PARAMETER);
    }
    // Transactions and linearized reads require the Enterprise Edition.
    let verify = !writes && header.info4 & info4::VERIFY_READ != 0;
    let roll = writes && header.info4 & (info4::ROLL_FORWARD | info4::ROLL_BACK) != 0;
    let modes = info3::SC_READ_TYPE | info3::SC_READ_RELAX;
    let linearize = !writes && header.info3 & modes == info3::SC_READ_TYPE;
    let enterprise = request.has_transaction || verify || roll || linearize;
    if enterprise && !edition.is_enterprise() {
        return Err(ResultCode::ENTERPRISE_ONLY);
    }
    Ok(())
}

//! A session: composes requests and keeps prepared statements.

use std::sync::Arc;

use spikewire_cql::consistency::Consistency;
use spikewire_cql::envelope::Extras;
use spikewire_cql::request::{self, Parameters, WriteValues};
use spikewire_cql::tablet::Tablet;
use spikewire_cql::version::Version;
use spikewire_transport::metrics::{CallStart, MetricsFlags};
use spikewire_transport::open_ahead::open_ahead;
use spikewire_transport::{CommandFlags, Policy, Span, buffer};

use crate::cluster::{Cluster, Node};
use crate::connection::Cassandra;
use crate::error::{Error, Result};
use crate::execution::{Draft, Execution, ToPrepare, What};
use crate::memory::Memory;
use crate::options::{Options, SpeculativeDelay};
use crate::routing::{Aim, Replica, Target};
use crate::speculation::Contender;
use crate::statement::{BatchBuilder, Name, PrepareContext, Prepared, StatementOptions};
use crate::text::Traits;

/// What is needed to send statements and to read their answers.
#[derive(Debug)]
pub struct Session(Arc<Memory>);

/// A composed request and its execution.
#[derive(Debug)]
pub struct Call {
    /// The request.
    pub bytes: Vec<u8>,
    /// Where it goes.
    pub target: Target,
    /// Its limits.
    pub policy: Policy<Replica>,
    /// What reads the answer. Boxed because it is large and moved often.
    pub execution: Box<Execution>,
    /// Whether its stages are timed.
    pub timed: bool,
}

impl Call {
    /// Whether copies of it may be sent to further nodes if the answer is slow.
    pub fn speculates(&self) -> bool {
        self.target.contender.is_some()
    }

    /// Splits it into the request and its execution.
    pub fn split(self) -> (Draft, Box<Execution>) {
        let Self { bytes, target, policy, execution, .. } = self;
        (Draft { bytes, target, policy, deadline: None }, execution)
    }
}

/// How to prepare a statement.
#[derive(Debug)]
pub enum Preparation {
    /// It was already prepared.
    Known(Arc<Prepared>),
    /// By this call, whose answer is the prepared statement.
    Ask(Box<Call>),
}

impl Session {
    /// Connects to the cluster; blocks. Rejects invalid options first. If the options want
    /// connections from the start, they are opened all at once to the nodes that statements may go
    /// to, and waited for no longer than the connect timeout.
    pub fn open(options: Options) -> Result<Arc<Self>> {
        options.check()?;
        let cluster = Cluster::connect(options)?;
        let count = cluster.options().warm_connections;
        if count > 0 {
            let snapshot = cluster.snapshot();
            let is_used = |node: &&Arc<Node>| snapshot.is_local(node) || snapshot.goes_abroad();
            let nodes: Vec<_> = snapshot.nodes.iter().filter(is_used).cloned().collect();
            open_ahead::<Cassandra>(&cluster, &nodes, count);
        }
        Ok(Arc::new(Self(Arc::new(Memory::new(cluster)))))
    }

    #[cfg(test)]
    pub(crate) fn sample(cluster: Arc<Cluster>) -> Arc<Self> {
        Arc::new(Self(Arc::new(Memory::new(cluster))))
    }

    /// The cluster.
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.0.cluster
    }

    /// The protocol version in use.
    pub fn version(&self) -> Version {
        self.0.version()
    }

    /// The default keyspace of statements.
    pub fn keyspace(&self) -> Option<Arc<str>> {
        let first = || self.options().keyspace.as_deref().map(Arc::from);
        self.0.changed_keyspace().or_else(first)
    }

    /// The keyspace of a statement, if it is not that of the options.
    fn named_keyspace(&self, options: &StatementOptions) -> Option<Arc<str>> {
        options.keyspace.clone().or_else(|| self.0.changed_keyspace())
    }

    /// The keyspace that a request has to name. Version 4 has no field for it: after a `USE`, there
    /// are other connections.
    fn requested_keyspace(&self, options: &StatementOptions) -> Option<Arc<str>> {
        match self.version() {
            Version::V4 => options.keyspace.clone(),
            Version::V5 => self.named_keyspace(options),
        }
    }

    fn options(&self) -> &Options {
        self.0.options()
    }

    fn policy(
        &self,
        options: &StatementOptions,
        idempotent: bool,
        metrics_flags: MetricsFlags,
    ) -> Policy<Replica> {
        let limits = &self.options().limits;
        Policy {
            timeout: options.timeout.unwrap_or(limits.timeout),
            socket_timeout: options.socket_timeout.unwrap_or(limits.socket_timeout).into(),
            max_retries: options.max_retries.unwrap_or(limits.max_retries),
            sleep: limits.sleep.into(),
            multiplier: 1.0,
            longest: Span::ZERO,
            flags: CommandFlags::default().with_in_doubt(idempotent),
            priority: options.priority,
            metrics_flags,
            replica: if options.node.is_some() { Replica::Same } else { Replica::Next },
        }
    }

    /// The parameters of a statement; includes the keyspace if the protocol version has a field for
    /// it.
    fn parameters<'a>(
        &self,
        options: &'a StatementOptions,
        traits: Traits,
        keyspace: Option<&'a str>,
    ) -> Parameters<'a> {
        let defaults = self.options();
        let timestamp = options
            .timestamp
            .or_else(|| (defaults.timestamps && !traits.reads).then(|| self.0.timestamps.next()));
        Parameters {
            consistency: options.consistency.unwrap_or(defaults.consistency),
            skip_metadata: false,
            page_size: options.page_size.or(defaults.page_size).filter(|size| *size != 0),
            paging_state: options.paging_state.as_deref(),
            serial_consistency: options.serial_consistency.or(defaults.serial_consistency),
            timestamp,
            keyspace,
            now_in_seconds: options.now_in_seconds.map(|seconds| seconds as u32),
        }
    }

    /// The tablet with the rows of a token, if it is known.
    fn tablet(&self, prepared: &Prepared, token: i64) -> Option<Arc<Tablet>> {
        let (keyspace, table) = prepared.table.as_ref()?;
        self.cluster().tablets().find(keyspace, table, token)
    }

    /// The end of an EXECUTE that says which version of the tablet is known: another block each
    /// time. Without one, it is probably wrong, so that the reply names the tablet.
    #[cold]
    fn tablet_block(&self, aim: &Aim) -> u8 {
        let Aim::Token { token, tablet, .. } = aim else { return 0 };
        let turn = self.0.next_turn();
        match tablet.as_ref().and_then(|tablet| tablet.version) {
            Some(version) => Tablet::block(version, turn as u8),
            None => (token ^ i64::from(turn)) as u8,
        }
    }

    /// The leader of a tablet, where a statement goes first if one replica is not enough.
    fn leader(&self, aim: &Aim, options: &StatementOptions) -> Option<Arc<Node>> {
        let Aim::Token { keyspace, tablet: Some(tablet), .. } = aim else { return None };
        let level = options.consistency.unwrap_or(self.options().consistency);
        let is_enough = matches!(level, Consistency::One | Consistency::LocalOne);
        if is_enough { None } else { self.cluster().snapshot().leader(keyspace, tablet) }
    }

    /// Starts a call, for the metrics.
    #[inline]
    fn begin(&self) -> CallStart {
        self.cluster().metrics().begin()
    }

    fn call(
        self: &Arc<Self>,
        (bytes, began): (Vec<u8>, CallStart),
        aim: Aim,
        traits: Traits,
        options: &StatementOptions,
        what: What,
    ) -> Call {
        let aim = options.node.clone().map_or(aim, Aim::Node);
        let idempotent = options.idempotent.unwrap_or(traits.reads);
        let policy = self.policy(options, idempotent, began.metrics_flags);
        let mut target = Target::new(aim, !traits.reads, self.0.next_turn());
        target.first = self.leader(&target.aim, options);
        let speculation = options.speculation(self.options().limits.speculation);
        if let Some(delay) = speculation.delay
            && idempotent
            && traits.repeatable
            && options.node.is_none()
        {
            let delay = match delay {
                SpeculativeDelay::Time(delay) => Some(delay),
                SpeculativeDelay::Percentile(share) => {
                    target.is_measured = true;
                    self.cluster().snapshot().lowest_latency(share)
                }
            };
            let first = |delay| Contender::first(delay, speculation.attempts, target.writes);
            target.contender = delay.map(first).map(Box::new);
        }
        let execution = Execution::new(self.0.clone(), what, &target, policy);
        if let Some(at) = began.at {
            self.cluster().metrics().encoded(at);
        }
        Call { bytes, target, policy, execution, timed: began.at.is_some() }
    }

    /// Composes a statement given as text, with values of the types that the server expects.
    pub fn query<V: WriteValues>(
        self: &Arc<Self>,
        text: &str,
        options: &StatementOptions,
        values: V,
    ) -> std::result::Result<Call, V::Error>
    where
        V::Error: From<Error>,
    {
        let began = self.begin();
        let traits = Traits::of(text);
        let keyspace = self.requested_keyspace(options);
        let parameters = self.parameters(options, traits, keyspace.as_deref());
        let payload = crate::statement::borrowed(&options.payload);
        let extras = Extras { tracing: options.tracing, payload: &payload };
        let mut bytes = buffer::take();
        request::query(&mut bytes, self.version(), text, values, &parameters, &extras)?;
        let what = if traits.uses_keyspace { What::Use } else { What::Query };
        Ok(self.call((bytes, began), Aim::Any, traits, options, what))
    }

    /// Prepares a statement, unless it is already prepared and the schema has not changed since.
    pub fn prepare(
        self: &Arc<Self>,
        text: &str,
        options: &StatementOptions,
    ) -> Result<Preparation> {
        if Traits::of(text).uses_keyspace {
            return Err(Error::invalid("USE cannot be prepared: execute it as text"));
        }
        let name: Name = (self.named_keyspace(options), Arc::from(text));
        let known = self.0.statements.get(&name);
        match known {
            Some(known) if !known.is_stale() => Ok(Preparation::Known(known)),
            known => {
                let context = match known {
                    // What goes along with a request is for the node that gets it.
                    None if options.payload.is_empty() && !options.tracing => {
                        self.0.statements.ask_first(&name)
                    }
                    known => self.0.statements.ask(known),
                };
                self.ask_to_prepare(name, context, options).map(Preparation::Ask)
            }
        }
    }

    /// What to execute in place of a statement that is stale.
    pub fn renew(
        self: &Arc<Self>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
    ) -> Result<Preparation> {
        let latest = prepared.latest();
        if latest.is_stale() {
            self.prepare_anew(&latest, options).map(Preparation::Ask)
        } else {
            Ok(Preparation::Known(latest))
        }
    }

    /// Asks a node what to execute in place of a statement to whose parameters values do not fit:
    /// they may have changed without this session knowing yet.
    pub fn prepare_anew(
        self: &Arc<Self>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
    ) -> Result<Box<Call>> {
        let latest = prepared.latest();
        let name = (latest.keyspace.clone(), latest.text.clone());
        if self.version() == Version::V4 && name.0 != self.0.changed_keyspace() {
            return Err(Error::invalid(format!(
                "the keyspace was changed by USE, and the schema as well, since the statement was \
                 prepared: prepare it again; it is {:?}",
                latest.text
            )));
        }
        let context = self.0.statements.ask(Some(latest));
        self.ask_to_prepare(name, context, &options.to_prepare())
    }

    fn ask_to_prepare(
        self: &Arc<Self>,
        (keyspace, text): Name,
        context: PrepareContext,
        options: &StatementOptions,
    ) -> Result<Box<Call>> {
        let began = self.begin();
        let payload = crate::statement::borrowed(&options.payload);
        let extras = Extras { tracing: options.tracing, payload: &payload };
        let mut bytes = buffer::take();
        let version = self.version();
        let named = if version == Version::V4 { &options.keyspace } else { &keyspace };
        request::prepare(&mut bytes, version, &text, named.as_deref(), &extras)?;
        // Preparing changes nothing, so it may be repeated.
        let traits = Traits::of("SELECT");
        let what = What::Prepare(Box::new(ToPrepare { text, keyspace, context }));
        Ok(Box::new(self.call((bytes, began), Aim::Any, traits, options, what)))
    }

    /// Composes a prepared statement with its values, in the order of its parameters.
    #[inline]
    pub fn execute<V: WriteValues>(
        self: &Arc<Self>,
        prepared: &Arc<Prepared>,
        options: &StatementOptions,
        values: V,
    ) -> std::result::Result<Call, V::Error> {
        let began = self.begin();
        let dialect = self.0.dialect;
        let shape = prepared.result();
        let mut parameters = self.parameters(options, prepared.traits, None);
        // Without ids, a server cannot report that the columns have changed.
        parameters.skip_metadata = dialect.metadata_ids && !shape.columns.is_empty();
        let payload = crate::statement::borrowed(&options.payload);
        let extras = Extras { tracing: options.tracing, payload: &payload };
        let mut bytes = buffer::take();
        // An id of no columns would do for rows that are not described when they are prepared.
        let is_described = dialect.version == Version::V5 || !shape.columns.is_empty();
        let (id, metadata) = (&prepared.id, if is_described { &shape.id[..] } else { &[] });
        let mut aim = Aim::Any;
        let routed = RoutedValues { session: self, values, aim: &mut aim, prepared };
        request::execute(&mut bytes, dialect, id, metadata, routed, &parameters, &extras)?;
        if dialect.tablet_blocks {
            request::set_tablet_block(&mut bytes, self.tablet_block(&aim));
        }
        let what = What::Execute { prepared: prepared.clone(), shape };
        Ok(self.call((bytes, began), aim, prepared.traits, options, what))
    }

    /// Starts a batch.
    pub fn batch(
        &self,
        kind: request::BatchKind,
        options: &StatementOptions,
    ) -> Result<BatchBuilder> {
        let began = self.begin();
        BatchBuilder::new(self.version(), kind, options.tracing, &options.payload, began)
    }

    /// Composes a complete batch.
    pub fn run_batch(
        self: &Arc<Self>,
        batch: BatchBuilder,
        options: &StatementOptions,
    ) -> Result<Call> {
        if batch.is_empty() {
            return Err(Error::invalid("a batch without statements"));
        }
        if options.page_size.is_some() || options.paging_state.is_some() {
            return Err(Error::invalid("a batch has no pages"));
        }
        let BatchBuilder { writer, prepared, token, conditional, counts, began } = batch;
        let traits =
            Traits { reads: false, conditional, uses_keyspace: false, repeatable: !counts };
        let keyspace = self.requested_keyspace(options);
        let mut parameters = self.parameters(options, traits, keyspace.as_deref());
        parameters.page_size = None;
        let bytes = writer.finish(&parameters)?;
        let aim = token.and_then(|(prepared, token)| {
            let tablet = self.tablet(&prepared, token);
            let (keyspace, _) = prepared.table.clone()?;
            Some(Aim::Token { keyspace, token, tablet, conditional })
        });
        let aim = aim.unwrap_or(Aim::Any);
        Ok(self.call((bytes, began), aim, traits, options, What::Batch { prepared }))
    }
}

/// Values from which the partition is determined once they are encoded.
struct RoutedValues<'a, V> {
    session: &'a Session,
    values: V,
    aim: &'a mut Aim,
    prepared: &'a Prepared,
}

impl<V: WriteValues> WriteValues for RoutedValues<'_, V> {
    type Error = V::Error;

    fn count(&self) -> usize {
        self.values.count()
    }

    fn named(&self) -> bool {
        self.values.named()
    }

    fn write(self, out: &mut Vec<u8>) -> std::result::Result<(), V::Error> {
        let (from, named) = (out.len(), self.values.named());
        self.values.write(out)?;
        let Prepared { table, traits, .. } = self.prepared;
        if !named
            && let Some((keyspace, _)) = table
            && let Some(token) = self.prepared.token(&out[from..])
        {
            let (keyspace, conditional) = (keyspace.clone(), traits.conditional);
            let tablet = self.session.tablet(self.prepared, token);
            *self.aim = Aim::Token { keyspace, token, tablet, conditional };
        }
        Ok(())
    }
}

/// No values.
#[derive(Debug, Clone, Copy)]
pub struct NoValues;

impl WriteValues for NoValues {
    type Error = Error;

    fn count(&self) -> usize {
        0
    }

    fn named(&self) -> bool {
        false
    }

    fn write(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

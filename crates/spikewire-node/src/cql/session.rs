//! Sessions: connecting, closing, and information about the cluster.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_cassandra::connection::Cassandra;
use spikewire_cassandra::session::Call as Request;
use spikewire_cassandra::{Error, Kind, Session as Engine};
use spikewire_transport::Tick;

use super::classes::{Class, Classes};
use super::errors::closed;
use super::job::{Start, StatementJob};
use super::options;
use super::questions::{ProgramAuthenticator, ProgramTranslator, Questions};
use super::rows;
use super::ticket::{Outbox, Pledge, StatementCaller, StatementTicket};
use super::value::CqlDecodeOptions;
use crate::arguments::text;
use crate::binding::Call;
use crate::connecting::Connecting;
use crate::driver::Driver;
use crate::environment::Environment;
use crate::environment::factories::Factories;
use crate::environment::resources::Resource;
use crate::hooks::cql::Hooks;
use crate::js::{Env, Failure, Function, Result, Value, work};
use crate::stages::{Turns, Watch};

/// A session.
pub struct Session {
    pub engine: Arc<Engine>,
    pub decode_options: CqlDecodeOptions,
    driver: Driver<Cassandra, StatementTicket>,
    outbox: Arc<Outbox>,
    /// Chooses the calls whose hand-over is timed.
    turns: Turns,
    /// The program's part in connections, by its number.
    questions: Option<(Arc<Questions>, u32)>,
}

impl Session {
    fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        engine: Arc<Engine>,
        decode_options: CqlDecodeOptions,
        questions: Option<(Arc<Questions>, u32)>,
    ) -> Result<Self> {
        let outbox = Arc::<Outbox>::default();
        let topology = engine.cluster().clone();
        let waits = questions.is_some();
        let driver = Driver::start(env, environment, topology, outbox.clone(), waits)?;
        let classes = environment.resources.add(Rc::new(Classes::default()));
        Ok(Self {
            engine,
            decode_options: CqlDecodeOptions { classes, ..decode_options },
            driver,
            outbox,
            turns: Turns::default(),
            questions,
        })
    }

    /// The session in a call's first argument.
    #[inline]
    pub fn of(call: &Call<'_>) -> Result<Rc<Self>> {
        let session = call.host.environment.resources.get::<Self>(call.index(0)?);
        session.map_err(|_| closed())
    }

    /// Settles the promise of a slot with the result of a job, now or when it is done.
    #[inline]
    pub fn run(
        &self,
        call: &Call<'_>,
        slot: u32,
        decode_options: CqlDecodeOptions,
        started: Start,
    ) {
        match started {
            Start::Send(job, request) => {
                self.send_as(call.env, slot, decode_options, job, request);
            }
            Start::Done(result) => {
                let environment = &call.host.environment;
                let value = rows::result(call.env, environment, decode_options, &result);
                environment.settle(call.env, slot, value);
            }
        }
    }

    /// Sends a request that settles the promise of a slot.
    #[inline]
    pub fn send(&self, env: Env<'_>, slot: u32, job: StatementJob, request: Request) {
        self.send_as(env, slot, self.decode_options, job, request);
    }

    #[inline]
    fn send_as(
        &self,
        env: Env<'_>,
        slot: u32,
        mut decode_options: CqlDecodeOptions,
        job: StatementJob,
        request: Request,
    ) {
        if let Some(sent) = &mut decode_options.sent {
            *sent = request.bytes.len() as u32;
        }
        let now = Tick::now();
        let pledge = Some(Pledge::new(slot, &self.outbox));
        let watch =
            if request.timed { self.turns.watch(self.engine.cluster()) } else { Watch::default() };
        let caller = StatementCaller { pledge, job, decode_options, watch };
        let command = StatementTicket::command(request, now, caller);
        self.driver.submit(env, command, now);
    }
}

impl Resource for Session {
    fn end(&self) {
        // What waits for an answer would not end.
        if let Some((questions, _)) = &self.questions {
            questions.end();
        }
        self.driver.end();
        self.engine.cluster().close();
    }
}

/// `cqlSetup(...)`: passes the functions in the order of the fields of [`Hooks`]; called once, when
/// `spikewire/cql` is loaded.
pub fn setup<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let hooks = Hooks::keep(call.rest(0))?;
    let _ = call.host.environment.hooks()?.cql.set(hooks);
    Ok(None)
}

/// `cqlConnect(slot, contactPoints, names, values, ask, logsIn, translates)`: settles with the number of a
/// session. `ask` answers [`Questions`], if there are any: about logins, addresses or both.
pub fn connect<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(0)?;
    let (mut options, decode_options) =
        options::read(call.argument(1), call.argument(2), call.argument(3))?;
    let environment = call.host.environment.clone();
    let mut questions = None;
    if let Some(ask) = call.argument(4).present() {
        let opened = Questions::new(call, ask, options.options.connect_timeout)?;
        let (logs_in, translates) = (call.argument(5).boolean(), call.argument(6).boolean());
        if logs_in == Some(true) {
            let authenticator = ProgramAuthenticator(opened.0.clone());
            options.options.authenticator = Some(Arc::new(authenticator));
        }
        if translates == Some(true) {
            let translator = ProgramTranslator(opened.0.clone());
            options.options.address_translator = Some(Arc::new(translator));
        }
        questions = Some(opened);
    }
    // Certificates are read on that thread, too.
    let open = move || Ok::<_, Failure>(Engine::open(options.finish()?)?);
    let running = work::spawn(call.env, "spikewire.cql.connect", open, move |env, opened| {
        let result = opened
            .unwrap_or_else(|_| Err(Error::new(Kind::Connection, "connecting panicked").into()))
            .and_then(|engine| {
                started(env, &environment, engine, decode_options, questions.clone())
            });
        if result.is_err() {
            end_questions(&environment, questions.as_ref());
        }
        environment.settle(env, slot, result);
    })?;
    Connecting::add(call, running).map(Some)
}

fn started<'e>(
    env: Env<'e>,
    environment: &Rc<Environment>,
    engine: Arc<Engine>,
    decode_options: CqlDecodeOptions,
    questions: Option<(Arc<Questions>, u32)>,
) -> Result<Value<'e>> {
    if environment.is_ending() {
        engine.cluster().close();
        return Err(Error::new(Kind::Closed, "the environment is being torn down").into());
    }
    let session = Session::start(env, environment, engine.clone(), decode_options, questions);
    let session = session.inspect_err(|_| engine.cluster().close())?;
    env.uint32(environment.resources.add(Rc::new(session)))
}

/// Lets nothing wait for the program any more.
fn end_questions(environment: &Environment, questions: Option<&(Arc<Questions>, u32)>) {
    if let Some((questions, handle)) = questions {
        questions.end();
        environment.resources.remove(*handle);
    }
}

/// `cqlClose(session, slot)`: closes every connection; statements in flight fail.
pub fn close<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = call.host.environment.clone();
    let slot = call.index(1)?;
    let Ok(session) = Session::of(call) else {
        environment.done(call.env, slot);
        environment.report_done(call.env);
        return Ok(None);
    };
    environment.resources.remove(call.index(0)?);
    environment.resources.remove(session.decode_options.classes);
    end_questions(&environment, session.questions.as_ref());
    session.driver.close(call.env);
    let cluster = session.engine.cluster().clone();
    work::spawn(
        call.env,
        "spikewire.cql.close",
        move || cluster.close(),
        move |env, _| {
            environment.settle(env, slot, env.undefined());
        },
    )?;
    Ok(None)
}

/// `cqlAbandon(session, slot)`: a statement in flight keeps the environment alive no longer.
pub fn abandon<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(1)?;
    // A closed session has no statements in flight.
    if let Ok(session) = Session::of(call) {
        session.outbox.abandon(slot);
        session.driver.deliver_now(call.env);
    }
    Ok(None)
}

/// `cqlNodes(session)`: address, datacenter, rack, release and state of each node, in turn.
pub fn nodes<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let snapshot = session.engine.cluster().snapshot();
    let env = call.env;
    let flat = env.array(0)?;
    let mut len = 0;
    for node in &snapshot.nodes {
        let texts = [&node.address.to_string(), &node.datacenter, &node.rack, &node.release];
        for text in texts {
            flat.set_element(len, env.string(text)?)?;
            len += 1;
        }
        flat.set_element(len, env.boolean(node.is_up())?)?;
        len += 1;
    }
    Ok(Some(flat))
}

/// `cqlConnections(session)`: of each connection in turn the address of its node, whether it is
/// open, and the requests in flight on it; `null` if a thread of its own drives them.
pub fn connections<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let env = call.env;
    let mut all = Vec::new();
    let known = session.driver.each_connection(&mut |node, is_open, in_flight| {
        all.push((node.address.to_string(), is_open, in_flight));
    });
    if !known {
        return env.null().map(Some);
    }
    let flat = env.array(3 * all.len())?;
    for (at, (address, is_open, in_flight)) in (0_u32..).zip(all) {
        flat.set_element(3 * at, env.string(&address)?)?;
        flat.set_element(3 * at + 1, env.boolean(is_open)?)?;
        flat.set_element(3 * at + 2, env.uint32(in_flight as u32)?)?;
    }
    Ok(Some(flat))
}

/// `cqlSchema(session, slot)`: settles with the schema as JSON.
pub fn schema<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = call.host.environment.clone();
    let (cluster, slot) = (Session::of(call)?.engine.cluster().clone(), call.index(1)?);
    work::spawn(
        call.env,
        "spikewire.cql.schema",
        move || cluster.schema().map(|schema| schema.to_json()),
        move |env, read| {
            let read = read.unwrap_or_else(|_| Err(Error::closed()));
            let text = read.map_err(Failure::from).and_then(|text| env.string(&text));
            environment.settle(env, slot, text);
        },
    )?;
    Ok(None)
}

/// `cqlKeyspace(session)`: the default keyspace of statements, or `null`.
pub fn keyspace<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let keyspace = Session::of(call)?.engine.keyspace();
    keyspace.map_or_else(|| call.env.null(), |name| call.env.string(&name)).map(Some)
}

/// `cqlVersion(session)`: the version of the protocol in use.
pub fn version<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.uint32(Session::of(call)?.engine.version().number().into()).map(Some)
}

/// `cqlRegisterType(session, name, make)`: registers how values of a type are created.
pub fn register_type<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let name = text("the name of a type", call.argument(1))?;
    let keyspace = session.engine.keyspace();
    let class = Class { make: Function::keep(call.argument(2))?, factories: Factories::default() };
    let classes = call.host.environment.resources.get::<Classes>(session.decode_options.classes)?;
    let former = classes.add(&name, keyspace.as_deref(), Rc::new(class));
    former.map(|_| None).map_err(Failure::of_range)
}

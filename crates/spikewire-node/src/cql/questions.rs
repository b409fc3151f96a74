//! Questions to functions of the program, by threads that then wait for the answer: logins,
//! and translations of addresses. The functions may be asynchronous, so that connections of such a
//! session are driven by a thread of their own, which may wait.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use spikewire_cassandra::address_translator::AddressTranslator;
use spikewire_cassandra::authenticator::{Authenticator, Conversation};
use spikewire_sync::Mutex;

use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::js::wake::Waker;
use crate::js::{Env, OwnFunction, Result, Value};

/// What is asked. Numbers are those of logins.
#[derive(Debug)]
enum Question {
    /// To begin a login with this class, at this node.
    Begin(u32, String, String),
    /// The answer to a challenge.
    Answer(u32, Option<Vec<u8>>),
    /// To take note of success.
    Succeeded(u32, Option<Vec<u8>>),
    /// To forget a login; nobody waits for an answer.
    Forget(u32),
    /// Where an address is reached.
    Translate(String),
}

/// An answer, or why there is none.
type Answer = std::result::Result<Vec<u8>, String>;

#[derive(Debug, Default)]
struct State {
    next: u32,
    queue: VecDeque<(u32, Question)>,
    waiting: HashMap<u32, SyncSender<Answer>>,
    is_over: bool,
}

/// The questions of a session.
#[derive(Debug)]
pub struct Questions {
    state: Mutex<State>,
    waker: Mutex<Option<Waker>>,
    /// How long to wait for an answer.
    patience: Duration,
    logins: AtomicU32,
}

const OVER: &str = "the session is closed";

impl Questions {
    /// Those that `ask(handle, question, kind, login, text, value)` answers by `cqlAnswer`.
    pub fn new(call: &Call<'_>, ask: Value<'_>, patience: Duration) -> Result<(Arc<Self>, u32)> {
        let (state, waker) = (Mutex::default(), Mutex::default());
        let questions = Arc::new(Self { state, waker, patience, logins: AtomicU32::new(0) });
        let handle = call
            .host
            .environment
            .resources
            .add(std::rc::Rc::new(QuestionsResource(questions.clone())));
        let (ask, shared) = (OwnFunction::keep(ask)?, questions.clone());
        let woken = move |env: Env<'_>| shared.pass_on(env, handle, &ask);
        let waker = Waker::new(call.env, "spikewire.cql.questions", woken)?;
        *questions.waker.lock() = Some(waker);
        Ok((questions, handle))
    }

    /// Calls the program's function with each question.
    fn pass_on(&self, env: Env<'_>, handle: u32, ask: &OwnFunction) {
        while let Some((number, question)) = self.take_question() {
            if put(env, handle, number, &question, ask).is_err() {
                self.settle(number, Err("the program could not be asked".to_owned()));
            }
        }
    }

    fn take_question(&self) -> Option<(u32, Question)> {
        self.state.lock().queue.pop_front()
    }

    fn settle(&self, number: u32, answer: Answer) {
        let waiting = self.state.lock().waiting.remove(&number);
        if let Some(waiting) = waiting {
            let _ = waiting.try_send(answer);
        }
    }

    /// Adds a question without waiting for an answer.
    fn put(&self, question: Question, waiting: Option<SyncSender<Answer>>) -> Option<u32> {
        let mut state = self.state.lock();
        if state.is_over {
            return None;
        }
        let number = state.next;
        state.next = state.next.wrapping_add(1);
        state.queue.push_back((number, question));
        if let Some(waiting) = waiting {
            state.waiting.insert(number, waiting);
        }
        drop(state);
        if let Some(waker) = &*self.waker.lock() {
            waker.wake();
        }
        Some(number)
    }

    fn ask(&self, question: Question) -> Answer {
        let (sender, answered) = sync_channel(1);
        let number = self.put(question, Some(sender)).ok_or(OVER)?;
        answered.recv_timeout(self.patience).unwrap_or_else(|_| {
            self.state.lock().waiting.remove(&number);
            let seconds = self.patience.as_secs_f64();
            Err(format!("the program's function did not answer within {seconds} s"))
        })
    }

    /// No question is asked or answered any more.
    pub fn end(&self) {
        let mut state = self.state.lock();
        state.is_over = true;
        state.queue.clear();
        for (_, waiting) in state.waiting.drain() {
            let _ = waiting.try_send(Err(OVER.to_owned()));
        }
        drop(state);
        drop(self.waker.lock().take());
    }
}

/// The questions, as JavaScript knows them.
struct QuestionsResource(Arc<Questions>);

impl Resource for QuestionsResource {
    fn end(&self) {
        self.0.end();
    }
}

fn put(
    env: Env<'_>,
    handle: u32,
    number: u32,
    question: &Question,
    ask: &OwnFunction,
) -> Result<()> {
    let bytes = |bytes: &Option<Vec<u8>>| match bytes {
        Some(bytes) => env.buffer(bytes),
        None => env.null(),
    };
    let (kind, login, text, value) = match question {
        Question::Begin(login, class, node) => ("begin", *login, &**class, env.string(node)?),
        Question::Answer(login, challenge) => ("answer", *login, "", bytes(challenge)?),
        Question::Succeeded(login, token) => ("succeeded", *login, "", bytes(token)?),
        Question::Forget(login) => ("forget", *login, "", env.null()?),
        Question::Translate(address) => ("translate", 0, &**address, env.null()?),
    };
    let arguments = [
        env.uint32(handle)?,
        env.uint32(number)?,
        env.string(kind)?,
        env.uint32(login)?,
        env.string(text)?,
        value,
    ];
    ask.call(env, &arguments).map(drop)
}

/// `cqlAnswer(handle, question, answer, error)`: bytes or a text, or why there is none.
pub fn answer<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let resource = call.host.environment.resources.get::<QuestionsResource>(call.index(0)?);
    // The session may be closed by now.
    let Ok(resource) = resource else { return Ok(None) };
    let value = call.argument(2);
    let answer = match call.argument(3).text()? {
        Some(error) => Err(error),
        None => match value.text()? {
            Some(text) => Ok(text.into_bytes()),
            None => Ok(value.with_bytes(<[u8]>::to_vec).unwrap_or_default()),
        },
    };
    resource.0.settle(call.index(1)?, answer);
    Ok(None)
}

/// An authenticator of the program.
#[derive(Debug)]
pub struct ProgramAuthenticator(pub Arc<Questions>);

impl Authenticator for ProgramAuthenticator {
    fn begin(&self, _: &str) -> std::result::Result<Box<dyn Conversation>, String> {
        Err("the node of a login is not known".to_owned())
    }

    fn begin_at(
        &self,
        class: &str,
        node: SocketAddr,
    ) -> std::result::Result<Box<dyn Conversation>, String> {
        let login = self.0.logins.fetch_add(1, Relaxed);
        self.0.ask(Question::Begin(login, class.to_owned(), node.to_string()))?;
        Ok(Box::new(ProgramLogin { questions: self.0.clone(), login }))
    }
}

/// One login.
#[derive(Debug)]
struct ProgramLogin {
    questions: Arc<Questions>,
    login: u32,
}

impl Conversation for ProgramLogin {
    fn answer(&mut self, challenge: Option<&[u8]>) -> Answer {
        self.questions.ask(Question::Answer(self.login, challenge.map(<[u8]>::to_vec)))
    }

    fn succeeded(&mut self, token: Option<&[u8]>) -> std::result::Result<(), String> {
        let question = Question::Succeeded(self.login, token.map(<[u8]>::to_vec));
        self.questions.ask(question).map(drop)
    }
}

impl Drop for ProgramLogin {
    fn drop(&mut self) {
        self.questions.put(Question::Forget(self.login), None);
    }
}

/// A translator of addresses of the program.
#[derive(Debug)]
pub struct ProgramTranslator(pub Arc<Questions>);

impl AddressTranslator for ProgramTranslator {
    fn translate(&self, advertised: SocketAddr) -> std::result::Result<String, String> {
        let answer = self.0.ask(Question::Translate(advertised.to_string()))?;
        String::from_utf8(answer).map_err(|error| error.to_string())
    }
}

//! Name resolution with a time limit.
//!
//! The system's resolver blocks and has no limit, so a few threads ask it. They end when no name is
//! left.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use spikewire_sync::Mutex;

use crate::clock::Tick;
use crate::fault::CLIENT_CLOSED;

/// Most threads of one resolver.
const THREADS: usize = 8;
/// Longest single wait, so that closing a client is noticed.
const SLICE: Duration = Duration::from_millis(20);

/// Resolves names for one client.
#[derive(Debug, Default)]
pub struct Resolver(Arc<Mutex<Work>>);

#[derive(Debug, Default)]
struct Work {
    waiting: VecDeque<Question>,
    threads: usize,
}

#[derive(Debug)]
struct Question {
    at: usize,
    host: String,
    port: u16,
    answers: Sender<(usize, io::Result<Vec<SocketAddr>>)>,
    /// Gone when nobody waits any more.
    waiter: Weak<()>,
}

/// Why a name could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// The resolver's error message.
    Unknown(String),
    /// The resolver did not answer within this time.
    Slow(Duration),
    /// The client was closed in the meantime.
    Stopped,
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(why) => write!(f, "the name does not resolve: {why}"),
            Self::Slow(within) => write!(f, "name resolution gave no answer within {within:?}"),
            Self::Stopped => f.write_str(CLIENT_CLOSED),
        }
    }
}

/// Addresses without duplicates, in the resolver's order; at least one.
pub type Resolution = Result<Vec<SocketAddr>, Unresolved>;

/// Hosts being resolved.
#[derive(Debug)]
pub struct Lookup {
    results: Vec<Option<Resolution>>,
    open: usize,
    answers: Receiver<(usize, io::Result<Vec<SocketAddr>>)>,
    within: Duration,
    until: Tick,
    _waiter: Arc<()>,
}

impl Resolver {
    /// Starts resolving these hosts and ports, all at once as far as there are threads. Addresses
    /// are taken as they are.
    pub fn start<'a>(
        &self,
        hosts: impl IntoIterator<Item = (&'a str, u16)>,
        within: Duration,
    ) -> Lookup {
        let (sender, answers) = mpsc::channel();
        let waiter = Arc::new(());
        let (mut results, mut questions) = (Vec::new(), Vec::new());
        for (at, (host, port)) in hosts.into_iter().enumerate() {
            results.push(host.parse::<IpAddr>().ok().map(|ip| Ok(vec![SocketAddr::new(ip, port)])));
            if results[at].is_none() {
                let (answers, waiter) = (sender.clone(), Arc::downgrade(&waiter));
                questions.push(Question { at, host: host.to_owned(), port, answers, waiter });
            }
        }
        let open = questions.len();
        if open > 0 {
            self.ask(questions);
        }
        let until = Tick::now().after(within);
        Lookup { results, open, answers, within, until, _waiter: waiter }
    }

    fn ask(&self, questions: Vec<Question>) {
        let mut work = self.0.lock();
        work.waiting.extend(questions);
        while work.threads < THREADS.min(work.waiting.len()) {
            let shared = self.0.clone();
            let thread = thread::Builder::new().name("spikewire-names".to_owned());
            if thread.spawn(move || answer_all(&shared)).is_err() {
                break;
            }
            work.threads += 1;
        }
        if work.threads == 0 {
            // The senders are dropped, which is reported as such.
            work.waiting.clear();
        }
    }
}

/// A resolver's thread.
fn answer_all(work: &Mutex<Work>) {
    loop {
        let question = {
            let mut work = work.lock();
            let Some(question) = work.waiting.pop_front() else {
                work.threads -= 1;
                return;
            };
            question
        };
        if question.waiter.strong_count() > 0 {
            let Question { at, host, port, answers, .. } = question;
            let addresses = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
            let _ = answers.send((at, addresses));
        }
    }
}

impl Lookup {
    /// Takes the answers that have come; returns whether there is nothing left to wait for.
    pub fn settle(&mut self) -> bool {
        while self.open > 0 {
            match self.answers.try_recv() {
                Ok(answer) => self.take(answer),
                Err(mpsc::TryRecvError::Empty) => break,
                Err(mpsc::TryRecvError::Disconnected) => self.give_up(&no_thread()),
            }
        }
        if self.open > 0 && self.until <= Tick::now() {
            self.give_up(&Unresolved::Slow(self.within));
        }
        self.open == 0
    }

    /// Waits for all answers, for the time limit at most, or until `closed` is set; returns one
    /// result per host.
    pub fn finish(mut self, closed: &AtomicBool) -> Vec<Resolution> {
        while !self.settle() {
            let left = self.until.since(Tick::now());
            match self.answers.recv_timeout(left.min(SLICE)) {
                Ok(answer) => self.take(answer),
                Err(RecvTimeoutError::Disconnected) => self.give_up(&no_thread()),
                Err(RecvTimeoutError::Timeout) if closed.load(Relaxed) => {
                    self.give_up(&Unresolved::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.results()
    }

    /// One result per host; those that are still open have been too slow.
    pub fn results(mut self) -> Vec<Resolution> {
        self.give_up(&Unresolved::Slow(self.within));
        self.results.into_iter().flatten().collect()
    }

    fn take(&mut self, (at, answer): (usize, io::Result<Vec<SocketAddr>>)) {
        self.open -= 1;
        let mut once = Vec::new();
        self.results[at] = Some(match answer {
            Err(error) => Err(Unresolved::Unknown(error.to_string())),
            Ok(addresses) => {
                for address in addresses {
                    if !once.contains(&address) {
                        once.push(address);
                    }
                }
                let none = || Unresolved::Unknown("no address".to_owned());
                if once.is_empty() { Err(none()) } else { Ok(once) }
            }
        });
    }

    fn give_up(&mut self, why: &Unresolved) {
        self.open = 0;
        for open in self.results.iter_mut().filter(|result| result.is_none()) {
            *open = Some(Err(why.clone()));
        }
    }
}

fn no_thread() -> Unresolved {
    Unresolved::Unknown("could not start a thread for the resolver".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn open() -> AtomicBool {
        AtomicBool::new(false)
    }

    #[test]
    fn addresses_need_no_resolver() {
        let resolver = Resolver::default();
        let lookup = resolver.start([("::1", 7), ("10.0.0.1", 8)], LONG);
        assert_eq!(resolver.0.lock().threads, 0);
        let at = |text: &str| Ok(vec![text.parse::<SocketAddr>().unwrap()]);
        assert_eq!(lookup.finish(&open()), [at("[::1]:7"), at("10.0.0.1:8")]);
        let local = resolver.start([("localhost", 7)], LONG).finish(&open()).remove(0).unwrap();
        assert!(local.iter().all(|address| address.ip().is_loopback()), "{local:?}");
    }

    /// A node may announce as many names as it likes.
    #[test]
    fn many_names_take_few_threads() {
        let resolver = Resolver::default();
        let names: Vec<String> = (0..1000).map(|n| format!("127.{}", 66_000 + n)).collect();
        let lookup = resolver.start(names.iter().map(|name| (name.as_str(), 7)), LONG);
        assert!(resolver.0.lock().threads <= THREADS);
        let results = lookup.finish(&open());
        assert_eq!(results.len(), names.len());
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }

    #[test]
    fn names_that_nobody_waits_for_are_not_resolved() {
        let work = Arc::new(Mutex::new(Work { waiting: VecDeque::new(), threads: 1 }));
        let (answers, receiver) = mpsc::channel();
        let question = Question { at: 0, host: "a".into(), port: 7, answers, waiter: Weak::new() };
        work.lock().waiting.push_back(question);
        answer_all(&work);
        assert!(receiver.recv().is_err());
        assert_eq!(work.lock().threads, 0);
    }

    #[test]
    fn time_and_closing_end_the_wait() {
        let hung = |within| {
            let (sender, answers) = mpsc::channel();
            let until = Tick::now().after(within);
            let results = vec![Some(Ok(Vec::new())), None];
            (sender, Lookup { results, open: 1, answers, within, until, _waiter: Arc::new(()) })
        };
        let (_sender, lookup) = hung(Duration::ZERO);
        let slow = Err(Unresolved::Slow(Duration::ZERO));
        assert_eq!(lookup.finish(&open()), [Ok(Vec::new()), slow]);
        let (_sender, lookup) = hung(LONG);
        let results = lookup.finish(&AtomicBool::new(true));
        assert_eq!(results, [Ok(Vec::new()), Err(Unresolved::Stopped)]);
    }
}

//! What the Python objects of any protocol are built on: futures, event loops, threads, forks,
//! exceptions.
//!
//! Nothing here depends on a database. Generic code is generic over a `Protocol` of
//! `spikewire-transport` and over the tickets that the protocol's module completes
//! ([`promise::Completes`]).
//!
//! | module | contents |
//! |---|---|
//! | [`promise`] | the future that receives an outcome, whoever completes it |
//! | [`connections`], [`loop_entry`] | the connections of all event loops; which loop is running |
//! | [`driver`], [`event_loop`] | what such a loop calls, and what is called on it |
//! | [`submitter`], [`driver_thread`] | a background thread with a bounded number of calls |
//! | [`future`], [`waiters`] | the future of such a call; who waits for several of them |
//! | [`signal`] | signals while a calling thread waits detached from the interpreter |
//! | [`gil_fairness`], [`query_turns`] | priority of commands on single records over queries |
//! | [`lifecycle`], [`background`] | a client from connecting to closing; its background thread |
//! | [`registry`], [`forks`] | how pickles find their client; what belongs to a parent process |
//! | [`python_code`] | Python code called from native code, while the interpreter ends |
//! | [`once`] | values created once, without releasing the interpreter |
//! | [`keywords`], [`tls`] | helpers for keyword arguments; the encryption of connections |
//! | [`errors`] | exceptions |

pub mod background;
pub mod cached;
pub mod connections;
pub mod driver;
pub mod driver_thread;
pub mod errors;
pub mod event_loop;
pub mod forks;
pub mod future;
pub mod gil_fairness;
pub mod imports;
pub mod keywords;
pub mod lifecycle;
pub mod loop_entry;
pub mod promise;
pub mod python_code;
pub mod query_turns;
pub mod registry;
pub mod signal;
pub mod submitter;
pub mod tls;
pub mod waiters;

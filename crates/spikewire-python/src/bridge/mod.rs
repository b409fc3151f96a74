//! What the objects of any protocol ride on: futures, event loops, threads, forks, exceptions.
//!
//! Nothing here knows a database. What is generic is so over a `Protocol` of `spikewire-transport`
//! and over the tickets that its room completes ([`promise::Completes`]).
//!
//! | module | what it holds |
//! |---|---|
//! | [`promise`] | the future that an outcome goes to, whoever completes it |
//! | [`connections`] | the connections of one event loop, and what the loop does with them |
//! | [`driver`], [`event_loop`] | what such a loop calls, and what it is asked for |
//! | [`loops`], [`loop_note`] | the connections of all event loops of a client, and which loop runs |
//! | [`submitter`], [`driver_thread`] | a thread of its own, with a bounded number of calls in flight |
//! | [`future`] | what such calls return |
//! | [`signal`] | a calling thread that waits without the interpreter |
//! | [`gil_fairness`], [`turns`] | commands on single records go before what reads many |
//! | [`lifecycle`], [`background`] | a client from connecting to closing, and the thread it has |
//! | [`registry`], [`forks`] | how pickles find their client; what belongs to a parent process |
//! | [`kept`] | what is made once, without letting go of the interpreter |
//! | [`words`], [`tls`] | what keywords have in common; how connections are encrypted |
//! | [`errors`] | exceptions |

pub mod background;
pub mod connections;
pub mod driver;
pub mod driver_thread;
pub mod errors;
pub mod event_loop;
pub mod forks;
pub mod future;
pub mod gil_fairness;
pub mod kept;
pub mod lifecycle;
pub mod loop_note;
pub mod loops;
pub mod promise;
pub mod registry;
pub mod signal;
pub mod submitter;
pub mod tls;
pub mod turns;
pub mod words;

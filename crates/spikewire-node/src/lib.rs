//! The native half of the npm package: JavaScript values to and from wire buffers.
//!
//! A function here parses its arguments, composes a request and passes it to a driver; there is no
//! logic that another language would have to repeat. Promises and classes are created in JavaScript
//! (`node/src`); a call is known here by the number of its slot.
//!
//! | module | what it holds |
//! |---|---|
//! | [`aerospike`] | Aerospike: clients, verbs, queries, the embedded cluster |
//! | [`cql`] | Cassandra: sessions, statements, rows |
//! | [`register`], [`exports`] | initialisation; the functions exported to JavaScript |
//! | [`setup`], [`hooks`] | setup by the package; its functions called from here |
//! | [`environment`], [`binding`] | the state of one JavaScript environment, which calls carry |
//! | [`connecting`] | what keeps the environment alive until a client or session is connected |
//! | [`driver`], [`outbox`] | drivers of connections, and results that wait for JavaScript |
//! | [`arguments`], [`tables`], [`tls`] | arguments of calls; tables; TLS options |
//! | [`opening`] | settings of clients from URLs and variables |
//! | [`errors`] | JavaScript errors |
//! | [`signals`], [`stages`] | counters and events; the stages of calls seen here |
//! | [`js`], [`uv`] | Node-API and libuv |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![deny(unsafe_code)]

mod aerospike;
mod arguments;
mod binding;
mod connecting;
mod cql;
mod driver;
mod environment;
mod errors;
mod exports;
mod hooks;
mod js;
mod opening;
mod outbox;
mod register;
mod setup;
mod signals;
mod stages;
mod tables;
mod tls;
mod uv;

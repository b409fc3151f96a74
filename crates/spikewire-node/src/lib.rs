//! The native half of the npm package: JavaScript values to and from wire buffers.
//!
//! A function here parses its arguments, composes a request and passes it to a driver; there is no
//! logic that another language would have to repeat. Promises and classes are created in JavaScript
//! (`node/src`); a call is known here by the number of its slot.
//!
//! | module | what it holds |
//! |---|---|
//! | [`verbs`] | the verbs on one record |
//! | [`many`], [`batch`] | the verbs on many records, and their results |
//! | [`operation`], [`expression`] | operations and expressions |
//! | [`calls`] | their arguments and context paths |
//! | [`call`], [`record`] | conversion of replies |
//! | [`driver`], [`outbox`] | drivers of connections, and results that wait for JavaScript; for every protocol |
//! | [`ticket`] | tickets of Aerospike commands |
//! | [`client`] | a client |
//! | [`environment`], [`binding`] | the state of one JavaScript environment; its clients |
//! | [`setup`], [`hooks`] | setup by the package; its functions called from here |
//! | [`admin`] | info, truncation, secondary indexes, modules |
//! | [`cql`] | Cassandra |
//! | [`testing`], [`clusters`] | embedded clusters |
//! | [`key`], [`arguments`], [`value`] | keys, options and values |
//! | [`tls`] | TLS options |
//! | [`errors`] | JavaScript errors |
//! | [`exports`] | the functions exported to JavaScript |
//! | [`js`], [`uv`] | Node-API and libuv |

#![deny(unsafe_code)]

mod admin;
mod arguments;
mod batch;
mod binding;
mod call;
mod calls;
mod client;
mod clusters;
mod columns;
mod cql;
mod driver;
mod environment;
mod errors;
mod exports;
mod expression;
mod hooks;
mod js;
mod key;
mod many;
mod operation;
mod outbox;
mod query;
mod record;
mod resource;
mod setup;
mod testing;
mod ticket;
mod tls;
mod uv;
mod value;
mod verbs;

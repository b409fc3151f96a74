//! The native half of the npm package: JavaScript values to and from wire buffers.
//!
//! A function here parses its arguments, composes a request and hands it to a driver; there is no
//! logic that another language would have to repeat. Promises and classes are JavaScript's own
//! (`node/src`): a call is known here by the number of its slot.
//!
//! | module | what it holds |
//! |---|---|
//! | [`verbs`] | the verbs on one record |
//! | [`many`], [`batch`] | those on many, and what becomes of their rows |
//! | [`operation`], [`expression`] | what is to be done with the records |
//! | [`calls`] | what both of them are made of: arguments, paths |
//! | [`call`], [`record`] | what a reply becomes |
//! | [`driver`], [`outbox`] | who turns the connections, and what waits for JavaScript; for every protocol |
//! | [`ticket`] | what Aerospike's replies complete |
//! | [`client`] | a client |
//! | [`environment`], [`binding`] | what one JavaScript environment holds; the clients in it |
//! | [`setup`], [`hooks`] | what the package tells, and its functions that are called |
//! | [`admin`] | info, truncation, secondary indexes, modules |
//! | [`cql`] | Cassandra |
//! | [`testing`], [`clusters`] | the embedded cluster; those of an environment |
//! | [`key`], [`arguments`], [`value`] | what verbs are given |
//! | [`tls`] | how connections are encrypted |
//! | [`errors`] | what goes wrong, as JavaScript errors |
//! | [`exports`] | the functions that JavaScript sees |
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

//! The clients for Aerospike.
//!
//! | module | what it holds |
//! |---|---|
//! | [`value`] | JavaScript values to particles and back |
//! | [`space`], [`key`], [`arguments`] | namespace and set, keys, options |
//! | [`calls`], [`expression`], [`operation`] | what to do with the records |
//! | [`call`], [`record`], [`batch`] | conversion of replies |
//! | [`columns`] | records as columns |
//! | [`verbs`], [`many`], [`query`] | the verbs: on one record, on many, on a whole set |
//! | [`client`], [`ticket`] | a client, and the tickets of its commands |
//! | [`transaction`], [`transaction_stage`], [`single_row`] | transactions: their facts and end, their batches, their commands on one record |
//! | [`profiles`] | options of calls by kind of operation |
//! | [`recording`] | recordings of calls |
//! | [`admin`] | info, truncation, indexes, modules, users, roles |
//! | [`testing`] | the embedded cluster |

pub mod admin;
pub mod arguments;
pub mod batch;
pub mod call;
pub mod calls;
pub mod client;
pub mod columns;
pub mod expression;
pub mod key;
pub mod many;
pub mod operation;
pub mod profiles;
pub mod query;
pub mod record;
pub mod recording;
pub mod single_row;
pub mod space;
pub mod testing;
pub mod ticket;
pub mod transaction;
pub mod transaction_stage;
pub mod value;
pub mod verbs;

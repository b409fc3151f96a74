//! The clients for Aerospike.
//!
//! | module | contents |
//! |---|---|
//! | [`value`] | Python values to bytes and back |
//! | [`space`], [`key`], [`arguments`] | namespace and set, keys, keywords |
//! | [`calls`], [`expression`], [`operation`], [`rows`] | what to do with the records |
//! | [`record`], [`batch`], [`late`], [`record_type`] | results, and the type of a dataset's records |
//! | [`columns`] | records as arrays and tables, in both directions |
//! | [`call`], [`verbs`], [`many`], [`query`] | the verbs: on one record, on many, on a whole set |
//! | [`core`], [`client`], [`identity`], [`secrets`] | a client's core, its options, its identity |
//! | [`task`] | administrative commands and background jobs, as they run |
//! | [`api`] | what runs calls: the calling thread, an event loop, a background thread |
//! | [`transaction_stage`], [`transaction_call`] | the batches of transactions; calls that are part of one |
//! | [`admin`] | info, indexes, modules, users, roles |
//! | [`recording`] | recordings of calls |
//! | [`chain`] | steps of the builder |
//! | [`compat`] | per-row work of drop-ins for other clients |
//! | [`testing`] | the embedded cluster |

pub mod admin;
pub mod api;
pub mod arguments;
pub mod batch;
pub mod call;
pub mod calls;
pub mod chain;
pub mod client;
pub mod columns;
pub mod compat;
pub mod core;
pub mod expression;
pub mod identity;
pub mod key;
pub mod late;
pub mod many;
pub mod operation;
pub mod query;
pub mod record;
pub mod record_type;
pub mod recording;
pub mod rows;
pub mod secrets;
pub mod space;
pub mod task;
pub mod testing;
pub mod transaction_call;
pub mod transaction_stage;
pub mod value;
pub mod verbs;

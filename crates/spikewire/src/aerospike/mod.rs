//! The clients for Aerospike.
//!
//! From the lowest to the highest:
//!
//! | module | contents |
//! |---|---|
//! | `encode`, `key`, `record`, `row` | what is written and read |
//! | `words`, [`ctx`], `calls`, `expression`, `operation`, `function` | operations and expressions |
//! | `options`, `builder` | options of calls and of clients |
//! | `query_plan` | queries as they are sent and read |
//! | `span`, `administration` | what traces say of a call |
//! | `client_kind`, `verbs`, `many`, `batch`, `answer` | what both clients share |
//! | `transaction` | what transactions of both have in common |
//! | `blocking`, `asynchronous` | the clients |
//! | `opening` | clients from URLs and environment variables |
//! | `query`, `index`, `module`, `role`, `user`, `cluster` | what is done with either of them |

mod administration;
mod answer;
mod asynchronous;
mod batch;
mod blocking;
mod builder;
mod calls;
mod client_kind;
mod cluster;
pub mod ctx;
mod encode;
mod expression;
mod function;
mod index;
mod key;
mod many;
mod module;
mod opening;
mod operation;
mod options;
mod query;
mod query_plan;
mod record;
mod role;
mod row;
pub(crate) mod span;
mod step;
mod transaction;
mod user;
mod verbs;
mod words;

pub use asynchronous::{
    AdminFuture, AsyncClient, AsyncDataset, AsyncPages, AsyncRecords, AsyncTransaction, Pending,
    PendingBatch,
};
pub use batch::Batch;
pub use blocking::{Client, Dataset, Pages, Records, Transaction};
pub use builder::Builder;
pub use client_kind::ClientKind;
pub use cluster::Node;
pub use encode::Encode;
pub use expression::operand::Operand;
pub use expression::{Expression, exp};
pub use index::{Index, IndexType, Indexes, NewIndex};
pub use key::Key;
pub use module::{Module, Modules};
pub use opening::Opening;
pub use operation::{NumberKind, Operation, Order, Overflow, Returning, op};
pub use options::CallOptions;
pub use query::{Job, Progress, Query};
pub use spikewire_aerospike::query::{Access, Explanation as QueryPlan};
pub use spikewire_aerospike_protocol::query::Range as IndexValues;

pub use query_plan::{Collection, IndexOn, IndexRange, IndexValue, Page, QueryRecord};
pub use record::{Bin, Bins, Name, Record};
pub use role::{Privilege, PrivilegeKind, Role, Roles, privilege};
pub use row::Row;
pub use transaction::{
    CommitError, EndStatus, EndingPart, RecordError, RetryTransaction, TransactionState,
};
pub use user::{User, Users};

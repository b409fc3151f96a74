//! The part of the builder's steps that every call goes through: what was set on the steps, and how
//! it becomes a call. Handling of many results is in Python, in `spikewire/builder`.
//!
//! A step on one key calls the implementation of the verb, unless verbs of the client were replaced
//! (by a view, a subclass or a mock): then it calls those, with the same arguments.
//!
//! | module | contents |
//! |---|---|
//! | [`verb`] | which verbs begin a step |
//! | [`home`] | the client that chains are of, and how steps reach its verbs |
//! | [`kinds`], [`kept`] | the classes of steps of a face |
//! | [`session`] | where chains begin |
//! | [`step`] | what every step has: its keys, its options, the steps before it |
//! | [`rows`] | steps on keys, which others may follow |
//! | [`read`], [`write`](mod@write), [`plain`] | the steps, and the calls of those on one key |
//! | [`spares`] | steps that are gone, to be filled again |
//! | [`link`] | the steps before one |
//! | [`batch`] | a chain, as rows of a batch |

mod batch;
mod home;
mod kept;
mod kinds;
mod link;
mod plain;
mod read;
mod rows;
mod session;
mod spares;
mod step;
mod verb;
mod write;

pub use batch::_send_chain;
pub use home::StepKinds;
pub use plain::PlainBase;
pub use read::ReadBase;
pub use rows::RowsBase;
pub use session::SessionBase;
pub use step::StepBase;
pub use write::WriteBase;

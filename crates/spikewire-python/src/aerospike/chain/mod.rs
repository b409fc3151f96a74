//! The part of the builder's steps that every call goes through: what was set on the steps, and how
//! it becomes a call. Handling of many results is in Python, in `spikewire/builder`.
//!
//! A step on one key calls the implementation of the verb, unless verbs of the client were replaced
//! (by a view, a subclass or a mock): then it calls those, with the same arguments.
//!
//! | module | contents |
//! |---|---|
//! | [`verb`] | the verbs that begin a step |
//! | [`home`] | the client to which a chain belongs, and how steps call its verbs |
//! | [`kinds`] | the step classes of the blocking or the asyncio builder |
//! | [`session`] | where chains begin |
//! | [`step`] | what all steps have: keys, options, the steps before |
//! | [`rows`] | steps on keys, which other steps may follow |
//! | [`read`], [`write`](mod@write), [`plain`] | the steps, and their calls on one key |
//! | [`link`] | the steps before a step |
//! | [`batch`] | a chain as the rows of a batch |

mod batch;
pub mod home;
mod kinds;
mod link;
mod plain;
mod read;
mod rows;
mod session;
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

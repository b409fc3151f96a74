//! The sessions: their methods are generated from `tools/verbs/cql.toml`.
//!
//! | module | contents |
//! |---|---|
//! | [`session`] | the sessions, and what their methods do |
//! | [`methods`] | their methods |

mod methods;
pub mod session;

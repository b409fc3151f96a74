//! Rust types as values: binding to statements, and reading from columns.
//!
//! | file | what it holds |
//! |---|---|
//! | `to_value` | [`ToValue`]: what can be bound |
//! | `from_value` | [`FromValue`]: what columns can be read as |
//! | `reads` | … scalars |
//! | `containers` | … options, lists, sets, maps, tuples |
//! | `any` | … [`Value`](spikewire_cql::value::Value) |
//! | `unreadable` | why one cannot be read as that |

mod any;
mod containers;
mod from_value;
mod reads;
mod to_value;
mod unreadable;

pub(crate) use from_value::read;
pub use from_value::{As, FromValue};
pub use to_value::ToValue;
pub use unreadable::Unreadable;
pub(crate) use unreadable::unreadable;

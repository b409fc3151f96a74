//! Values as Rust types: what can be bound to statements, and what columns can be read as.
//!
//! | module | contents |
//! |---|---|
//! | `to_value` | [`ToValue`]: what can be bound |
//! | `from_value` | [`FromValue`]: what columns can be read as |
//! | `reads` | … scalars |
//! | `containers` | … options, lists, sets, maps, tuples |
//! | `any` | … [`Value`](spikewire_cql::value::Value) |
//! | `unreadable` | why a column cannot be read as a type |

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

//! A thin Rust layer over Node-API, with only what the binding needs.
//!
//! Node-API is called directly rather than through a framework: an operation costs about a
//! microsecond here, and a framework's classes and promises would cost as much again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`call`] | a call from JavaScript: its arguments, its result, its exception |
//! | [`failure`] | reasons to reject a call |
//! | [`handle`] | the environment and its values |
//! | [`function`] | references to JavaScript functions |
//! | [`read`], [`create`] | reading values, creating values |
//! | `shared` | memory that threads share |
//! | [`scope`] | scopes around work started by the event loop |
//! | [`wake`] | waking the environment from another thread |
//! | [`work`] | work off the event loop's thread |

#![expect(unsafe_code, reason = "Node-API is a C interface")]

pub mod call;
pub mod create;
pub mod failure;
pub mod function;
pub mod handle;
pub mod read;
pub mod scope;
mod shared;
pub mod wake;
pub mod work;

pub use call::{Call, Export};
pub use failure::{Failure, Result};
pub use function::{Function, OwnFunction};
pub use handle::{Env, Value};
pub use read::Type;

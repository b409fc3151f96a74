//! Node-API in Rust terms: what the rest of the binding needs of it, and no more.
//!
//! Functions are called directly, without classes and promises of a framework: an operation costs
//! about a microsecond here, and those cost as much again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`call`] | a call from JavaScript: its arguments, its result, its exception |
//! | [`failure`] | why a call is refused |
//! | [`handle`] | the environment and its values |
//! | [`function`] | JavaScript functions that are kept and called |
//! | [`look`], [`make`] | looks at values, makes values |
//! | [`register`] | what is called when the library is loaded |
//! | [`scope`] | the scopes around work that the event loop begins |
//! | [`wake`] | another thread that wakes the environment |
//! | [`work`] | work off the event loop's thread |

#![expect(unsafe_code, reason = "Node-API is a C interface")]

pub mod call;
pub mod failure;
pub mod function;
pub mod handle;
pub mod look;
pub mod make;
mod register;
pub mod scope;
pub mod wake;
pub mod work;

pub use call::{Call, Export};
pub use failure::{Failure, Result};
pub use function::Function;
pub use handle::{Env, Value};
pub use look::Type;

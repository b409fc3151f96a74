//! libuv, the event loop of Node.js: the handles that a driver needs.
//!
//! | module | what it holds |
//! |---|---|
//! | [`event_loop`] | an environment's event loop, with a count of its open handles |
//! | [`library`] | libuv's functions, found at run time: not every JavaScript runtime has them |
//! | [`handle`] | handles: creating, starting, stopping, closing |

#![expect(unsafe_code, reason = "libuv is a C interface")]

pub mod event_loop;
pub mod handle;
mod library;

pub use event_loop::Loop;
pub use handle::Handles;
pub use library::Library;

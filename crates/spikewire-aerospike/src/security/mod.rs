//! Connections to a cluster with security: encryption and login.
//!
//! | file | what it holds |
//! |---|---|
//! | `credentials` | what is sent of it: made once for a client |
//! | `session` | what a node gave for it: a token, which further connections show |
//! | `handshake` | what a connection says before its first command |
//! | `access` | all of this for one node |

mod access;
mod credentials;
mod handshake;
mod session;

pub(crate) use access::{Access, Gate, name_of};
pub use credentials::Credentials;
pub(crate) use handshake::LoginHandshake;
pub(crate) use session::LoginRejection;

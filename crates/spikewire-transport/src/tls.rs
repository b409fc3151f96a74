//! Encrypted connections.

/// How a connection is encrypted, and whom it must lead to.
#[derive(Debug, Clone)]
pub enum Encryption {}

//! What requests ask for.

/// What a request asks for, as far as the format of its reply depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// Records or rows.
    #[default]
    Data,
    /// A message to one node in the format of data, such as the start of a background job.
    Message,
    /// Users and roles.
    Accounts,
    /// Text about a node or the cluster.
    Info,
}

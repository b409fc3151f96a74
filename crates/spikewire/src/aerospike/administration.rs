//! Administrative commands, as spans describe them.

/// The description of an administrative command, for its span.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "only spans read it"))]
pub struct Administration<'a> {
    pub(crate) operation: &'static str,
    /// Empty for the whole cluster.
    pub(crate) namespace: &'a str,
    /// Empty for no set, or for all.
    pub(crate) set: &'a str,
}

impl Administration<'static> {
    /// For the whole cluster.
    pub(crate) fn of(operation: &'static str) -> Self {
        Self { operation, namespace: "", set: "" }
    }
}

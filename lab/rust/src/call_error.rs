//! Errors of calls, which the results count.

/// Why a call failed.
pub struct CallError {
    pub text: String,
    /// Whether it failed because of a timeout of the client or the server.
    pub timed_out: bool,
}

impl From<String> for CallError {
    fn from(text: String) -> Self {
        Self { text, timed_out: false }
    }
}

//! The methods of the sessions. `tools/generate.py` writes the files from `tools/verbs/cql.toml`.

#[macro_use]
mod statement_verbs;

mod async_session_core;
mod session_core;
mod session_submit;

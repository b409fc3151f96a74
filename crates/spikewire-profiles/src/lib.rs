//! Profiles: named sets of options by kind of operation. `docs/profiles.md` has the rules; hosts
//! pass the options on to their verbs.
//!
//! | module | contents |
//! |---|---|
//! | [`kinds`] | verbs, their options, and the sections that apply to each |
//! | `values` | the check of an option's value, as the verbs check it |
//! | [`profile`] | the sections of a profile, checked: its settings |
//! | [`calls`] | which settings a call has, and what it would use in all |
//! | [`mod@file`] | profiles in TOML and YAML files, with the lines of mistakes |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod calls;
pub mod file;
pub mod kinds;
pub mod profile;
mod values;

pub use values::check;

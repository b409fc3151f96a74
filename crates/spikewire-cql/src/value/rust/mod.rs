//! Rust types as values to send.
//!
//! | file | contents |
//! |---|---|
//! | `scalars` | numbers, text, bytes, addresses; [`Unset`] and this crate's own types |
//! | `containers` | options, references, lists, sets, maps, tuples |

mod containers;
mod scalars;

pub use scalars::{Date, Time, Timestamp, Unset, Uuid};

use std::fmt::Debug;

use super::source::Unfit;
use crate::value::EncodeError;

type SourceResult<T = ()> = Result<T, Unfit<EncodeError>>;

/// A short description of a value.
pub(super) fn brief(value: impl Debug) -> String {
    shortened(format!("{value:?}"))
}

pub(super) fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(60) {
        text.truncate(end);
        text.push('…');
    }
    text
}

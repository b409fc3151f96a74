//! Values of Rust's own types, to send.
//!
//! | file | what it holds |
//! |---|---|
//! | `scalars` | numbers, text, bytes, addresses; [`Unset`] and the types of this crate |
//! | `containers` | options, references, lists, sets, maps, tuples |

mod containers;
mod scalars;

pub use scalars::{Date, Time, Timestamp, Unset, Uuid};

use std::fmt::Debug;

use super::source::Unfit;
use crate::value::Misfit;

type Taken<T = ()> = Result<T, Unfit<Misfit>>;

/// A value in a few words.
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

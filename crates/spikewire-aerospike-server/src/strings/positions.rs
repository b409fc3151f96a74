//! Code points of a string, and where they are in it.

use std::ops::Range;

/// The number of code points.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

/// Where a position is in a string of this many code points: from 0 to that number.
pub fn within(position: i64, length: usize) -> usize {
    let length = length as i64;
    let position = if position < 0 { length + position } else { position };
    position.clamp(0, length) as usize
}

/// Where a code point begins in bytes; the end of the string for the one after its last.
pub fn byte_of(text: &str, at: usize) -> usize {
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}

/// The bytes of the code points from `start` up to `end`, or to the end.
pub fn between(text: &str, start: i64, end: Option<i64>) -> Range<usize> {
    let length = length(text);
    let start = within(start, length);
    let end = end.map_or(length, |end| within(end, length)).max(start);
    let first = byte_of(text, start);
    first..first + byte_of(&text[first..], end - start)
}

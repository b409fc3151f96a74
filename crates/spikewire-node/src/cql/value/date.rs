//! Dates as text in ISO 8601: `2024-02-29`. Years outside 0 to 9999 have a sign and six or more
//! digits, as in JavaScript.

use spikewire_cql::value::calendar::{date_of, days_to};

/// The date that is this many days after 1970-01-01.
pub fn text(days: i32) -> String {
    let (year, month, day) = date_of(days.into());
    if (0..=9999).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:+07}-{month:02}-{day:02}")
    }
}

/// The number of days from 1970-01-01 to a date; `None` if the text is not a date.
pub fn days(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => (1, text),
    };
    let mut parts = rest.splitn(3, '-');
    let mut part = |digits: std::ops::RangeInclusive<usize>| {
        let part = parts.next()?;
        let is_number = digits.contains(&part.len()) && part.bytes().all(|it| it.is_ascii_digit());
        if is_number { part.parse::<i64>().ok() } else { None }
    };
    let is_long = rest.len() != text.len();
    let year = sign * part(if is_long { 6..=7 } else { 4..=4 })?;
    let (month, day) = (part(2..=2)?, part(2..=2)?);
    let date = (year, month as u8, day as u8);
    let days = days_to(date.0, date.1, date.2);
    // A month or a day that does not exist is another date.
    (date_of(days) == date).then_some(days)
}

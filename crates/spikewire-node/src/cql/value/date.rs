//! Dates as text in ISO 8601: `2024-02-29`. Years outside 0 to 9999 have a sign and six or more
//! digits, as in JavaScript.

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// The number of days in 400 years.
const ERA: i64 = 146_097;

/// The date that is this many days after 1970-01-01.
pub fn text(days: i32) -> String {
    let days = i64::from(days) + EPOCH;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
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
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    // With years that begin in March, the leap day is the last day.
    let year = year - i64::from(month <= 2);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some(year.div_euclid(400) * ERA + of_era - EPOCH)
}

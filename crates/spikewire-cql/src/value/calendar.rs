//! The Gregorian calendar: CQL counts the days since 1970-01-01.

/// Nanoseconds per day.
pub const DAY: i64 = 86_400_000_000_000;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// The number of days in 400 years.
const ERA: i64 = 146_097;

/// Year, month and day of the date that is this many days after 1970-01-01. For the days of every
/// `date` and `timestamp`.
pub fn date_of(days: i64) -> (i64, u8, u8) {
    let days = days + EPOCH;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month as u8, day as u8)
}

/// The number of days from 1970-01-01 to a date.
pub fn days_to(year: i64, month: u8, day: u8) -> i64 {
    // If years begin in March, the leap day is the last day of a year.
    let year = year - i64::from(month <= 2);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    let of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    year.div_euclid(400) * ERA + of_era - EPOCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (19_782, (2024, 2, 29)),
            (11_016, (2000, 2, 29)),
            (-719_468, (0, 3, 1)),
            (-719_469, (0, 2, 29)),
            (i64::from(i32::MAX), (5_881_580, 7, 11)),
            (i64::from(i32::MIN), (-5_877_641, 6, 23)),
        ] {
            assert_eq!(date_of(days), date);
            assert_eq!(days_to(date.0, date.1, date.2), days);
        }
        for days in -800_000..800_000 {
            let (year, month, day) = date_of(days);
            assert_eq!(days_to(year, month, day), days);
        }
    }
}

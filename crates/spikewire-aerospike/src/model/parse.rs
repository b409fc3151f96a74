//! Parses keywords, durations and counts from arguments of callers in any language, with the error
//! messages for invalid ones.

use std::fmt::Display;
use std::time::Duration;

use spikewire_aerospike_protocol::query::Collection;

use super::ReplicaPolicy;
use super::{ExistsRule, InvalidArgument, ReadMode, Ttl};

/// 100 years: far beyond any use, and safe to add to any clock.
const LONGEST_SPAN: f64 = 3.2e9;

/// The replica policy with this name.
pub fn replica(word: &str) -> Result<ReplicaPolicy, InvalidArgument> {
    let known = [
        ("master", ReplicaPolicy::Master),
        ("sequence", ReplicaPolicy::Sequence),
        ("any", ReplicaPolicy::Any),
        ("prefer-rack", ReplicaPolicy::PreferRack),
    ];
    named("replica", &known, word)
}

/// The read mode with this name.
pub fn read_mode(word: &str) -> Result<ReadMode, InvalidArgument> {
    let known = [
        ("one", ReadMode::One),
        ("all", ReadMode::All),
        ("session", ReadMode::Session),
        ("linearize", ReadMode::Linearize),
        ("allow_replica", ReadMode::AllowReplica),
        ("allow_unavailable", ReadMode::AllowUnavailable),
    ];
    named("read_mode", &known, word)
}

/// The existence rule with this name.
pub fn exists(word: &str) -> Result<ExistsRule, InvalidArgument> {
    let known = [
        ("merge", ExistsRule::Merge),
        ("create", ExistsRule::Create),
        ("update", ExistsRule::Update),
        ("replace", ExistsRule::Replace),
        ("replace_only", ExistsRule::ReplaceOnly),
    ];
    named("exists", &known, word)
}

/// The TTL with this name; `None`: no such name.
pub fn ttl(word: &str) -> Option<Ttl> {
    match word {
        "default" => Some(Ttl::Default),
        "never" => Some(Ttl::Never),
        "unchanged" => Some(Ttl::Unchanged),
        _ => None,
    }
}

/// The part of a bin to index with this name.
pub fn collection(word: &str) -> Result<Collection, InvalidArgument> {
    let known = [
        ("list", Collection::List),
        ("mapkeys", Collection::MapKeys),
        ("mapvalues", Collection::MapValues),
    ];
    named("of", &known, word)
}

/// A duration in seconds; `text` is the value as the caller wrote it.
pub fn seconds(what: &str, number: f64, text: impl Display) -> Result<Duration, InvalidArgument> {
    if !(0.0..=LONGEST_SPAN).contains(&number) {
        return Err(InvalidArgument::of_value(format!(
            "{what} must be a number of seconds from 0 to 3.2e9, got {text}"
        )));
    }
    // Zero often means no limit, so values above zero must not be rounded to it.
    let least = Duration::from_nanos(u64::from(number > 0.0));
    Ok(Duration::from_secs_f64(number).max(least))
}

/// The same in milliseconds, for hosts that use them.
pub fn milliseconds(
    what: &str,
    number: f64,
    text: impl Display,
) -> Result<Duration, InvalidArgument> {
    if !(0.0..=LONGEST_SPAN * 1e3).contains(&number) {
        return Err(InvalidArgument::of_value(format!(
            "{what} must be a number of milliseconds from 0 to 3.2e12, got {text}"
        )));
    }
    seconds(what, number / 1e3, text)
}

/// A count within bounds; `None` is a value that does not fit a count. `text` is the value as the
/// caller wrote it.
pub fn count(
    what: &str,
    count: Option<u64>,
    (least, most): (u64, u64),
    text: impl Display,
) -> Result<u64, InvalidArgument> {
    let within = count.filter(|count| (least..=most).contains(count));
    within.ok_or_else(|| {
        InvalidArgument::of_value(format!("{what} must be from {least} to {most}, got {text}"))
    })
}

/// Looks up a name; the error lists all names.
fn named<T: Copy>(what: &str, known: &[(&str, T)], word: &str) -> Result<T, InvalidArgument> {
    let value = known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    value.ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("'{name}'")).collect();
        let (last, first) = names.split_last().expect("something has a name");
        let first = first.join(", ");
        InvalidArgument::of_value(format!("{what} must be {first} or {last}, got {word:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(replica("prefer-rack"), Ok(ReplicaPolicy::PreferRack));
        assert_eq!(
            replica("nearest").unwrap_err().message(),
            "replica must be 'master', 'sequence', 'any' or 'prefer-rack', got \"nearest\""
        );
        assert_eq!((ttl("never"), ttl("for ever")), (Some(Ttl::Never), None));
        assert_eq!(collection("mapkeys").unwrap().name(), "mapkeys");
    }

    #[test]
    fn spans() {
        assert_eq!(seconds("timeout", 1.5, 1.5), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("timeout", 1e-12, 1e-12), Ok(Duration::from_nanos(1)));
        assert_eq!(seconds("timeout", 0.0, 0), Ok(Duration::ZERO));
        for odd in [-1.0, f64::NAN, f64::INFINITY, 3.3e9] {
            let error = seconds("timeout", odd, odd).unwrap_err();
            assert!(error.message().contains(&format!("got {odd}")), "{error}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(count("limit", Some(3), (1, 3), 3), Ok(3));
        for odd in [Some(0), Some(4), None] {
            let error = count("limit", odd, (1, 3), "x").unwrap_err();
            assert_eq!(error.message(), "limit must be from 1 to 3, got x");
        }
    }
}

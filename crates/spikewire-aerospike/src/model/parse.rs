//! Parses keywords from arguments of callers in any language, with the error messages for invalid
//! ones.

use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::query::Collection;
pub use spikewire_options::parse::{count, milliseconds, named, seconds, unknown};

use super::{ExistsRule, InvalidArgument, ReadMode, Ttl};
use super::{ReplicaPolicy, ShareReads};

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

/// Which requests reads share, by name.
pub fn share_reads(word: &str) -> Result<ShareReads, InvalidArgument> {
    let known = [
        ("off", ShareReads::Off),
        ("unsent", ShareReads::Unsent),
        ("in_flight", ShareReads::InFlight),
    ];
    named("share_reads", &known, word)
}

/// How much servers are asked to say about errors, by name.
pub fn error_details(word: &str) -> Result<DetailLevel, InvalidArgument> {
    named("error_details", &DetailLevel::NAMES, word)
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
}

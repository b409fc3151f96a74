//! Rules of a command: TTL, expected generation, existence, consistency of reads.

use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::message::{Header, info1, info2, info3};

use super::InvalidArgument;
use super::{Policy, ReplicaPolicy};

/// The TTL of a record after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ttl {
    /// The namespace's default.
    #[default]
    Default,
    /// Never expires.
    Never,
    /// Keeps the current expiry.
    Unchanged,
    /// This TTL: whole seconds, from 1 s to 10 years.
    For(Duration),
}

impl Ttl {
    /// A TTL in seconds; `text` is the value as the caller wrote it, for the message.
    pub fn seconds(whole: i64, text: impl Display) -> Result<Self, InvalidArgument> {
        match u64::try_from(whole) {
            Ok(seconds) if (1..=u64::from(limits::TTL_SECONDS)).contains(&seconds) => {
                Ok(Self::For(Duration::from_secs(seconds)))
            }
            _ => Err(InvalidArgument::of_value(format!(
                "ttl must be from 1 to {} seconds (10 years), got {text}; 'never' is the TTL of \
                 records that do not expire, 'default' the namespace's own",
                limits::TTL_SECONDS
            ))),
        }
    }

    /// Expiry at a time in seconds since 1970, rounded up. `text` is the value as the caller wrote
    /// it.
    pub fn until(moment: f64, text: impl Display) -> Result<Self, InvalidArgument> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        if moment <= now {
            let message = format!("ttl must end in the future, got {text}");
            return Err(InvalidArgument::of_value(message));
        }
        // Values beyond 64 bits are beyond 10 years as well.
        Self::seconds((moment - now).ceil() as i64, text)
    }

    /// The expiration field of a write.
    pub fn slot(self) -> Result<u32, InvalidArgument> {
        let span = match self {
            Self::Default => return Ok(limits::TTL_DEFAULT),
            Self::Never => return Ok(limits::TTL_NEVER),
            Self::Unchanged => return Ok(limits::TTL_UNCHANGED),
            Self::For(span) => span,
        };
        if span.subsec_nanos() != 0 {
            return Err(InvalidArgument::of_value(format!(
                "ttl must be whole seconds, got {span:?}"
            )));
        }
        let seconds = i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
        Self::seconds(seconds, format_args!("{span:?}"))?;
        Ok(seconds as u32)
    }
}

impl From<Duration> for Ttl {
    fn from(span: Duration) -> Self {
        Self::For(span)
    }
}

/// The generation that a record must have for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GenerationRule {
    /// Any.
    #[default]
    Any,
    /// This one; 0: the record must not exist.
    Equals(u32),
    /// Any lower one.
    Newer(u32),
}

impl GenerationRule {
    /// Rejects values that cannot be encoded.
    pub fn check(self) -> Result<(), InvalidArgument> {
        let (least, generation) = match self {
            Self::Any => return Ok(()),
            Self::Equals(generation) => (0, generation),
            Self::Newer(generation) => (1, generation),
        };
        if (least..=0xFFFF).contains(&generation) {
            return Ok(());
        }
        Err(Self::out_of_bounds(least, generation))
    }

    /// The error for a number that is no generation; `text` is the value as the caller wrote it.
    pub fn out_of_bounds(least: u32, text: impl Display) -> InvalidArgument {
        InvalidArgument::of_value(format!("generation must be from {least} to 65535, got {text}"))
    }

    fn apply(self, header: &mut Header) -> Result<(), InvalidArgument> {
        self.check()?;
        match self {
            Self::Any => {}
            Self::Equals(generation) => {
                header.generation = generation;
                header.info2 |= info2::GENERATION;
            }
            Self::Newer(generation) => {
                header.generation = generation;
                header.info2 |= info2::GENERATION_GT;
            }
        }
        Ok(())
    }
}

/// What a write does depending on whether the record exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ExistsRule {
    /// Creates the record, or updates the given bins and keeps the others.
    #[default]
    Merge,
    /// Only creates: fails with `RECORD_EXISTS` if the record exists.
    Create,
    /// Only updates: fails with `NOT_FOUND` if the record is missing.
    Update,
    /// Creates or replaces the record: other bins are removed.
    Replace,
    /// Only replaces: fails with `NOT_FOUND` if the record is missing.
    ReplaceOnly,
}

impl ExistsRule {
    fn apply(self, header: &mut Header) {
        match self {
            Self::Merge => {}
            Self::Create => header.info2 |= info2::CREATE_ONLY,
            Self::Update => header.info3 |= info3::UPDATE_ONLY,
            Self::Replace => header.info3 |= info3::CREATE_OR_REPLACE,
            Self::ReplaceOnly => header.info3 |= info3::REPLACE_ONLY,
        }
    }
}

/// The header of a write with these rules.
#[inline]
pub(crate) fn write_header(
    ttl: Ttl,
    generation: GenerationRule,
    exists: ExistsRule,
    durable: bool,
) -> Result<Header, InvalidArgument> {
    let mut header = Header { info2: info2::WRITE, ttl: ttl.slot()?, ..Header::default() };
    generation.apply(&mut header)?;
    exists.apply(&mut header);
    if durable {
        header.info2 |= info2::DURABLE_DELETE;
    }
    Ok(header)
}

/// The consistency of a read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadMode {
    /// The version on the node; in strongly consistent namespaces the same as `Session`.
    #[default]
    One,
    /// The latest version of all replicas, if they may differ.
    All,
    /// Strong consistency: never older than what this client has seen.
    Session,
    /// Strong consistency: never older than what any client has seen.
    Linearize,
    /// Strong consistency: replicas may be read.
    AllowReplica,
    /// Strong consistency: unavailable partitions may be read, too.
    AllowUnavailable,
}

impl ReadMode {
    /// Whether a reply must not be older than what was read before.
    pub(crate) fn is_current(self) -> bool {
        matches!(self, Self::Session | Self::Linearize)
    }

    /// The error for such a read that may share a request on its way.
    #[cold]
    pub(crate) fn cannot_share() -> InvalidArgument {
        InvalidArgument::of_value(
            "share_reads 'in_flight' cannot be combined with read_mode 'linearize' or 'session': \
             the reply may be older than the call; 'unsent' can",
        )
    }

    /// Sets it in a request, and routes that to a replica that can satisfy it.
    pub(crate) fn apply(self, header: &mut Header, policy: &mut Policy) {
        match self {
            Self::One => {}
            Self::All => header.info1 |= info1::READ_MODE_AP_ALL,
            // Only the master can guarantee this.
            Self::Session => policy.replica = ReplicaPolicy::Master,
            Self::Linearize => {
                header.info3 |= info3::SC_READ_TYPE;
                if policy.replica == ReplicaPolicy::PreferRack {
                    policy.replica = ReplicaPolicy::Sequence;
                }
            }
            Self::AllowReplica => header.info3 |= info3::SC_READ_RELAX,
            Self::AllowUnavailable => header.info3 |= info3::SC_READ_TYPE | info3::SC_READ_RELAX,
        }
    }
}

/// Whether a read renews the record's TTL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadTouch {
    /// The server's setting.
    #[default]
    Default,
    /// Never.
    Never,
    /// If no more than this percentage of it is left, from 1 to 100.
    Percent(u8),
}

impl ReadTouch {
    /// A percentage, 0 for the server's default, or -1 for never; `text` is the value as the
    /// caller wrote it.
    pub fn percent(number: i64, text: impl Display) -> Result<Self, InvalidArgument> {
        match number {
            -1 => Ok(Self::Never),
            0 => Ok(Self::Default),
            1..=100 => Ok(Self::Percent(number as u8)),
            _ => Err(InvalidArgument::of_value(format!(
                "read_touch must be a percentage from 1 to 100, 0 for the server's default, or -1 \
                 for never, got {text}"
            ))),
        }
    }

    /// The expiration field of a read.
    pub(crate) fn slot(self) -> Result<u32, InvalidArgument> {
        match self {
            Self::Default => Ok(limits::TTL_DEFAULT),
            Self::Never => Ok(limits::TTL_NEVER),
            // 0 is not a valid percentage: it would mean the default.
            Self::Percent(0) => {
                Err(InvalidArgument::of_value("read_touch must be from 1 to 100 percent"))
            }
            Self::Percent(percent) => {
                Self::percent(percent.into(), percent)?;
                Ok(percent.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_live_must_be_in_range() {
        let seconds = |seconds| Ttl::For(Duration::from_secs(seconds)).slot();
        assert_eq!(seconds(1), Ok(1));
        assert_eq!(seconds(315_360_000), Ok(315_360_000));
        for odd in [0, 315_360_001, u64::MAX] {
            assert!(seconds(odd).is_err());
        }
        assert!(Ttl::For(Duration::from_millis(1500)).slot().is_err());
        assert!(Ttl::seconds(-1, "-1").unwrap_err().message().contains("got -1"));
        assert_eq!(Ttl::Never.slot(), Ok(u32::MAX));
        let past = Ttl::until(1.0, "1970").unwrap_err();
        assert_eq!(past.message(), "ttl must end in the future, got 1970");
        assert!(Ttl::until(4e9, "2096").unwrap_err().message().contains("10 years"));
    }

    #[test]
    fn generations_must_be_in_range() {
        for rule in [GenerationRule::Equals(0), GenerationRule::Newer(65_535), GenerationRule::Any]
        {
            assert_eq!(rule.check(), Ok(()));
        }
        for rule in [GenerationRule::Equals(65_536), GenerationRule::Newer(0)] {
            assert!(rule.check().is_err());
        }
    }

    #[test]
    fn write_options_set_header_bits() {
        let newer = GenerationRule::Newer(7);
        let header = write_header(Ttl::Unchanged, newer, ExistsRule::Create, true).unwrap();
        let bits = info2::WRITE | info2::GENERATION_GT | info2::CREATE_ONLY | info2::DURABLE_DELETE;
        assert_eq!((header.info2, header.generation), (bits, 7));
        assert_eq!(header.ttl, limits::TTL_UNCHANGED);
    }

    #[test]
    fn session_reads_go_to_the_master() {
        let mut header = Header::default();
        let mut policy = Policy { replica: ReplicaPolicy::Any, ..Policy::default() };
        ReadMode::Session.apply(&mut header, &mut policy);
        assert_eq!((header, policy.replica), (Header::default(), ReplicaPolicy::Master));
    }

    #[test]
    fn read_touch_percentages_must_be_in_range() {
        assert_eq!(ReadTouch::Percent(100).slot(), Ok(100));
        assert!(ReadTouch::Percent(101).slot().is_err());
        assert!(ReadTouch::Percent(0).slot().is_err());
        assert_eq!(ReadTouch::percent(-1, -1), Ok(ReadTouch::Never));
        assert!(ReadTouch::percent(-2, -2).unwrap_err().message().contains("got -2"));
    }
}

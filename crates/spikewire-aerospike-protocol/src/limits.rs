//! Limits enforced by servers. Checked on a live Community Edition 8.1.2.

/// Partitions in every namespace.
pub const PARTITIONS: usize = 4096;
/// Longest namespace name in bytes.
pub const NAMESPACE_NAME: usize = 31;
/// Longest set name in bytes.
pub const SET_NAME: usize = 63;
/// Longest bin name in bytes.
pub const BIN_NAME: usize = 15;
/// Longest index name in bytes.
pub const INDEX_NAME: usize = 63;
/// Longest name of a user, and of a role, in bytes.
pub const USER_NAME: usize = 63;
/// Most distinct bins in one record.
pub const BINS_PER_RECORD: usize = 32_767;
/// Most operations in one command.
pub const OPS_PER_COMMAND: usize = 32_768;
/// Default `max-record-size` of a namespace, in bytes.
pub const RECORD_SIZE: usize = 1 << 20;
/// Longest TTL a server accepts, in seconds (10 years).
pub const TTL_SECONDS: u32 = 315_360_000;
/// Seconds from the Unix epoch to 2010-01-01T00:00:00Z, the epoch of void times.
pub const EPOCH_2010: u64 = 1_262_304_000;
/// Most steps of a path expression.
pub const PATH_STEPS: usize = 64;
/// Deepest nesting of lists and maps that the decoders follow.
pub const NESTING: usize = 128;

/// Expiration field: use the namespace's default TTL.
pub const TTL_DEFAULT: u32 = 0;
/// Expiration field: never expire.
pub const TTL_NEVER: u32 = 0xFFFF_FFFF;
/// Expiration field: keep the record's current expiry.
pub const TTL_UNCHANGED: u32 = 0xFFFF_FFFE;

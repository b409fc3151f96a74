//! Flags of lists and maps: order and write flags.

/// Ordered: a sorted list, or a map sorted by key.
pub const ORDERED: u8 = 0x01;
/// Map also sorted by value; combined with [`ORDERED`].
pub const VALUE_ORDERED: u8 = 0x02;
/// Result map whose pairs are in the order in which the operation found them.
pub const PRESERVE_ORDER: u8 = 0x08;
/// Store an index with the list or map; top level of a bin only.
pub const PERSIST_INDEX: u8 = 0x10;

/// List write flags.
pub mod list_write {
    /// Reject values that are already in the list.
    pub const ADD_UNIQUE: i64 = 1;
    /// Reject an index beyond the end.
    pub const INSERT_BOUNDED: i64 = 2;
    /// Skip rejected values instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// With [`NO_FAIL`]: apply the values that are not rejected.
    pub const PARTIAL: i64 = 8;
}

/// List sort flags.
pub mod list_sort {
    /// Largest first.
    pub const DESCENDING: i64 = 1;
    /// Keep one of several equal values.
    pub const DROP_DUPLICATES: i64 = 2;
}

/// Map write flags.
pub mod map_write {
    /// Reject existing keys.
    pub const CREATE_ONLY: i64 = 1;
    /// Reject missing keys.
    pub const UPDATE_ONLY: i64 = 2;
    /// Skip rejected values instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// With [`NO_FAIL`]: apply the pairs that are not rejected.
    pub const PARTIAL: i64 = 8;
}

//! Flags of lists and maps: their order, and what a write may do.

/// A list or a map sorted by key is ordered.
pub const ORDERED: u8 = 0x01;
/// A map sorted by value too; goes with [`ORDERED`].
pub const VALUE_ORDERED: u8 = 0x02;
/// A result map whose pairs stand in the order the operation found them.
pub const PRESERVE_ORDER: u8 = 0x08;
/// Keep an index with the list or map; at the top of a bin only.
pub const PERSIST_INDEX: u8 = 0x10;

/// What a list write may do.
pub mod list_write {
    /// Refuse values that are there already.
    pub const ADD_UNIQUE: i64 = 1;
    /// Refuse an index beyond the end.
    pub const INSERT_BOUNDED: i64 = 2;
    /// Leave out what is refused, instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// With [`NO_FAIL`]: apply the rest of several values.
    pub const PARTIAL: i64 = 8;
}

/// How to sort a list.
pub mod list_sort {
    /// Largest first.
    pub const DESCENDING: i64 = 1;
    /// Keep one of several equal values.
    pub const DROP_DUPLICATES: i64 = 2;
}

/// What a map write may do.
pub mod map_write {
    /// Refuse keys that are there already.
    pub const CREATE_ONLY: i64 = 1;
    /// Refuse keys that are not there.
    pub const UPDATE_ONLY: i64 = 2;
    /// Leave out what is refused, instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// With [`NO_FAIL`]: apply the rest of several pairs.
    pub const PARTIAL: i64 = 8;
}

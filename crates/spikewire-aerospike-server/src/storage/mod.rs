//! Storage of records.
//!
//! | module | what it holds |
//! |---|---|
//! | [`record`] | one record as one block of bytes |
//! | [`table`] | the records one node holds of one partition |
//! | [`partition`] | all copies of a partition behind one lock |
//! | [`locked`] | a partition while it is locked: where records change |
//! | [`namespace`] | 4,096 partitions, sets, limits |
//! | [`sets`] | set names and their numbers |
//! | [`bins`] | a record's bins while a command edits them |
//! | [`walk`] | a partition's records in the order of scans |
//! | [`device`] | how large a record is where servers store it |
//! | [`clock`] | the time of this cluster |

pub mod bins;
pub mod clock;
pub mod device;
pub mod locked;
pub mod namespace;
pub mod partition;
pub mod record;
pub mod sets;
pub mod table;
pub mod walk;

//! Storage of records.
//!
//! | module | what it holds |
//! |---|---|
//! | [`table`] | the records one node holds of one partition |
//! | [`partition`] | all copies of a partition behind one lock |
//! | [`locked_partition`] | a partition while it is locked: where records change |
//! | [`namespace`] | 4,096 partitions, sets, limits |
//! | [`provisional`] | what transactions have written and not committed yet |
//! | [`walk`] | a partition's records in the order of scans |
//! | [`options`] | options of a namespace |

pub mod locked_partition;
pub mod namespace;
pub mod options;
pub mod partition;
pub mod provisional;
pub mod table;
pub mod walk;

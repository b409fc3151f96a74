//! Queries, background jobs and aggregations.
//!
//! | module | what it holds |
//! |---|---|
//! | [`plan`] | parsing the options of a query |
//! | [`reading`] | a query in progress: its records, a run at a time |
//! | [`wait`] | waiting for more records |
//! | [`index`] | selections of index values |
//! | [`job`] | background jobs |
//! | [`aggregate`] | aggregations by stream functions |
//! | [`explain`] | how a query would be executed |
//! | [`calls`] | functions exported to JavaScript |

pub mod aggregate;
pub mod calls;
pub mod explain;
pub mod index;
pub mod job;
mod plan;
pub mod reading;
mod wait;

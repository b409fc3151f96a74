//! Queries, background jobs and aggregations.
//!
//! | module | what it holds |
//! |---|---|
//! | [`plan`] | the options of a query, checked |
//! | [`reading`] | a query under way: its records, a run at a time |
//! | [`wait`] | how it waits for more of them |
//! | [`index`] | which values of which index it asks for |
//! | [`job`] | background jobs |
//! | [`aggregate`] | what a stream function makes of the records |
//! | [`calls`] | the functions that JavaScript sees |

pub mod aggregate;
pub mod calls;
pub mod index;
pub mod job;
mod plan;
pub mod reading;
mod wait;

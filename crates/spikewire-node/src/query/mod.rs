//! Queries, background jobs and aggregations.
//!
//! | module | what it holds |
//! |---|---|
//! | [`plan`] | the options of a query, checked |
//! | [`reading`] | a query under way: its records, a run at a time |
//! | [`wait`] | how it waits for more of them |
//! | [`calls`] | the functions that JavaScript sees |

pub mod calls;
mod plan;
mod reading;
mod wait;

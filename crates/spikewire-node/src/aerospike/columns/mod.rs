//! Records as columns: collected from the wire into tables, and passed to JavaScript as the memory
//! of typed arrays or as an Arrow IPC stream.
//!
//! | module | what it holds |
//! |---|---|
//! | [`schema`] | the requested columns |
//! | [`gather`] | rows of a query into tables |
//! | [`batch`] | records by keys into one table |
//! | [`records`] | records that are objects already into one table |
//! | [`parts`] | tables as JavaScript values |
//! | [`calls`] | functions exported to JavaScript |

pub mod batch;
pub mod calls;
mod gather;
mod parts;
pub mod records;
mod schema;

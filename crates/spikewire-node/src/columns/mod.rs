//! Records as columns: gathered from the wire into tables, and handed to JavaScript as the memory of
//! typed arrays, or as an Arrow IPC stream.
//!
//! | module | what it holds |
//! |---|---|
//! | [`schema`] | the columns that a caller asks for |
//! | [`gather`] | rows of a query on their way into a table |
//! | [`batch`] | many records by their keys as one table |
//! | [`failure`] | what does not go into a column |
//! | [`parts`] | what JavaScript makes its columns of |
//! | [`calls`] | the functions that JavaScript sees |

pub mod batch;
pub mod calls;
mod failure;
mod gather;
mod parts;
mod schema;

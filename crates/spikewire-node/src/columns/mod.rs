//! Records of a query as columns: gathered from the wire a table at a time, and handed to JavaScript
//! as the memory of typed arrays, or as an Arrow IPC stream.
//!
//! | module | what it holds |
//! |---|---|
//! | [`schema`] | the columns that a caller asks for |
//! | [`gather`] | rows of a query on their way into a table |
//! | [`parts`] | what JavaScript makes its columns of |
//! | [`calls`] | the functions that JavaScript sees |

pub mod calls;
mod gather;
mod parts;
mod schema;

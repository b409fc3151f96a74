//! Batches: many records in one request.

mod mutations;
mod replies;
mod rows;
mod singles;
#[path = "../wire/mod.rs"]
mod wire;

//! Batches: many records in one request.

mod functions;
mod mutations;
mod replies;
mod rows;
mod singles;
#[path = "../wire/mod.rs"]
mod wire;

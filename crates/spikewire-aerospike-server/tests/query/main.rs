//! Scans, queries and background jobs, byte by byte and in numbers.

mod client;
mod indexes;
mod jobs;
mod membership;
mod pace;
mod places;
mod scans;
mod sets;
mod text;
#[path = "../wire/mod.rs"]
mod wire;

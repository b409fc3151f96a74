//! The client for Cassandra, against a real server. `make test-rust` starts a node; so does
//! `tools/with_cassandra.py cargo test -p spikewire --test cql`. Without one these tests do
//! nothing, and print why.

mod asynchronous;
mod errors;
mod load;
mod reconnect;
mod schema;
mod statements;
mod support;
mod tls;
mod types;

//! Cassandra clients under load: tasks on tokio, each with one call in flight. The job and the
//! result are those of the Python workers.

mod contract;
mod rows;
mod run;

pub use contract::Operation;
pub use rows::{Item, Wide};
pub use run::main;

use crate::access::Access;
use crate::call_error::CallError;

/// The address of the server and the statement to prepare.
pub struct Target<'a> {
    pub host: &'a str,
    pub port: u16,
    pub statement: &'a str,
    /// Rows of a page; the others have fewer.
    pub page_size: u32,
    pub access: &'a Access,
}

impl Target<'_> {
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// For clients that are built without TLS here.
    pub fn unencrypted(&self) -> Result<(), String> {
        let encrypted = self.access.tls.is_some();
        if encrypted { Err("built without TLS".to_owned()) } else { Ok(()) }
    }
}

/// A client with one prepared statement. A call is complete when its caller owns every value.
pub trait CqlClient: Send + Sync + Sized + 'static {
    /// The crate whose version is reported.
    const VERSION_OF: &'static str;

    fn open(target: &Target<'_>) -> impl Future<Output = Result<Self, String>> + Send;

    /// The version of the protocol in use, as `v4`; empty if the client does not report it.
    fn protocol(&self) -> String {
        String::new()
    }

    fn insert(&self, item: &Item) -> impl Future<Output = Result<(), CallError>> + Send;

    fn select(&self, id: &str) -> impl Future<Output = Result<Item, CallError>> + Send;

    /// All rows of a partition, in one page.
    fn page(&self, partition: i32) -> impl Future<Output = Result<Vec<Wide>, CallError>> + Send;
}

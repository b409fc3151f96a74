//! Translation of addresses by the program.

use std::fmt::Debug;
use std::net::SocketAddr;

/// Says where advertised addresses are reached. Called on the thread that watches the cluster,
/// whenever it reads an address.
pub trait AddressTranslator: Debug + Send + Sync {
    /// Where this address is reached: `host` or `host:port`, where a host is an address or a name;
    /// without a port it is the advertised one. After an error the nodes stay as they were known.
    fn translate(&self, advertised: SocketAddr) -> Result<String, String>;
}

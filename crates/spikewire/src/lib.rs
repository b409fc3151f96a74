//! placeholder

mod answer;
mod asynchronous;
mod blocking;
mod cluster;
mod encode;
mod key;
mod operation;
mod options;
mod record;
mod space;
mod verbs;

pub use asynchronous::{AsyncClient, AsyncDataset, Pending};
pub use blocking::{Client, Dataset};
pub use cluster::Node;
pub use encode::Encode;
pub use key::Key;
pub use operation::{Operation, op};
pub use options::{Builder, CallOptions, Exists, Seeds, Ttl};
pub use record::{Bin, Bins, Name, Record};
pub use spikewire_engine::{Error, Kind, ReplicaPolicy, Result};
pub use spikewire_protocol::result_code::ResultCode;
pub use spikewire_protocol::value::Value;

/// Bins of different types for the verbs that write, without a [`Value`] for each.
///
/// ```
/// # use spikewire::bins;
/// let tags = vec![spikewire::Value::from("a")];
/// let bins = bins! { "name" => "Alice", "age" => 28, "tags" => tags };
/// # assert_eq!(bins.len(), 3);
/// ```
#[macro_export]
macro_rules! bins {
    ($($name:expr => $value:expr),* $(,)?) => {
        [$(($name, &$value as &dyn $crate::Encode)),*]
    };
}

//! Seeds, for clients of both databases.

use std::fmt::Display;
use std::net::SocketAddr;

/// Seed hosts, through which a client finds the cluster.
///
/// Strings such as `"db1"`, `"db1:3000"`, `"[::1]:3000"`, `"db1:tls-name:4333"` or comma-separated
/// lists of them, socket addresses, and slices, arrays and vectors of these.
pub trait Seeds {
    /// The seeds as one comma-separated list.
    fn to_list(&self) -> String;
}

impl Seeds for str {
    fn to_list(&self) -> String {
        self.to_owned()
    }
}

impl Seeds for String {
    fn to_list(&self) -> String {
        self.clone()
    }
}

impl Seeds for SocketAddr {
    fn to_list(&self) -> String {
        self.to_string()
    }
}

impl<T: Display> Seeds for [T] {
    fn to_list(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

impl<T: Display, const N: usize> Seeds for [T; N] {
    fn to_list(&self) -> String {
        self.as_slice().to_list()
    }
}

impl<T: Display> Seeds for Vec<T> {
    fn to_list(&self) -> String {
        self.as_slice().to_list()
    }
}

impl<T: Seeds + ?Sized> Seeds for &T {
    fn to_list(&self) -> String {
        (**self).to_list()
    }
}

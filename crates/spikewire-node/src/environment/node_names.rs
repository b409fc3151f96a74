//! The addresses of nodes in JavaScript: results have the number of a string that is made once.

use std::cell::RefCell;
use std::net::SocketAddr;

use rustc_hash::FxHashMap;
use spikewire_cassandra::cluster::Node;

use crate::hooks::cql::Hooks;
use crate::js::{Env, Result};

/// The numbers of the addresses that JavaScript knows; `None` stands for no node.
#[derive(Debug, Default)]
pub struct NodeNames(RefCell<FxHashMap<Option<SocketAddr>, u32>>);

impl NodeNames {
    /// The number of a node's address.
    #[inline]
    pub fn number(&self, env: Env<'_>, hooks: &Hooks, node: Option<&Node>) -> Result<u32> {
        let address = node.map(|node| node.address);
        if let Some(number) = self.0.borrow().get(&address) {
            return Ok(*number);
        }
        self.add(env, hooks, address)
    }

    #[cold]
    fn add(&self, env: Env<'_>, hooks: &Hooks, address: Option<SocketAddr>) -> Result<u32> {
        let number = self.0.borrow().len() as u32;
        let text = address.map_or_else(String::new, |address| address.to_string());
        hooks.name_node.call(env, &[env.uint32(number)?, env.string(&text)?])?;
        self.0.borrow_mut().insert(address, number);
        Ok(number)
    }
}

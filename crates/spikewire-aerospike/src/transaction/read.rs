//! A read of one record in a transaction: sent as any other read, since nothing goes before it. Its
//! target tells the transaction of the reply before the caller has it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spikewire_aerospike_protocol::message::Message;
use spikewire_aerospike_protocol::transaction::{Place, ReplyFields};

use super::state::{Address, Transaction, TransactionState};
use crate::cluster::Cluster;
use crate::command::Prepared;
use crate::model::{ReplicaPolicy, Result};
use crate::route::ReplyListener;

impl Transaction {
    /// Makes a command on one record part of the transaction, if it is a read; then it is sent like
    /// any other command. `false`: it writes, and [`Transaction::enter_one`] is for it.
    pub fn enter_read(self: &Arc<Self>, cluster: &Cluster, command: &mut Prepared) -> Result<bool> {
        let Prepared { bytes, target, policy } = command;
        if target.write {
            return Ok(false);
        }
        let Ok((namespace, _)) = target.aim.partition() else { return Ok(false) };
        let place = Place::in_request(bytes)?;
        let mut known = self.known();
        known.admit(cluster, namespace)?;
        let about = known.about(self.id, &place.digest, false);
        let address = known.reads.get(&place.digest).map(|(address, _)| address.clone());
        known.reading += 1;
        drop(known);
        let address = address.unwrap_or_else(|| place.address(bytes).into());
        place.join_read(bytes, &about);
        let transaction = self.clone();
        let read = PendingRead { transaction, place, address, is_over: AtomicBool::new(false) };
        policy.replica = ReplicaPolicy::Master;
        *target = target.clone().with_listener(Box::new(read));
        Ok(true)
    }
}

/// A read that has no reply yet.
#[derive(Debug)]
struct PendingRead {
    transaction: Arc<Transaction>,
    place: Place,
    address: Address,
    is_over: AtomicBool,
}

impl ReplyListener for PendingRead {
    fn answered(&self, body: &[u8]) {
        let reported = Message::parse(body).and_then(|(reply, _)| ReplyFields::of(&reply));
        let mut known = self.transaction.known();
        if !self.is_over.swap(true, Relaxed) {
            known.reading -= 1;
        }
        if known.state != TransactionState::Open {
            return;
        }
        let digest = self.place.digest;
        match reported {
            Err(_) => known.is_unreadable = true,
            Ok(ReplyFields { version: Some(version), .. }) => {
                if !known.writes.contains_key(&digest) {
                    known.reads.insert(digest, (self.address.clone(), version));
                }
            }
            Ok(_) => {}
        }
    }
}

/// It failed, or nobody waits for it. It locks nothing, and nobody has seen the record.
impl Drop for PendingRead {
    fn drop(&mut self) {
        if !*self.is_over.get_mut() {
            self.transaction.known().reading -= 1;
        }
    }
}

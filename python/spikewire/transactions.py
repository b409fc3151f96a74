"""Transactions over several records: ``client.transaction()`` and ``client.run_in_transaction``.

with client.transaction() as txn:
    accounts = txn.dataset("bank", "accounts")
    accounts.add("alice", {"balance": -10})
    accounts.add("bob", {"balance": 10})
"""

from spikewire.aerospike.transaction import AsyncTransaction as AsyncTransaction
from spikewire.aerospike.transaction import EndStatus as EndStatus
from spikewire.aerospike.transaction import Transaction as Transaction

__all__ = ["AsyncTransaction", "EndStatus", "Transaction"]

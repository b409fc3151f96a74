"""What can go wrong, and how a program handles it."""

from __future__ import annotations

import seeds

import spikewire
from spikewire.testing import Cluster


def withdraw(accounts: spikewire.Dataset, owner: str, amount: int) -> int:
    """Reads, decides and writes; starts again if another client wrote in between."""
    while True:
        record = accounts.get(owner)
        balance = record["balance"]
        assert isinstance(balance, int)
        if balance < amount:
            message = f"{owner} has only {balance}"
            raise ValueError(message)
        try:
            left = balance - amount
            accounts.put(owner, {"balance": left}, generation=record.generation)
        except spikewire.GenerationMismatch:
            continue
        return left


def main(where: str) -> None:
    with spikewire.Client(where) as client:
        accounts = client.dataset("test", "accounts")

        # Errors say what happened and carry the facts.
        try:
            accounts.get("nobody")
        except spikewire.RecordNotFound as error:
            print(f"no record: {error.key}, code {error.code}")

        # They are also what Python programs expect: KeyError, TimeoutError, ConnectionError.
        try:
            accounts.get("nobody")
        except KeyError:
            print("a RecordNotFound is a KeyError")

        accounts.put("alice", {"balance": 100})
        print("left:", withdraw(accounts, "alice", 30))

        # Unsupported values are rejected before anything is sent, and the error names the place.
        try:
            accounts.put("alice", {"limits": {"daily": object()}})
        except TypeError as error:
            print(f"refused: {error}")

        try:
            accounts.put("alice", {"balance": 1}, exists="create")
        except spikewire.RecordExists:
            print("alice is there already")


def lost_answers() -> None:
    """A write whose answer is lost: it may have been applied, and the error says so."""
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds) as client:
        cluster.inject(0, drop_reply=1.0)
        try:
            client.put(("test", "accounts", "bob"), {"balance": 1}, timeout=0.2)
        except spikewire.Timeout as error:
            print(f"timed out after {error.attempts} attempt(s), in doubt: {error.in_doubt}")
        cluster.clear_faults(0)


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
    lost_answers()

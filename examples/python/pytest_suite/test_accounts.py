"""Tests with a real cluster: run ``pytest -n 2`` in this folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pytest_suite.accounts import Accounts

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNERS = ["alice", "bob", "carol"]


def test_balances(accounts: Accounts) -> None:
    assert accounts.balances(OWNERS) == [100, 50, None]


def test_an_owner_has_one_account(accounts: Accounts) -> None:
    with pytest.raises(spikewire.RecordExists):
        accounts.open("alice", 1)
    assert accounts.balances(["alice"]) == [100]


@pytest.mark.parametrize(("amount", "left"), [(30, 70), (100, 0), (101, 100)])
def test_withdraw(accounts: Accounts, amount: int, left: int) -> None:
    assert accounts.withdraw("alice", amount) == (amount <= 100)
    assert accounts.balances(["alice"]) == [left]


def test_withdraw_without_an_account(accounts: Accounts) -> None:
    with pytest.raises(spikewire.RecordNotFound):
        accounts.withdraw("carol", 1)


def test_withdraw_at_the_same_time(accounts: Accounts) -> None:
    with ThreadPoolExecutor(8) as pool:
        paid = list(pool.map(accounts.withdraw, ["bob"] * 20, [10] * 20))
    assert paid.count(True) == 5
    assert accounts.balances(["bob"]) == [0]


class TestFaults:
    """A test that breaks its cluster starts its own, which takes a few milliseconds."""

    @pytest.fixture
    def cluster(self) -> Iterator[Cluster]:
        with Cluster(nodes=2) as cluster:
            yield cluster

    def test_a_lost_reply_leaves_doubt(self, cluster: Cluster) -> None:
        with spikewire.Client(cluster.seeds, timeout=10) as client:
            accounts = Accounts(client.dataset("test", "accounts"))
            accounts.open("alice", 100)
            for node in range(2):
                cluster.inject(node, drop_reply=1)
            with spikewire.Client(cluster.seeds, timeout=0.2) as hasty:
                late = Accounts(hasty.dataset("test", "accounts"))
                with pytest.raises(spikewire.Timeout) as raised:
                    late.withdraw("alice", 30)
            assert raised.value.in_doubt
            for node in range(2):
                cluster.clear_faults(node)
            # It had been applied: after an in-doubt error, read before repeating the write.
            assert accounts.balances(["alice"]) == [70]

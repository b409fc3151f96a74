"""Transfers between accounts under faults and kills: what commits is serializable, money is neither
made nor lost, and no record stays locked."""

from __future__ import annotations

import asyncio
import itertools
import random
import sys
import time
from typing import TYPE_CHECKING, Any, Literal

from load import Stress
from registers import FIRST, Done, problems

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

ACCOUNTS = 12
BALANCE = 100
#: Lifetime of transactions, in seconds.
LIFETIME = 3
OPTIONS: Any = {"timeout": 0.5, "socket_timeout": 0.2, "tend_interval": 0.25}
#: How often a commit in doubt is repeated.
REPEATS = 3


class Bank:
    """What is known of the transactions of a round."""

    def __init__(self, stress: Stress) -> None:
        self.stress = stress
        self.tags = itertools.count(FIRST + 1)
        #: Appended to by all workers; that takes no lock.
        self.history: list[Done] = []

    def note(
        self,
        tag: int,
        outcome: Literal["committed", "aborted", "unknown"],
        reads: dict[int, Any],
        writes: frozenset[int],
    ) -> None:
        tags = {number: record["tag"] for number, record in reads.items()}
        self.history.append(Done(tag, outcome, tags, writes))
        self.stress.note_done()
        if outcome == "committed" and len(reads) == ACCOUNTS:
            self.check_sum(reads, f"transaction {tag}")

    def check_sum(self, reads: dict[int, Any], who: str) -> None:
        total = sum(record["balance"] for record in reads.values())
        expected = ACCOUNTS * BALANCE
        self.stress.check(total == expected, f"{who} sees {total} in all accounts, not {expected}")


class Plan:
    """The next transaction of a worker: a transfer, or an audit of all accounts."""

    def __init__(self, bank: Bank, draw: random.Random) -> None:
        self.tag = next(bank.tags)
        numbers = draw.sample(range(ACCOUNTS), 3)
        audits = draw.random() < 0.2
        self.read = list(range(ACCOUNTS)) if audits else numbers[: draw.choice((2, 3))]
        self.transfers = [] if audits else numbers[:2]
        self.amount = draw.randrange(1, 20)
        self.aborts = draw.random() < 0.1
        self.reads: dict[int, Any] = {}

    @property
    def writes(self) -> frozenset[int]:
        return frozenset(self.transfers)

    def written(self, number: int) -> dict[str, int]:
        change = -self.amount if number == self.transfers[0] else self.amount
        return {"balance": self.reads[number]["balance"] + change, "tag": self.tag}

    def take(self, number: int, record: Any) -> None:
        """A second read of an account must see what the first one saw."""
        self.reads.setdefault(number, record.bins)


def transfer(bank: Bank, client: spikewire.Client, draw: random.Random) -> None:
    """One transaction of the blocking client."""
    plan = Plan(bank, draw)
    txn = client.transaction(timeout=LIFETIME)
    accounts = txn.dataset("test", "accounts")
    try:
        if plan.transfers:
            for number in plan.read:
                plan.take(number, accounts.get(number))
            for number in plan.transfers:
                accounts.put(number, plan.written(number))
        else:
            for number, record in zip(plan.read, accounts.get_many(plan.read), strict=True):
                plan.take(number, record)
    except spikewire.Error:
        plan.aborts = True
    if plan.aborts:
        bank.note(plan.tag, "aborted", plan.reads, plan.writes)
        try:
            txn.abort()
        except spikewire.Error:
            bank.stress.add({"aborts_failed": 1})
        return
    outcome: Literal["committed", "aborted", "unknown"] = "unknown"
    for _ in range(REPEATS):
        try:
            txn.commit()
            outcome = "committed"
        except spikewire.CommitFailed as error:
            outcome = "unknown" if error.in_doubt else "aborted"
            if txn.state == "verified":
                try:
                    txn.abort()
                except spikewire.Error:
                    bank.stress.add({"aborts_failed": 1})
        if outcome != "unknown":
            break
    bank.note(plan.tag, outcome, plan.reads, plan.writes)


async def transfer_async(bank: Bank, client: spikewire.AsyncClient, draw: random.Random) -> None:
    """One transaction of the asyncio client, with its calls in flight together."""
    plan = Plan(bank, draw)
    txn = client.transaction(timeout=LIFETIME)
    accounts = txn.dataset("test", "accounts")
    try:
        records = await asyncio.gather(
            *(accounts.get(number) for number in plan.read), return_exceptions=True
        )
        for number, record in zip(plan.read, records, strict=True):
            if isinstance(record, BaseException):
                raise record
            plan.take(number, record)
        if plan.transfers:
            rows = {number: plan.written(number) for number in plan.transfers}
            (await accounts.put_many(rows)).raise_for_errors()
    except spikewire.Error:
        plan.aborts = True
    if plan.aborts:
        bank.note(plan.tag, "aborted", plan.reads, plan.writes)
        try:
            await txn.abort()
        except spikewire.Error:
            bank.stress.add({"aborts_failed": 1})
        return
    outcome: Literal["committed", "aborted", "unknown"] = "unknown"
    for _ in range(REPEATS):
        try:
            await txn.commit()
            outcome = "committed"
        except spikewire.CommitFailed as error:
            outcome = "unknown" if error.in_doubt else "aborted"
            if txn.state == "verified":
                try:
                    await txn.abort()
                except spikewire.Error:
                    bank.stress.add({"aborts_failed": 1})
        if outcome != "unknown":
            break
    bank.note(plan.tag, outcome, plan.reads, plan.writes)


def kill_nodes(stress: Stress, cluster: Cluster) -> None:
    """Kills one node after the other; each time the others have all records first."""
    draw = random.Random(f"{stress.seed} kills")
    while not stress.is_over:
        time.sleep(draw.random() * 0.3)
        node = draw.randrange(cluster.nodes)
        cluster.kill(node)
        cluster.wait_settled()
        time.sleep(draw.random() * 0.1)
        cluster.restart(node)
        cluster.wait_settled()
        stress.add({"kills": 1})


def locks(cluster: Cluster) -> int:
    """Locked records, and transactions that are not over, on all nodes."""
    count = 0
    with spikewire.Client(cluster.seeds, timeout=30) as client:
        for node in client.nodes():
            for pair in client.info("namespace/test", node.name).split(";"):
                name, _, value = pair.partition("=")
                if name in ("mrt_provisionals", "mrt_monitors"):
                    count += int(value)
    return count


def main() -> int:
    stress = Stress()
    bank = Bank(stress)
    options: Any = {"edition": "enterprise", "strong_consistency": True}
    with Cluster(nodes=3, **options) as cluster:
        cluster.wait_settled()
        with spikewire.Client(cluster.seeds, **OPTIONS) as client:
            data = client.dataset("test", "accounts")
            for number in range(ACCOUNTS):
                data.put(number, {"balance": BALANCE, "tag": FIRST}, timeout=30)

            def thread(worker: int) -> Callable[[], None]:
                draw = random.Random(f"{stress.seed} {worker}")

                def work() -> None:
                    while not stress.is_over:
                        transfer(bank, client, draw)

                return work

            stress.run(
                lambda: stress.change_faults(cluster),
                lambda: kill_nodes(stress, cluster),
                *(thread(worker) for worker in range(3)),
                lambda: asyncio.run(tasks(stress, bank, cluster.seeds)),
            )
            for node in range(cluster.nodes):
                cluster.clear_faults(node)
            # What is abandoned, the servers end.
            ends = time.monotonic() + LIFETIME + 30
            while (left := locks(cluster)) and time.monotonic() < ends:
                time.sleep(0.1)
            stress.check(left == 0, f"{left} locks and monitors are left behind")
            final = {number: data.get(number, timeout=30).bins for number in range(ACCOUNTS)}
        bank.check_sum(final, "in the end, a read")
        tags: dict[int, Any] = {number: bins["tag"] for number, bins in final.items()}
        for text in problems(bank.history, tags):
            stress.check(False, text)
    outcomes = [done.outcome for done in bank.history]
    stress.add(
        {
            "transactions": len(outcomes),
            "committed": outcomes.count("committed"),
            "aborted": outcomes.count("aborted"),
            "unknown": outcomes.count("unknown"),
            "audits": sum(len(done.reads) == ACCOUNTS for done in bank.history),
        }
    )
    return stress.finish()


async def tasks(stress: Stress, bank: Bank, seeds: str) -> None:
    """Four tasks."""
    async with spikewire.AsyncClient(seeds, **OPTIONS) as client:

        async def task(number: int) -> None:
            draw = random.Random(f"{stress.seed} task {number}")
            while not stress.is_over:
                await transfer_async(bank, client, draw)

        await asyncio.gather(*(task(number) for number in range(4)))


if __name__ == "__main__":
    sys.exit(main())

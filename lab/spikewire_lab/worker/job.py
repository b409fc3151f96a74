"""A parsed job: which worker does what to which records, and how that is checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from ..access import Access
from ..clients import PEERS
from ..clients.base import AsyncioClient, BlockingClient, Peer, PoolClient, Target, Verbs
from ..work import (
    BinSpec,
    Block,
    Key,
    Operation,
    Workload,
    batch_stream,
    bin_names,
    differs,
    insert_stream,
    into_blocks,
    mixed_stream,
    parse_bins,
    parse_workload,
    record_of,
    value_pool,
)
from ..work.keys import UNIFORM
from ..work.mix import COUNTING, INSERT, INSERTING, SCAN
from ..work.shape import BATCH_WRITE, COLUMNS, IN_COLUMNS, SINGLE, TABLE_WRITE, Shape
from ..work.streams import jitter, operations_for, step_stream
from ..work.tables import NUMPY_TYPES, table_of
from . import drivers
from .loop import batch_verbs, record_verbs, table_verbs, with_work
from .steps import Fresh, Misses, lacking, may_miss, shares, stepped

if TYPE_CHECKING:
    from ..contract.result import Job, OptionalFields
    from ..work import Bins

CHECKED_KEYS = 256
INSERT_LIMIT = 3600.0
"""Seconds that writing every key may take."""
TABLES_MOST = 32
"""Tables of a worker: they are in memory before the clock starts."""


class MismatchError(Exception):
    """A client did not read back what was written: it does not do the same work as the others."""


@dataclass(frozen=True)
class Plan:
    """A job with all of its fields parsed."""

    job: Job
    peer: Peer
    target: Target
    shape: Shape
    bins: tuple[BinSpec, ...]
    workload: Workload
    pool: list[Bins]
    fresh: Fresh = field(default_factory=lambda: Fresh(0))
    missed: Misses = field(default_factory=Misses)

    @staticmethod
    def of(job: Job) -> Plan:
        host_ports = tuple((host, port) for host, port in job["seeds"])
        target = Target(
            host_ports,
            job["namespace"],
            job["set"],
            job["concurrency"],
            job.get("services_alternate", False),
            Access.of_job(job),
        )
        shape = Shape(**job["shape"])
        bins, workload = parse_bins(job["bins"]), parse_workload(job["workload"])
        if job.get("sparse"):
            workload = replace(workload, sparse=True)
        peer, pool = PEERS[job["client"]], value_pool(bins, job["seed"])
        fresh = Fresh(job.get("next_key", job["keys"]))
        return Plan(job, peer, target, shape, bins, workload, pool, fresh)

    @property
    def misses(self) -> float:
        """Percentage of the reads that use missing keys."""
        return self.job.get("misses", 0.0)

    @property
    def stepped(self) -> bool:
        """Whether the work is more than whole reads of existing records, and whole writes."""
        return (
            self.shape.kind == SINGLE
            and self.job["action"] != "populate"
            and (bool(self.misses) or not self.workload.plain)
        )

    @property
    def counter(self) -> str:
        """The bin that the workload adds to: the first integer bin; empty if it adds to none."""
        if not self.workload.verbs & COUNTING:
            return ""
        kinds = [spec.kind for spec in self.bins]
        if "I" not in kinds:
            raise ValueError(f"workload {self.job['workload']!r}: none of the bins is an integer")
        return bin_names(self.bins)[kinds.index("I")]

    def verbs(self, client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
        """The verbs that the loop runs, as source code of this client."""
        shape = self.shape
        if shape.kind == SINGLE:
            return self._stepped(client) if self.stepped else self._plain(client)
        if isinstance(client, PoolClient):
            return batch_verbs(client.many(), bin_names(self.bins))
        if shape.kind != COLUMNS:
            # Clients with one instance for each loop read batches in their default way.
            way = "" if self.job.get("loops") else shape.way
            return batch_verbs(client.many(way), bin_names(self.bins))
        if not self.peer.way(COLUMNS, shape.way).columnar:
            return record_verbs(client.many(shape.way))
        names = bin_names(self.bins)
        types = (NUMPY_TYPES[spec.kind] for spec in self.bins)
        return table_verbs(client.table(shape.way, names, list(zip(names, types, strict=True))))

    def _plain(self, client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
        return with_work(client.verbs(), self.job.get("work", 0))

    def _stepped(self, client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
        missing = lacking(self.peer, self.workload, self.misses)
        if missing is not None:
            raise ValueError(f"{self.peer.name} {missing}")
        many = None
        if SCAN in self.workload.verbs:
            many = client.many() if isinstance(client, PoolClient) else client.many("")
        verbs = stepped(
            client.verbs(),
            many,
            self.workload,
            self.misses,
            self.counter,
            self.pool,
            self.fresh,
            self.missed,
        )
        return with_work(verbs, self.job.get("work", 0))

    def checked(self) -> list[Key]:
        """What is read before the clock starts: keys spread over the whole range; none if the
        measured writes fill it."""
        filled = self.workload.kind == INSERTING or self.workload.sparse
        if self.job["action"] == "populate" or filled:
            return []
        keys, rows = self.job["keys"], self.shape.rows
        spread = list(range(0, keys, max(1, keys // CHECKED_KEYS)))
        if self.shape.kind == SINGLE:
            return list(spread)
        rows = min(rows, len(spread))
        return [spread[at : at + rows] for at in range(0, len(spread) - rows + 1, rows)]

    def check(self, key: Key, read: object) -> None:
        """Raises if the client does not read the records as they were written."""
        if self.peer.name == "null":
            return
        keys, records = (key, read) if isinstance(key, list) else ([key], [read])
        rows = cast("list[object]", records)
        if len(rows) != len(keys):
            raise MismatchError(f"{len(keys)} keys gave {len(rows)} records")
        for one, record in zip(keys, rows, strict=True):
            difference = differs(record_of(self.pool, one), record, self.counter)
            if difference is not None:
                raise MismatchError(
                    f"key {one} does not read back as bins {self.job['bins']} of seed"
                    f" {self.job['seed']} were written there: {difference}"
                )

    def _in_tables(self, batches: list[Operation]) -> list[Operation]:
        """The values to write in the form that the client's way takes: lists of records, or
        columns."""
        shape = self.shape
        if not self.peer.way(TABLE_WRITE, shape.way).columnar:
            return batches
        tables = (
            (
                keys,
                table_of(shape.way, self.bins, cast("list[int]", keys), cast("list[Bins]", rows)),
            )
            for keys, rows in batches
        )
        return cast("list[Operation]", list(tables))

    def call(self) -> Operation | None:
        """The call whose memory is measured before the clock starts, for column tables only."""
        if self.shape.kind not in IN_COLUMNS:
            return None
        keys = list(range(self.shape.rows))
        if self.shape.kind == COLUMNS:
            return keys, None
        return self._in_tables([(keys, [record_of(self.pool, key) for key in keys])])[0]

    def served(self) -> OptionalFields:
        """The fields of a result for a workload that is more than whole reads and writes."""
        if not self.stepped:
            return {}
        served: OptionalFields = {"shares": shares(self.workload, self.misses)}
        if INSERT in self.workload.verbs:
            served["next_key"] = self.fresh.newest[0] + 1
        if may_miss(self.workload, self.misses):
            served["misses"] = self.missed.between()
        return served

    def load(self) -> drivers.Load:
        """The work of all workers together."""
        job, shape, pool = self.job, self.shape, self.pool
        workers, keys, every = job["concurrency"], job["keys"], job["sample_every"]
        # Each of several processes has workers of its own.
        part, processes = job.get("part", 0), job.get("processes", 1)
        first, all_workers = part * workers, processes * workers
        distribution = job.get("distribution", UNIFORM)
        total = operations_for(job["duration"])

        def inserting(number: int) -> list[Block]:
            return into_blocks(insert_stream(pool, keys, first + number, all_workers), every)

        def mixing(number: int) -> list[Block]:
            seed, worker = job["seed"], first + number
            drawn = (self.workload, pool, keys, seed, worker, workers, distribution, total)
            if self.stepped:
                # The loop that is generated for these takes the verb with each operation.
                stream = cast("list[Operation]", step_stream(*drawn, self.misses))
            else:
                stream = mixed_stream(*drawn)
            return into_blocks(stream, every, jitter(every, job["seed"], first + number))

        def batching(number: int) -> list[Block]:
            values = pool if shape.kind in (BATCH_WRITE, TABLE_WRITE) else None
            worker, rows = first + number, shape.rows
            stream = batch_stream(values, keys, job["seed"], worker, workers, rows, total)
            if shape.kind == TABLE_WRITE:
                stream = self._in_tables(stream[:TABLES_MOST])
            return into_blocks(stream, 1)

        single = shape.kind == SINGLE
        if single and (job["action"] == "populate" or self.workload.kind == INSERTING):
            return drivers.Load(workers, 0.0, INSERT_LIMIT, inserting, repeat=False)
        return drivers.Load(
            workers,
            job["warmup"],
            job["duration"],
            mixing if single else batching,
            verbs=self.verbs,
            most=drivers.share(job["max_ops"], part, processes) if "max_ops" in job else None,
            part=part,
            processes=processes,
        )

"""A job with everything in it parsed: who does what to which records, and how that is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from . import drivers
from .clients import PEERS
from .clients.base import AsyncioClient, BlockingClient, Peer, PoolClient, Target, Verbs
from .clients.shape import BATCH_WRITE, COLUMNS, SINGLE, Shape
from .loop import batch_verbs, record_verbs, table_verbs, with_work
from .workload import (
    BinSpec,
    Block,
    Key,
    batch_stream,
    bin_names,
    insert_stream,
    into_blocks,
    matches,
    mixed_stream,
    parse_bins,
    parse_workload,
    value_pool,
)

if TYPE_CHECKING:
    from .result import Job

CHECKED_KEYS = 256
INSERT_LIMIT = 300.0
"""Seconds that writing every key may take."""
NUMPY_TYPES = {"I": "i8", "F": "f8"}


class MismatchError(Exception):
    """A client did not read back what was written: it does not do the same work as the others."""


@dataclass(frozen=True)
class Plan:
    """A job with everything in it parsed."""

    job: Job
    peer: Peer
    target: Target
    shape: Shape
    bins: tuple[BinSpec, ...]

    @staticmethod
    def of(job: Job) -> Plan:
        host_ports = tuple((host, port) for host, port in job["seeds"])
        target = Target(host_ports, job["namespace"], job["set"])
        shape = Shape(**job["shape"])
        return Plan(job, PEERS[job["client"]], target, shape, parse_bins(job["bins"]))

    def verbs(self, client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
        """What the loop runs, in this client's own words."""
        shape = self.shape
        if shape.kind == SINGLE:
            return with_work(client.verbs(), self.job.get("work", 0))
        assert not isinstance(client, PoolClient)
        if shape.kind != COLUMNS:
            return batch_verbs(client.many(shape.way), bin_names(self.bins))
        if not self.peer.way(COLUMNS, shape.way).columnar:
            return record_verbs(client.many(shape.way))
        assert isinstance(client, BlockingClient)
        names = bin_names(self.bins)
        types = (NUMPY_TYPES[spec.kind] for spec in self.bins)
        return table_verbs(client.table(shape.way, names, list(zip(names, types, strict=True))))

    def checked(self) -> list[Key]:
        """What is read before the clock starts: keys spread over the whole range, none where
        writing is what fills it."""
        if self.job["action"] == "populate" or self.job["workload"] == "I":
            return []
        keys, rows = self.job["keys"], self.shape.rows
        spread = list(range(0, keys, max(1, keys // CHECKED_KEYS)))
        if self.shape.kind == SINGLE:
            return list(spread)
        rows = min(rows, len(spread))
        return [spread[at : at + rows] for at in range(0, len(spread) - rows + 1, rows)]

    def check(self, key: Key, read: object) -> None:
        """Refuse a client that does not see the records as they were written."""
        if self.peer.name == "null":
            return
        keys, records = (key, read) if isinstance(key, list) else ([key], [read])
        rows = cast("list[object]", records)
        if len(rows) != len(keys):
            raise MismatchError(f"{len(keys)} keys gave {len(rows)} records")
        for one, record in zip(keys, rows, strict=True):
            if not matches(self.bins, record):
                raise MismatchError(f"key {one} reads back as {record!r}, not {self.job['bins']}")

    def call(self) -> Key | None:
        """The call whose memory is taken before the clock starts, in column tables alone."""
        return list(range(self.shape.rows)) if self.shape.kind == COLUMNS else None

    def load(self) -> drivers.Load:
        """The work of all workers together."""
        job, shape = self.job, self.shape
        workload = parse_workload(job["workload"])
        pool = value_pool(self.bins, job["seed"])
        workers, keys, every = job["concurrency"], job["keys"], job["sample_every"]

        def inserting(number: int) -> list[Block]:
            return into_blocks(insert_stream(pool, keys, number, workers), every)

        def mixing(number: int) -> list[Block]:
            stream = mixed_stream(workload, pool, keys, job["seed"], number, workers)
            return into_blocks(stream, every)

        def batching(number: int) -> list[Block]:
            values = pool if shape.kind == BATCH_WRITE else None
            stream = batch_stream(values, keys, job["seed"], number, workers, shape.rows)
            return into_blocks(stream, 1)

        if shape.kind != SINGLE:
            return drivers.Load(workers, job["warmup"], job["duration"], batching, verbs=self.verbs)
        if job["action"] == "populate" or workload.kind == "I":
            return drivers.Load(workers, 0.0, INSERT_LIMIT, inserting, repeat=False)
        return drivers.Load(workers, job["warmup"], job["duration"], mixing, verbs=self.verbs)

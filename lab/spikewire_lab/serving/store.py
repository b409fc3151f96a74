"""The requests, generated before the clock starts and the same for all clients, and the records."""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..access import Access
from ..clients.base import Target
from ..work import parse_bins, value_pool
from ..worker.job import MismatchError
from .features import FEATURES, Features, set_name

if TYPE_CHECKING:
    from .features import Request
    from .result import ServingJob

REQUESTS = 256
"""The number of different requests; users choose among them."""
CHECKED = 4
CHUNK = 1_000
"""Records of a write when sets are filled."""


def requests_of(job: ServingJob) -> list[Request]:
    """Requests of distinct keys in each set."""
    rng = random.Random(f"requests/{job['seed']}")  # noqa: S311 - repeatable, not secret
    keys, rows = range(job["keys"]), job["rows"]
    return [[rng.sample(keys, rows) for _ in range(job["sets"])] for _ in range(REQUESTS)]


def seed_of(job: ServingJob, number: int) -> int:
    """The seed of the values of a set: no two sets have the same record under a key."""
    return job["seed"] + number


def target_of(job: ServingJob) -> Target:
    """The location of the records."""
    seeds = tuple((host, port) for host, port in job["seeds"])
    alternate, access = job.get("services_alternate", False), Access.of_job(job)
    place = (job["namespace"], job["set"])
    return Target(seeds, *place, services_alternate=alternate, access=access)


def fill(job: ServingJob) -> int:
    """Writes the records of all sets with our own client; other clients check that they can read
    them."""
    module: Any = importlib.import_module("spikewire")
    target = target_of(job)
    bins, keys = parse_bins(job["bins"]), range(job["keys"])
    with module.Client.connect(target.seed_text, **target.options) as client:
        for number in range(job["sets"]):
            pool = value_pool(bins, seed_of(job, number))
            records = client.dataset(job["namespace"], set_name(job["set"], number))
            for first in keys[::CHUNK]:
                rows = {key: pool[key % len(pool)] for key in keys[first : first + CHUNK]}
                records.put_many(rows).raise_for_errors()
    return len(keys) * job["sets"]


@dataclass
class Store:
    """An open client, and the requests that it will get."""

    features: Features
    requests: list[Request]

    @staticmethod
    async def open(job: ServingJob) -> Store:
        """Raises `MismatchError` if the client does not read what was written."""
        features = FEATURES[job["client"]](target_of(job), job["sets"], job["way"])
        store = Store(features, requests_of(job))
        await features.open()
        try:
            await store.check(job)
        except BaseException:
            await features.close()
            raise
        return store

    async def check(self, job: ServingJob) -> None:
        """A few requests, each record of which has to be the one that was written."""
        bins = parse_bins(job["bins"])
        pools = [value_pool(bins, seed_of(job, number)) for number in range(job["sets"])]
        for request in self.requests[:CHECKED]:
            read = await self.features.read(request)
            for keys, records, pool in zip(request, read, pools, strict=True):
                if records != [pool[key % len(pool)] for key in keys]:
                    raise MismatchError(f"{job['client']} reads other records than were written")

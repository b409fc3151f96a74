"""The online part of a feature store: features of entities, written in batches and read in one
call.

``OnlineStore`` has the interface that Feast and similar systems require of a store:
``online_write_batch`` takes entities with their features and the event time, ``online_read``
returns them in the order of the entities. A feature view is a set, an entity is a record, a feature
is a bin. Models take a matrix: ``online_matrix`` reads it straight into NumPy, with defaults for
missing values.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import seeds

import spikewire
from spikewire import Read, Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Features: TypeAlias = Mapping[str, Any]
    Row: TypeAlias = tuple[str, Features, datetime]

#: The bin with the time of the event, in microseconds since 1970.
EVENT = "event"


@dataclass(frozen=True, eq=False)
class FeatureView:
    """Features that are written together, with their defaults and their time to live."""

    name: str
    defaults: Mapping[str, float]
    ttl: timedelta


class OnlineStore:
    """Features of entities in a namespace, for one event loop."""

    def __init__(self, client: spikewire.AsyncClient, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def _records(self, view: FeatureView) -> spikewire.AsyncDataset:
        return self._client.dataset(self._namespace, view.name)

    async def online_write_batch(self, view: FeatureView, rows: Iterable[Row]) -> int:
        """Writes features, and returns how many rows were older than the stored ones.

        A late event does not overwrite a newer one: the server compares their times.
        """
        writes = []
        for entity, features, event in rows:
            at = int(event.timestamp() * 1_000_000)
            # A missing record is created.
            late = ("$.event <= ?", at)
            bins = {EVENT: at, **features}
            writes.append(Write(entity, bins, where=late, ttl=view.ttl))
        written = await self._records(view).batch(writes)
        written.raise_for_errors()
        return len(writes) - written.found

    async def online_read(
        self, view: FeatureView, entities: Sequence[str], features: Sequence[str]
    ) -> list[tuple[datetime | None, dict[str, Any] | None]]:
        """The event time and the features of each entity; None if it has expired."""
        records = await self._records(view).get_many(entities, [EVENT, *features])
        answer: list[tuple[datetime | None, dict[str, Any] | None]] = []
        for record in records:
            if record is None:
                answer.append((None, None))
            else:
                bins: dict[str, Any] = record.bins
                event = datetime.fromtimestamp(bins[EVENT] / 1_000_000, timezone.utc)
                answer.append((event, {name: bins.get(name) for name in features}))
        return answer

    async def online_matrix(
        self, view: FeatureView, entities: Sequence[str], features: Sequence[str]
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """A row per entity, a column per feature; no Python object per value."""
        kind = [(name, "f4") for name in features]
        columns = await self._records(view).get_numpy(entities, kind)
        filled = [columns[name].filled(view.defaults[name]) for name in features]
        return np.stack(filled, axis=1)

    async def online_vector(self, entities: Mapping[FeatureView, str]) -> list[float]:
        """The features of several views, each for its own entity: one batch per request."""
        reads = [
            Read(self._records(view).key(entity), list(view.defaults))
            for view, entity in entities.items()
        ]
        vector: list[float] = []
        for view, record in zip(entities, await self._client.batch(reads), strict=True):
            bins: dict[str, Any] = {} if record is None else record.bins
            vector += (bins.get(name, default) for name, default in view.defaults.items())
        return vector


RIDERS = FeatureView("riders", {"trips": 0, "rating": 4.5}, timedelta(days=30))
CITIES = FeatureView("cities", {"surge": 1.0}, timedelta(minutes=10))


async def main() -> None:
    """Writes features, and serves some concurrent requests."""
    with seeds.find() as where:
        async with spikewire.AsyncClient(where, timeout=10) as client:
            store = OnlineStore(client, "test")
            now = datetime.now(timezone.utc)
            riders = [(f"rider-{n}", {"trips": n, "rating": 4.0}, now) for n in range(1000)]
            late = ("rider-7", {"trips": 6}, now - timedelta(minutes=5))
            print("late", await store.online_write_batch(RIDERS, [*riders, late]))
            await store.online_write_batch(CITIES, [("Oslo", {"surge": 1.5}, now)])

            read = await store.online_read(RIDERS, ["rider-7", "nobody"], ["trips"])
            print("read", [features for _, features in read])
            matrix = await store.online_matrix(
                RIDERS, ["rider-7", "nobody", "rider-9"], ["trips", "rating"]
            )
            print("matrix", matrix.tolist())

            async def request(n: int) -> float:
                city = "Oslo" if n % 2 else "nowhere"
                trips, rating, surge = await store.online_vector(
                    {RIDERS: f"rider-{n}", CITIES: city}
                )
                return trips * rating * surge

            scores = await asyncio.gather(*(request(n) for n in range(100)))
            print("scores", sum(scores))


if __name__ == "__main__":
    asyncio.run(main())

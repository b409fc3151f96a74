"""`aerospike-sdk-builder`: the vendor's SDK by chained calls, as its documentation shows them."""

from __future__ import annotations

from . import aerospike_sdk
from .aerospike_native import PLAIN_LOOP
from .base import Peer, Verbs, Way
from .shape import BATCH_READ, BATCH_WRITE


def chained(key: str, names: dict[str, object], wait: str = "") -> Verbs:
    """One key read and written by chains."""
    return Verbs(
        read=f"({wait}session.query({key}).first_or_raise()).record.bins",
        write=f"{wait}session.upsert({key}).put(bins).execute()",
        names=names,
    )


class Blocking(aerospike_sdk.Blocking):
    """Chains, blocking; batches are chains with the fast path, too."""

    def verbs(self) -> Verbs:
        return chained(self._key, self._names())


class Asyncio(aerospike_sdk.Asyncio):
    """The same, awaited."""

    def verbs(self) -> Verbs:
        return chained(self._key, self._names(), "await ")


PEER = Peer(
    "aerospike-sdk-builder",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    asyncio=Asyncio,
    usual=False,
    environment=PLAIN_LOOP,
    ways=(Way(BATCH_READ), Way(BATCH_WRITE)),
)

"""`aerospike-sdk-builder`: the vendor's SDK by chained calls, as its documentation shows them."""

from __future__ import annotations

from ..work.shape import BATCH_READ, BATCH_WRITE
from . import aerospike_sdk
from .aerospike_native import PLAIN_LOOP
from .base import Peer, Way
from .more import ALL


class Blocking(aerospike_sdk.Blocking):
    """Chains, blocking; batches are chains with the fast path as well."""

    written = staticmethod(aerospike_sdk.chained)


class Asyncio(aerospike_sdk.Asyncio):
    """Chains, awaited."""

    written = staticmethod(aerospike_sdk.chained)


PEER = Peer(
    "aerospike-sdk-builder",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    asyncio=Asyncio,
    usual=False,
    environment=PLAIN_LOOP,
    verbs=ALL,
    ways=(Way(BATCH_READ), Way(BATCH_WRITE)),
)

"""The asyncio interface of `aerospike-sdk` in two further ways: without the coalescer, which sends
the single reads and writes of one turn of the event loop together, and by windows of keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..work.shape import BATCH_READ, POOL
from . import aerospike_sdk
from .aerospike_native import PLAIN_LOOP, keys_source
from .base import ASYNC, ASYNC_UVLOOP, ManyVerbs, Way
from .sdk_pool import PoolAdapter, in_thread

if TYPE_CHECKING:
    from .base import Target

OFF = {"PSDK_COALESCE": "0", "PSDK_COALESCE_WRITES": "0"}

APART = replace(
    aerospike_sdk.PEER,
    name="aerospike-sdk-uncoalesced",
    blocking=None,
    usual=False,
    environment={ASYNC: {**PLAIN_LOOP[ASYNC], **OFF}, ASYNC_UVLOOP: OFF},
    ways=(),
    pool=PoolAdapter,
    pool_ways=(POOL,),
)


def _window(target: Target) -> ManyVerbs:
    # Its writes give all keys of a window the same value, which is no batch of other clients.
    read = f"await session.get_many({keys_source(target)})"
    return ManyVerbs(read, "row.bins", names={"Key": aerospike_sdk.key_class()})


class _Asyncio(aerospike_sdk.Asyncio):
    def many(self, _way: str, /) -> ManyVerbs:
        verbs = _window(self._target)
        return replace(verbs, names={**verbs.names, "session": self._session})


class _Pool(PoolAdapter):
    def many(self) -> ManyVerbs:
        return in_thread(_window(self._target), self._local)


WINDOWS = replace(
    aerospike_sdk.PEER,
    name="aerospike-sdk-windows",
    blocking=None,
    usual=False,
    asyncio=_Asyncio,
    ways=(Way(BATCH_READ, most=aerospike_sdk.WINDOW_ROWS),),
    pool=_Pool,
    pool_ways=(POOL,),
)

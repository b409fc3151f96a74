"""Running coroutines on event loops of a test's own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import spikewire

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from spikewire.testing import Cluster

LIMIT = 60


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine within a time limit, and closes the loop."""

    async def limited() -> Any:
        return await asyncio.wait_for(work, LIMIT)

    try:
        return loop.run_until_complete(limited())
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def opened(cluster: Cluster, **options: Any) -> spikewire.AsyncClient:
    """A client with a long timeout, for noisy machines."""
    return spikewire.AsyncClient(cluster.seeds, **{"timeout": 20, **options})

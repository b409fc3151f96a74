"""The jobs of serving: users as tasks beside the client, a server, and the users of a server."""

from __future__ import annotations

import asyncio
import json
import os
import resource
from contextlib import ExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from ..clients import PEERS
from ..measure import load_average
from ..worker.run import describe_python
from .cells import CALL, DESCRIBE, FILL, NEEDS, SERVE
from .child import Child
from .connection import Connection
from .server import serve
from .store import Store, fill
from .users import measured

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .answers import Ask
    from .features import Features, Request
    from .result import ServingJob, Usage


def answer(job: ServingJob) -> Mapping[str, object]:
    """The result of one of these jobs."""
    if job["action"] == DESCRIBE:
        return {"unavailable": _unavailable(job)}
    if job["action"] == FILL:
        return {"records": fill(job)}
    if job["action"] == SERVE:
        return cast("Mapping[str, object]", serve(job))
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    loop = asyncio.SelectorEventLoop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(_call(job) if job["action"] == CALL else _load(job))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _unavailable(job: ServingJob) -> str | None:
    needed = [name for name in NEEDS[job["environment"]] if find_spec(name) is None]
    if needed:
        return f"{' and '.join(needed)} not installed"
    return PEERS[job["client"]].unavailable()


def _description(job: ServingJob) -> dict[str, object]:
    return {
        "client": job["client"],
        "environment": job["environment"],
        "way": job["way"],
        "load_average": load_average(),
    }


class _CountingClient:
    """Counts the reads of a client without a server."""

    def __init__(self, features: Features, requests: list[Request]) -> None:
        self._features, self._requests = features, requests
        self._answered = 0

    async def ask(self, which: int) -> None:
        await self._features.read(self._requests[which])
        self._answered += 1

    async def usage(self) -> Usage:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {"cpu": used.ru_utime + used.ru_stime, "answered": self._answered}


async def _call(job: ServingJob) -> Mapping[str, object]:
    """Runs the users as tasks in the process of the client."""
    description = _description(job)
    store = await Store.open(job)
    try:
        counted = _CountingClient(store.features, store.requests)
        calls: list[Ask] = [counted.ask] * job["concurrency"]
        result = await measured(calls, job, counted.usage)
    finally:
        await store.features.close()
    # Users and client are one process.
    result["generator_cpu"] = None
    version = PEERS[job["client"]].version()
    return {**description, **result, "version": version, "python": describe_python()}


async def _load(job: ServingJob) -> Mapping[str, object]:
    """Starts a server, or several replicas of it, and runs their users. Connections are dealt out
    in turn, as a balancer of connections would."""
    description = _description(job)
    with ExitStack() as stack:
        children = [stack.enter_context(Child(job)) for _ in range(job["replicas"])]
        watching = [await Connection.open(child.port) for child in children]
        ports = [child.port for child in children]
        users = [
            await Connection.open(ports[number % len(ports)])
            for number in range(job["concurrency"])
        ]
        try:
            result = await measured([_asking(one) for one in users], job, _looking(watching))
        finally:
            for one in (*watching, *users):
                one.close()
        served = [child.end() for child in children]
    result["answered"] = sum(one["answered"] for one in served)
    first = served[0]
    return {**description, **result, "version": first["version"], "python": first["python"]}


def _asking(connection: Connection) -> Ask:
    async def ask(which: int) -> None:
        await connection.get(f"/features?user={which}")

    return ask


def _looking(connections: list[Connection]) -> Callable[[], Awaitable[Usage]]:
    async def usage() -> Usage:
        """Of all replicas together."""
        replies = [json.loads(await connection.get("/usage")) for connection in connections]
        each = [cast("Usage", reply) for reply in replies]
        return {
            "cpu": sum(one["cpu"] for one in each),
            "answered": sum(one["answered"] for one in each),
        }

    return usage

"""What one key costs through the builder, beside the verb: processor time of this process.

    python benches/builder.py                 # blocking and asyncio, each in a process of its own
    python benches/builder.py --rounds 51

Verb and builder take turns; the embedded cluster is another process. Each line has the median of
both in microseconds per call (user and system time), and the median of their ratio by round.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

CALLS = 1_500
TASKS = 32
SERVE = """
import sys, spikewire
with spikewire.testing.Cluster(nodes=1) as cluster:
    print(cluster.seeds, flush=True)
    sys.stdin.read()
"""


def cases(client: Any, session: Any, key: spikewire.Key) -> Iterator[tuple[str, Any, Any]]:
    """What is compared: a name, the verb, the builder."""
    yield "get", lambda: client.get(key), lambda: session.query(key).first()
    yield (
        "get of one bin",
        lambda: client.get(key, ["n"]),
        lambda: session.query(key).bins("n").first(),
    )
    yield (
        "put",
        lambda: client.put(key, {"n": 1}),
        lambda: session.upsert(key).set("n", 1).execute(),
    )
    yield (
        "put with ttl",
        lambda: client.put(key, {"n": 1, "m": 2}, ttl=3600),
        lambda: session.upsert(key).set("n", 1).set("m", 2).ttl(3600).execute(),
    )
    yield (
        "operate",
        lambda: client.operate(key, [op.add("n", 1), op.get("n")]),
        lambda: session.upsert(key).add("n", 1).get("n").execute(),
    )
    yield "exists", lambda: client.exists(key), lambda: session.exists(key).execute()
    yield "touch", lambda: client.touch(key), lambda: session.touch(key).execute()


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def show(face: str, name: str, verbs: list[float], builders: list[float]) -> None:
    ratio = statistics.median(b / v for v, b in zip(verbs, builders, strict=True))
    print(
        f"{face:8}  {name:15}  verb {statistics.median(verbs):6.2f} us  "
        f"builder {statistics.median(builders):6.2f} us  ratio {ratio:.3f}",
        flush=True,
    )


def blocking(seeds: str, rounds: int) -> None:
    key = spikewire.Key("test", "cost", "alice")
    with spikewire.Client(seeds, timeout=20) as client:
        client.put(key, {"n": 1, "m": 2})

        def once(call: Callable[[], object]) -> float:
            began = processor_time()
            for _ in range(CALLS):
                call()
            return (processor_time() - began) / CALLS * 1e6

        for name, verb, builder in cases(client, client.session(), key):
            pairs = [
                (once(verb), once(builder)) if turn % 2 else (once(builder), once(verb))[::-1]
                for turn in range(rounds)
            ]
            show("blocking", name, *map(list, zip(*pairs, strict=True)))


async def asynchronous(seeds: str, rounds: int) -> None:
    key = spikewire.Key("test", "cost", "alice")
    async with spikewire.AsyncClient(seeds, timeout=20) as client:
        await client.put(key, {"n": 1, "m": 2})

        async def repeat(call: Callable[[], Awaitable[object]], count: int) -> None:
            for _ in range(count):
                await call()

        async def once(call: Callable[[], Awaitable[object]]) -> float:
            count = CALLS // 16
            began = processor_time()
            await asyncio.gather(*(repeat(call, count) for _ in range(TASKS)))
            return (processor_time() - began) / (count * TASKS) * 1e6

        for name, verb, builder in cases(client, client.session(), key):
            verbs: list[float] = []
            builders: list[float] = []
            for turn in range(rounds):
                if turn % 2:
                    verbs.append(await once(verb))
                    builders.append(await once(builder))
                else:
                    builders.append(await once(builder))
                    verbs.append(await once(verb))
            show("asyncio", name, verbs, builders)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--face", choices=("blocking", "asyncio"))
    given = parser.parse_args()
    if given.face is None:
        for face in ("blocking", "asyncio"):
            again = [sys.executable, __file__, "--rounds", str(given.rounds), "--face", face]
            subprocess.run(again, check=True)
        return
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        seeds = server.stdout.readline().strip()
        if given.face == "blocking":
            blocking(seeds, given.rounds)
        else:
            asyncio.run(asynchronous(seeds, given.rounds))
    finally:
        server.stdin.close()
        server.wait(20)


if __name__ == "__main__":
    main()

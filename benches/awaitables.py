"""CPU time of a coroutine for each verb, compared with the future that it returns.

    python benches/awaitables.py                  # asyncio, and uvloop if it is installed
    python benches/awaitables.py --rounds 51

The future and a coroutine around it alternate, awaited by 32 tasks, or 100 of them in a `gather`;
the embedded cluster is another process. Each line has the median of both in microseconds per call
(user and system time), and the median of their ratio by round.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from builder import SERVE, processor_time

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Verb = Callable[[], Awaitable[object]]

TASKS = 32
CALLS = 100
GATHERED = 100
GATHERS = 30


def verbs(client: spikewire.AsyncClient, key: spikewire.Key) -> Iterator[tuple[str, Verb]]:
    yield "get", lambda: client.get(key)
    yield "put", lambda: client.put(key, {"n": 1})
    yield "exists", lambda: client.exists(key)
    yield "operate", lambda: client.operate(key, [op.add("n", 1), op.get("n")])


def in_a_coroutine(verb: Verb) -> Verb:
    """The verb as if it were an `async def`."""

    async def call() -> object:
        return await verb()

    return call


async def awaited(verb: Verb) -> int:
    async def repeat() -> None:
        for _ in range(CALLS):
            await verb()

    await asyncio.gather(*(repeat() for _ in range(TASKS)))
    return TASKS * CALLS


async def gathered(verb: Verb) -> int:
    for _ in range(GATHERS):
        await asyncio.gather(*(verb() for _ in range(GATHERED)))
    return GATHERS * GATHERED


async def once(way: Callable[[Verb], Awaitable[int]], verb: Verb) -> float:
    began = processor_time()
    calls = await way(verb)
    return (processor_time() - began) / calls * 1e6


async def compare(loop: str, seeds: str, rounds: int) -> None:
    key = spikewire.Key("test", "cost", "alice")
    async with spikewire.AsyncClient(seeds, timeout=20) as client:
        await client.put(key, {"n": 1})
        for name, future in verbs(client, key):
            coroutine = in_a_coroutine(future)
            for way in (awaited, gathered):
                pairs: list[tuple[float, float]] = []
                for turn in range(rounds):
                    if turn % 2:
                        first, second = await once(way, future), await once(way, coroutine)
                    else:
                        second, first = await once(way, coroutine), await once(way, future)
                    pairs.append((first, second))
                ratio = statistics.median(second / first for first, second in pairs)
                futures, coroutines = (statistics.median(each) for each in zip(*pairs, strict=True))
                print(
                    f"{loop:8}  {name:8}  {way.__name__:8}  future {futures:6.2f} us  "
                    f"coroutine {coroutines:6.2f} us  ratio {ratio:.3f}",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--loop", choices=("asyncio", "uvloop"))
    args = parser.parse_args()
    if args.loop is None:
        known = ["asyncio", *(["uvloop"] if importlib.util.find_spec("uvloop") else [])]
        for loop in known:
            again = [sys.executable, __file__, "--rounds", str(args.rounds), "--loop", loop]
            subprocess.run(again, check=True)
        return
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    loops: Any = importlib.import_module(args.loop)
    loop: asyncio.AbstractEventLoop = loops.new_event_loop()
    try:
        loop.run_until_complete(compare(args.loop, server.stdout.readline().strip(), args.rounds))
    finally:
        loop.close()
        server.stdin.close()
        server.wait(20)


if __name__ == "__main__":
    main()

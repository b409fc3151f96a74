"""What calls cost through the builder, beside the verb: processor time of this process.

    python benches/builder.py                 # blocking and asyncio, each in a process of its own
    python benches/builder.py --rounds 51

Verb and builder take turns; the embedded cluster is another process. Each line has the median of
both in microseconds (user and system time) per call, or per row where there are several, and the
median of their ratio by round.
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
ROWS = 128
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


def rows(client: Any, session: Any, users: Any) -> Iterator[tuple[str, Any, Any]]:
    """The same for calls with many rows."""
    numbers = list(range(ROWS))
    key, keys = users.key, users.keys
    bins = [{"n": number, "m": "text"} for number in numbers]

    def upserts() -> Any:
        step = session
        for number, each in zip(numbers, bins, strict=True):
            step = step.upsert(key(number)).put(each)
        return step.execute()

    def mixed() -> Any:
        step = session
        for number in range(0, ROWS, 4):
            step = step.upsert(key(number)).set("n", number).set("m", "text")
            step = step.query(key(number + 1)).bins("n")
            step = step.update(key(number + 2)).add("n", 1).get("n")
            step = step.exists(key(number + 3))
        return step.execute(on_error="collect")

    def batch() -> Any:
        made: list[spikewire.Row] = []
        for number in range(0, ROWS, 4):
            made.append(spikewire.Write(key(number), {"n": number, "m": "text"}))
            made.append(spikewire.Read(key(number + 1), ["n"]))
            ops = [op.add("n", 1), op.get("n")]
            made.append(spikewire.Write(key(number + 2), ops, exists="update"))
            made.append(spikewire.Read(key(number + 3), []))
        return client.batch(made)

    yield (
        "same for all",
        lambda: client.operate_many(keys(numbers), [op.put("n", 1), op.put("m", "text")]),
        lambda: session.upsert(keys(numbers)).set("n", 1).set("m", "text").execute(),
    )
    yield (
        "read all",
        lambda: client.get_many(keys(numbers)),
        lambda: session.query(keys(numbers)).execute(),
    )
    yield (
        "each its own",
        lambda: client.batch([spikewire.Write(key(n), bins[n]) for n in numbers]),
        upserts,
    )
    yield "mixed", batch, mixed


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def all_cases(client: Any, key: spikewire.Key) -> Iterator[tuple[str, Any, Any, int]]:
    """Those of one key, and those of many; with their number of rows."""
    session, users = client.session(), client.dataset("test", "cost")
    for case in cases(client, session, key):
        yield (*case, 1)
    for case in rows(client, session, users):
        yield (*case, ROWS)


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
        users = client.dataset("test", "cost")
        users.put_many({n: {"n": n, "m": "text"} for n in range(ROWS)}).raise_for_errors()

        def once(call: Callable[[], object], rows: int) -> float:
            count = max(CALLS // rows, 10)
            began = processor_time()
            for _ in range(count):
                call()
            return (processor_time() - began) / count / rows * 1e6

        for name, verb, builder, many in all_cases(client, key):
            pairs = [
                (once(verb, many), once(builder, many))
                if turn % 2
                else (once(builder, many), once(verb, many))[::-1]
                for turn in range(rounds)
            ]
            show("blocking", name, *map(list, zip(*pairs, strict=True)))


async def asynchronous(seeds: str, rounds: int) -> None:
    key = spikewire.Key("test", "cost", "alice")
    async with spikewire.AsyncClient(seeds, timeout=20) as client:
        await client.put(key, {"n": 1, "m": 2})
        users = client.dataset("test", "cost")
        written = await users.put_many({n: {"n": n, "m": "text"} for n in range(ROWS)})
        written.raise_for_errors()

        async def repeat(call: Callable[[], Awaitable[object]], count: int) -> None:
            for _ in range(count):
                await call()

        async def once(call: Callable[[], Awaitable[object]], rows: int) -> float:
            tasks = TASKS if rows == 1 else 2
            count = CALLS // 16 if rows == 1 else 10
            began = processor_time()
            await asyncio.gather(*(repeat(call, count) for _ in range(tasks)))
            return (processor_time() - began) / (count * tasks * rows) * 1e6

        for name, verb, builder, many in all_cases(client, key):
            verbs: list[float] = []
            builders: list[float] = []
            for turn in range(rounds):
                if turn % 2:
                    verbs.append(await once(verb, many))
                    builders.append(await once(builder, many))
                else:
                    builders.append(await once(builder, many))
                    verbs.append(await once(verb, many))
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

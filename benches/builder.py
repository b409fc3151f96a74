"""CPU time of calls through the builder, compared with the verb, in this process.

    python benches/builder.py                 # blocking and asyncio, each in a process of its own
    python benches/builder.py --rounds 51
    python benches/builder.py --instructions  # instructions, which callgrind counts
    python benches/builder.py touch           # only cases with this word in their names

Verb and builder alternate; the embedded cluster is another process. Each line has the median of
both in microseconds (user and system time) per call, or per row where there are several, and the
median of their ratio by round; or thousands of instructions of this process, and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import counting

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

CALLS = 1_500
ROWS = 128
TASKS = 32
#: Calls of which instructions are counted, and three times as many.
FEW = 4 * TASKS


def cases(client: Any, session: Any, key: spikewire.Key) -> Iterator[tuple[str, Any, Any]]:
    """The cases: a name, the verb, the builder."""
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
        rows: list[spikewire.Row] = []
        for number in range(0, ROWS, 4):
            rows.append(spikewire.Write(key(number), {"n": number, "m": "text"}))
            rows.append(spikewire.Read(key(number + 1), ["n"]))
            ops = [op.add("n", 1), op.get("n")]
            rows.append(spikewire.Write(key(number + 2), ops, exists="update"))
            rows.append(spikewire.Read(key(number + 3), []))
        return client.batch(rows)

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


Case = tuple[str, Any, Any, int]


def all_cases(client: Any, key: spikewire.Key) -> Iterator[Case]:
    """Single-key cases, and those with many keys; with their number of rows."""
    session, users = client.session(), client.dataset("test", "cost")
    for case in cases(client, session, key):
        yield (*case, 1)
    for case in rows(client, session, users):
        yield (*case, ROWS)


def cases_of(args: argparse.Namespace, client: Any, key: spikewire.Key) -> list[Case]:
    """The selected cases."""
    cases = list(all_cases(client, key))
    if args.words:
        return [case for case in cases if any(word in case[0] for word in args.words)]
    return cases


def only(args: argparse.Namespace, client: Any, key: spikewire.Key) -> tuple[Any, int, int]:
    """The call to make, its rows, and how often."""
    name, which, count = args.only.split(":")
    _, verb, builder, rows = next(case for case in all_cases(client, key) if case[0] == name)
    return verb if which == "verb" else builder, rows, int(count)


def show(api: str, name: str, unit: str, verb: float, builder: float, ratio: float) -> None:
    print(
        f"{api:8}  {name:15}  verb {verb:6.2f} {unit}  "
        f"builder {builder:6.2f} {unit}  ratio {ratio:.3f}",
        flush=True,
    )


def show_times(api: str, name: str, verbs: list[float], builders: list[float]) -> None:
    ratio = statistics.median(b / v for v, b in zip(verbs, builders, strict=True))
    show(api, name, "us", statistics.median(verbs), statistics.median(builders), ratio)


def show_instructions(args: argparse.Namespace, cases: list[Case]) -> None:
    command = [__file__, "--seeds", args.seeds, "--api", args.api]
    for name, _, _, rows in cases:
        few = FEW if rows == 1 else 4
        verb, builder = (
            counting.instructions(command, f"{name}:{which}", few, rows)
            for which in ("verb", "builder")
        )
        show(args.api, name, "k", verb, builder, builder / verb)


def blocking(args: argparse.Namespace) -> None:
    key = spikewire.Key("test", "cost", "alice")
    with spikewire.Client(args.seeds, timeout=20) as client:
        client.put(key, {"n": 1, "m": 2})
        users = client.dataset("test", "cost")
        users.put_many({n: {"n": n, "m": "text"} for n in range(ROWS)}).raise_for_errors()
        if args.only:
            call, _, count = only(args, client, key)
            for _ in range(count):
                call()
            return
        cases = cases_of(args, client, key)
        if args.instructions:
            show_instructions(args, cases)
            return

        def once(call: Callable[[], object], rows: int) -> float:
            count = max(CALLS // rows, 10)
            began = processor_time()
            for _ in range(count):
                call()
            return (processor_time() - began) / count / rows * 1e6

        for name, verb, builder, many in cases:
            pairs = [
                (once(verb, many), once(builder, many))
                if turn % 2
                else (once(builder, many), once(verb, many))[::-1]
                for turn in range(args.rounds)
            ]
            show_times("blocking", name, *map(list, zip(*pairs, strict=True)))


async def asynchronous(args: argparse.Namespace) -> None:
    key = spikewire.Key("test", "cost", "alice")
    async with spikewire.AsyncClient(args.seeds, timeout=20) as client:
        await client.put(key, {"n": 1, "m": 2})
        users = client.dataset("test", "cost")
        written = await users.put_many({n: {"n": n, "m": "text"} for n in range(ROWS)})
        written.raise_for_errors()

        async def repeat(call: Callable[[], Awaitable[object]], count: int) -> None:
            for _ in range(count):
                await call()

        async def in_tasks(call: Callable[[], Awaitable[object]], rows: int, count: int) -> None:
            tasks = TASKS if rows == 1 else 2
            await asyncio.gather(*(repeat(call, count // tasks) for _ in range(tasks)))

        async def once(call: Callable[[], Awaitable[object]], rows: int) -> float:
            count = CALLS // 16 * TASKS if rows == 1 else 20
            began = processor_time()
            await in_tasks(call, rows, count)
            return (processor_time() - began) / (count * rows) * 1e6

        if args.only:
            await in_tasks(*only(args, client, key))
            return
        cases = cases_of(args, client, key)
        if args.instructions:
            show_instructions(args, cases)
            return
        for name, verb, builder, many in cases:
            verbs: list[float] = []
            builders: list[float] = []
            for turn in range(args.rounds):
                if turn % 2:
                    verbs.append(await once(verb, many))
                    builders.append(await once(builder, many))
                else:
                    builders.append(await once(builder, many))
                    verbs.append(await once(verb, many))
            show_times("asyncio", name, verbs, builders)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--api", choices=("blocking", "asyncio"))
    parser.add_argument("--seeds", help="a cluster that is there")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.api is None:
        for api in ("blocking", "asyncio"):
            subprocess.run([sys.executable, *sys.argv, "--api", api], check=True)
        return
    with nullcontext(args.seeds) if args.seeds else counting.server() as args.seeds:
        if args.api == "blocking":
            blocking(args)
        else:
            asyncio.run(asynchronous(args))


if __name__ == "__main__":
    main()

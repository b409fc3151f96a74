"""The cost of calls through the drop-ins, compared with the equivalent verb.

    python benches/drop_in.py                   # CPU time, alternating
    python benches/drop_in.py --instructions    # instructions, which callgrind counts
    python benches/drop_in.py batch             # only cases with this word in their names

The embedded cluster is another process. Each line has the cost of a call, or of a row if a call has
several, in microseconds of user and system time (medians, and the median of the ratios by round) or
in thousands of instructions of this process. The cost includes the objects that a program creates
for the call: key tuples, rows and dictionaries of operations for a drop-in, and the equivalent rows
and operations for the verb. Results are accessed, because verbs decode rows only then.
"""

from __future__ import annotations

import argparse
import resource
import statistics
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import counting

import spikewire
from spikewire import op
from spikewire.compat import aerospike, aerospike_py
from spikewire.compat.aerospike_helpers.batch.records import BatchRecords, Write
from spikewire.compat.aerospike_helpers.operations import map_operations, operations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMESPACE, SET = "test", "cost"
CALLS = 1_500
ROWS = 128
BINS: dict[str, Any] = {"a": 1, "b": "text", "c": 2.5, "d": b"bytes"}
Case = tuple[str, int, "Callable[[], Any]", "Callable[[], Any]"]


def key(number: int) -> tuple[str, str, int]:
    return NAMESPACE, SET, number


def of_aerospike(verbs: Any, drop_in: Any) -> Iterator[Case]:
    """The cases: a name, the rows of a call, the verb, the drop-in."""
    one, numbers = 7, range(ROWS)
    yield "get", 1, lambda: verbs.get(key(one)), lambda: drop_in.get(key(one))
    yield "put", 1, lambda: verbs.put(key(one), BINS), lambda: drop_in.put(key(one), BINS)
    yield (
        "operate",
        1,
        lambda: verbs.operate(key(one), [op.add("a", 1), op.get("a")]),
        lambda: drop_in.operate(key(one), [operations.increment("a", 1), operations.read("a")]),
    )
    yield (
        "increment",
        1,
        lambda: verbs.add(key(one), {"a": 1}),
        lambda: drop_in.increment(key(one), "a", 1),
    )
    yield "exists", 1, lambda: verbs.get(key(one), []), lambda: drop_in.exists(key(one))
    yield "touch", 1, lambda: verbs.touch(key(one)), lambda: drop_in.touch(key(one))
    yield (
        "batch_read",
        ROWS,
        lambda: [row.bins for row in verbs.get_many([key(each) for each in numbers])],
        lambda: [
            row.record[2]
            for row in drop_in.batch_read([key(each) for each in numbers]).batch_records
        ],
    )
    yield (
        "batch_operate",
        ROWS,
        lambda: [
            row.results
            for row in verbs.operate_many(
                [key(each) for each in numbers], [op.add("a", 1), op.get("a")]
            )
        ],
        lambda: [
            row.record[2]
            for row in drop_in.batch_operate(
                [key(each) for each in numbers],
                [operations.increment("a", 1), operations.read("a")],
            ).batch_records
        ],
    )
    yield (
        "batch_write",
        ROWS,
        lambda: verbs.batch(
            [
                spikewire.Write(key(each), [op.put(name, value) for name, value in BINS.items()])
                for each in numbers
            ]
        ),
        lambda: drop_in.batch_write(
            BatchRecords(
                [
                    Write(
                        key(each),
                        [operations.write(name, value) for name, value in BINS.items()],
                    )
                    for each in numbers
                ]
            )
        ),
    )
    policy = {"key": aerospike.POLICY_KEY_SEND}
    yield (
        "batch_write, policy",
        ROWS,
        lambda: verbs.batch(
            [
                spikewire.Write(
                    key(each),
                    [op.put(name, value) for name, value in BINS.items()],
                    send_key=True,
                )
                for each in numbers
            ]
        ),
        lambda: drop_in.batch_write(
            BatchRecords(
                [
                    Write(
                        key(each),
                        [operations.write(name, value) for name, value in BINS.items()],
                        policy=policy,
                    )
                    for each in numbers
                ]
            )
        ),
    )
    # As a feature store writes.
    features, ordered = {"a": 1.5, "b": 2, "c": "text"}, {"map_order": aerospike.MAP_KEY_ORDERED}
    meta = {"ttl": 3600}
    yield (
        "batch_write, maps",
        ROWS,
        lambda: verbs.batch(
            [
                spikewire.Write(
                    key(each),
                    [
                        op.map.put_items("m", {"view": features}, order="key"),
                        op.map.put("t", "view", each, order="key"),
                    ],
                    ttl=3600,
                )
                for each in numbers
            ]
        ),
        lambda: drop_in.batch_write(
            BatchRecords(
                [
                    Write(
                        key(each),
                        [
                            map_operations.map_put_items("m", {"view": features}, ordered),
                            map_operations.map_put("t", "view", each, ordered),
                        ],
                        meta,
                    )
                    for each in numbers
                ]
            )
        ),
    )


def of_aerospike_py(verbs: Any, drop_in: Any) -> Iterator[Case]:
    """The same for aerospike-py."""
    one, numbers = 7, range(ROWS)
    increments = [
        {"op": aerospike_py.OPERATOR_INCR, "bin": "a", "val": 1},
        {"op": aerospike_py.OPERATOR_READ, "bin": "a"},
    ]
    yield "get", 1, lambda: verbs.get(key(one)), lambda: drop_in.get(key(one))
    yield "put", 1, lambda: verbs.put(key(one), BINS), lambda: drop_in.put(key(one), BINS)
    yield (
        "operate",
        1,
        lambda: verbs.operate(key(one), [op.add("a", 1), op.get("a")]),
        lambda: drop_in.operate(key(one), increments),
    )
    yield "exists", 1, lambda: verbs.get(key(one), []), lambda: drop_in.exists(key(one))
    yield (
        "batch_read",
        ROWS,
        lambda: [row.bins for row in verbs.get_many([key(each) for each in numbers])],
        lambda: drop_in.batch_read([key(each) for each in numbers]).to_list(),
    )
    yield (
        "batch_write",
        ROWS,
        lambda: verbs.put_many([(key(each), BINS) for each in numbers]),
        lambda: drop_in.batch_write([(key(each), BINS) for each in numbers]),
    )
    yield (
        "batch_write, codes",
        ROWS,
        lambda: list(verbs.put_many([(key(each), BINS) for each in numbers]).codes),
        lambda: [
            row.result
            for row in drop_in.batch_write([(key(each), BINS) for each in numbers]).batch_records
        ],
    )


APIS = {"aerospike": of_aerospike, "aerospike_py": of_aerospike_py}


def repeat(call: Callable[[], Any], count: int) -> None:
    for _ in range(count):
        call()


def microseconds(call: Callable[[], Any], rows: int) -> float:
    """CPU time of a call, per row."""
    count = max(CALLS // rows, 10)
    before = resource.getrusage(resource.RUSAGE_SELF)
    repeat(call, count)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / count / rows * 1e6


def times(cases: list[Case], rounds: int) -> Iterator[tuple[str, float, float, float]]:
    """For each case, the cost of verb and drop-in, and their ratio."""
    for name, rows, verb, drop_in in cases:
        pairs: list[tuple[float, float]] = []
        for turn in range(rounds):
            if turn % 2:
                first = microseconds(verb, rows)
                pairs.append((first, microseconds(drop_in, rows)))
            else:
                second = microseconds(drop_in, rows)
                pairs.append((microseconds(verb, rows), second))
        verbs, drop_ins = zip(*pairs, strict=True)
        ratio = statistics.median(mine / verb for verb, mine in pairs)
        yield name, statistics.median(verbs), statistics.median(drop_ins), ratio


def instructions(
    cases: list[Case], api: str, seeds: str
) -> Iterator[tuple[str, float, float, float]]:
    """The same, in thousands of instructions."""
    command = [__file__, "--seeds", seeds, "--api", api]
    for name, rows, *_ in cases:
        few = max(100 // rows, 5)
        verb, mine = (
            counting.instructions(command, f"{name}:{which}", few, rows)
            for which in ("verb", "drop-in")
        )
        yield name, verb, mine, mine / verb


def opened(seeds: str, api: str) -> tuple[Any, Any]:
    """The open clients: ours and the drop-in."""
    verbs = spikewire.Client(seeds, timeout=20)
    address, port = seeds.split(",")[0].rsplit(":", 1)
    config = {"hosts": [(address, int(port))]}
    if api == "aerospike":
        return verbs, aerospike.client(config)
    return verbs, aerospike_py.client(config).connect()


def measure(args: argparse.Namespace, api: str) -> None:
    verbs, drop_in = opened(args.seeds, api)
    verbs.put_many([(key(number), BINS) for number in range(ROWS)]).raise_for_errors()
    cases = list(APIS[api](verbs, drop_in))
    if args.only:
        name, which, count = args.only.split(":")
        _, _, verb_call, drop_in_call = next(case for case in cases if case[0] == name)
        repeat(verb_call if which == "verb" else drop_in_call, int(count))
    else:
        if args.words:
            cases = [case for case in cases if any(word in case[0] for word in args.words)]
        counts = args.instructions
        rows = instructions(cases, api, args.seeds) if counts else times(cases, args.rounds)
        unit = "k" if counts else "us"
        for name, verb, mine, ratio in rows:
            print(
                f"{api:12}  {name:18}  verb {verb:7.2f} {unit}  "
                f"drop-in {mine:7.2f} {unit}  ratio {ratio:.2f}",
                flush=True,
            )
    drop_in.close()
    verbs.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--api", choices=tuple(APIS), help="only this one")
    parser.add_argument("--seeds", help="a cluster that is there")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with nullcontext(args.seeds) if args.seeds else counting.server() as args.seeds:
        for api in [args.api] if args.api else APIS:
            measure(args, api)


if __name__ == "__main__":
    main()

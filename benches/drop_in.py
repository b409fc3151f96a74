"""The cost of calls through the drop-ins, compared with the equivalent verb.

    python benches/drop_in.py                   # CPU time, alternating
    python benches/drop_in.py --instructions    # instructions, which callgrind counts
    python benches/drop_in.py batch             # only cases with this word in their names

The embedded cluster is another process. Each line has the cost of a call, or of a row if a call has
several, in microseconds of user and system time (medians, and the median of the ratios by round) or
in thousands of instructions of this process. Times of the package `aerospike` itself, where it is
installed, are measured by the same calls. The cost includes the objects that a program creates
for the call: key tuples, rows and dictionaries of operations for a drop-in, and the equivalent rows
and operations for the verb. Results are accessed, because verbs decode rows only then.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import warnings
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import counting

import spikewire
from spikewire import op
from spikewire.compat import aerospike_py

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMESPACE, SET = "test", "cost"
CALLS = 1_500
ROWS = 128
BINS: dict[str, Any] = {"a": 1, "b": "text", "c": 2.5, "d": b"bytes"}
Case = tuple[str, int, "Callable[[], Any]", "Callable[[], Any]"]


class Packages(NamedTuple):
    """The modules of the official client that programs import, or those of the drop-in."""

    aerospike: Any
    records: Any
    operations: Any
    map_operations: Any

    @classmethod
    def imported(cls, within: str = "") -> Packages:
        helpers = f"{within}aerospike_helpers"
        return cls(
            import_module(f"{within}aerospike"),
            import_module(f"{helpers}.batch.records"),
            import_module(f"{helpers}.operations.operations"),
            import_module(f"{helpers}.operations.map_operations"),
        )


OURS = Packages.imported("spikewire.compat.")


def key(number: int) -> tuple[str, str, int]:
    return NAMESPACE, SET, number


def of_aerospike(verbs: Any, drop_in: Any, packages: Packages = OURS) -> Iterator[Case]:
    """The cases: a name, the rows of a call, the verb, the drop-in (or the original)."""
    one, numbers = 7, range(ROWS)
    aerospike, records, operations, map_operations = packages
    BatchRecords, Write = records.BatchRecords, records.Write  # noqa: N806
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
    # As Feast's online store writes.
    yield (
        "batch_write, features",
        ROWS,
        lambda: verbs.batch(
            [
                spikewire.Write(
                    (NAMESPACE, SET, bytearray(b"entity %d" % each)),
                    [
                        op.map.put_items("features", {"view": features_of(each)}, order="key"),
                        op.map.put("event_ts", "view", each, order="key"),
                        op.put("created_ts", each),
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
                        (NAMESPACE, SET, bytearray(b"entity %d" % each)),
                        [
                            map_operations.map_put_items(
                                "features", {"view": features_of(each)}, map_policy=ordered
                            ),
                            map_operations.map_put("event_ts", "view", each, map_policy=ordered),
                            operations.write("created_ts", each),
                        ],
                        meta=meta,
                    )
                    for each in numbers
                ]
            )
        ),
    )


def features_of(number: int) -> dict[str, Any]:
    """The features of an entity."""
    return {"a": number * 1.5, "b": number, "c": "text", "d": 0.5, "e": number + 7}


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


def times(
    cases: list[Case], originals: dict[str, Callable[[], Any]], rounds: int
) -> Iterator[tuple[str, float, float, float, float | None]]:
    """For each case, the cost of verb and drop-in, their ratio, and the cost of the original."""
    for name, rows, verb, drop_in in cases:
        calls = [verb, drop_in, *([originals[name]] if name in originals else [])]
        costs: list[list[float]] = []
        for turn in range(rounds):
            order = range(len(calls))
            measured = {
                at: microseconds(calls[at], rows) for at in (order if turn % 2 else reversed(order))
            }
            costs.append([measured[at] for at in order])
        verbs, drop_ins, *rest = map(statistics.median, zip(*costs, strict=True))
        ratio = statistics.median(cost[1] / cost[0] for cost in costs)
        yield name, verbs, drop_ins, ratio, rest[0] if rest else None


def instructions(
    cases: list[Case], api: str, seeds: str
) -> Iterator[tuple[str, float, float, float, None]]:
    """The same without the original, in thousands of instructions."""
    command = [__file__, "--seeds", seeds, "--api", api]
    for name, rows, *_ in cases:
        few = max(100 // rows, 5)
        verb, mine = (
            counting.instructions(command, f"{name}:{which}", few, rows)
            for which in ("verb", "drop-in")
        )
        yield name, verb, mine, mine / verb, None


def opened(seeds: str, api: str) -> tuple[Any, Any]:
    """The open clients: ours and the drop-in."""
    verbs = spikewire.Client(seeds, timeout=20)
    address, port = seeds.split(",")[0].rsplit(":", 1)
    config = {"hosts": [(address, int(port))]}
    if api == "aerospike":
        return verbs, OURS.aerospike.client(config)
    return verbs, aerospike_py.client(config).connect()


def originals_of(seeds: str, api: str) -> tuple[dict[str, Callable[[], Any]], Any]:
    """The calls of the original by the names of their cases, and its client: none where it is not
    installed."""
    if api == "aerospike":
        with suppress(ImportError):
            packages = Packages.imported()
            address, port = seeds.split(",")[0].rsplit(":", 1)
            client = packages.aerospike.client({"hosts": [(address, int(port))]}).connect()
            return {name: call for name, _, _, call in of_aerospike(None, client, packages)}, client
    return {}, None


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
        originals, original = ({}, None) if counts else originals_of(args.seeds, api)
        rows = (
            instructions(cases, api, args.seeds) if counts else times(cases, originals, args.rounds)
        )
        unit = "k" if counts else "us"
        for name, verb, mine, ratio, cost in rows:
            beside = "" if cost is None else f"  original {cost:7.2f} {unit}"
            print(
                f"{api:12}  {name:21}  verb {verb:7.2f} {unit}  "
                f"drop-in {mine:7.2f} {unit}  ratio {ratio:.2f}{beside}",
                flush=True,
            )
        if original is not None:
            original.close()
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
    warnings.simplefilter("ignore", DeprecationWarning)  # Of `meta`, which programs still use.
    with nullcontext(args.seeds) if args.seeds else counting.server() as args.seeds:
        for api in [args.api] if args.api else APIS:
            measure(args, api)


if __name__ == "__main__":
    main()

"""The cost of operations, filters and text expressions, compared with a plain get.

    python benches/operations.py [--hosts HOST:PORT] [--rounds 7] [--calls 3000]

Prints client CPU per call (user + sys) of one blocking thread, the median of interleaved rounds,
and its ratio to that of the plain get. Without --hosts it starts an embedded node in a process of
its own. The record has 10 bins and is small.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import spikewire

RECORD = {
    "n": 5,
    "nested": {"a": {"b": {"k": 7}}, "z": 1},
    **{f"b{at}": f"value {at}" for at in range(8)},
}


def cases(data: spikewire.Dataset) -> dict[str, Callable[[], Any]]:
    """The calls to compare; the first is the plain get."""
    from spikewire import ctx, exp, op

    path = [ctx.map_key("a"), ctx.map_key("b")]
    operations = [op.map.get_by_key("nested", "k", ctx=path)]
    filtered = exp.bin("n") > 3
    return {
        "get of one bin": lambda: data.get(1, ["n"]),
        "operate, nested map, kept": lambda: data.operate(1, operations),
        "operate, nested map, made anew": lambda: data.operate(
            1, [op.map.get_by_key("nested", "k", ctx=path)]
        ),
        "get where expression": lambda: data.get(1, ["n"], where=filtered),
        "get where text": lambda: data.get(1, ["n"], where="$.n > 3"),
        "get where text, parameter": lambda: data.get(1, ["n"], where=("$.n > ?0", 3)),
        "operate, read of an expression": lambda: data.operate(1, [op.read("r", filtered)]),
    }


def cpu(call: Callable[[], Any], calls: int) -> float:
    """Microseconds of user and system time per call."""
    before = resource.getrusage(resource.RUSAGE_THREAD)
    for _ in range(calls):
        call()
    after = resource.getrusage(resource.RUSAGE_THREAD)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent / calls * 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=3000)
    options = parser.parse_args()
    import spikewire

    server = None
    hosts = options.hosts
    if hosts is None:
        command = [sys.executable, "-m", "spikewire", "serve", "--nodes", "1", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        hosts = server.stdout.readline().split()[1]
    try:
        with spikewire.Client(hosts, timeout=10) as client:
            data = client.dataset("test", "operations")
            data.put(1, RECORD)
            calls = cases(data)
            times_by_name: dict[str, list[float]] = {name: [] for name in calls}
            for call in calls.values():
                cpu(call, 200)
            for _ in range(options.rounds):
                for name, call in calls.items():
                    times_by_name[name].append(cpu(call, options.calls))
    finally:
        if server is not None:
            server.terminate()
            server.wait(10)
    medians = {name: statistics.median(times) for name, times in times_by_name.items()}
    plain = next(iter(medians.values()))
    for name, time in medians.items():
        print(f"{name:<32} {time:>6.2f} us {time / plain:>5.2f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())

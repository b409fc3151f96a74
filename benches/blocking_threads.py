"""How blocking threads should share connections: one each, as by default, or as few as possible.

    python benches/blocking_threads.py [--hosts HOST:PORT] [--rounds 3] [--seconds 2]

Prints operations per second and client CPU per operation (user + sys) for each number of threads,
medians over interleaved rounds, each cell in a fresh process. Without --hosts it starts an embedded
three-node cluster in a process of its own. 50/50 read/update, one int bin, 100,000 keys.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import threading
import time

THREADS = (1, 2, 4, 8, 16, 32)
#: By default every one of these threads has a connection of its own. With a limit, as many threads
#: have one, and the others share.
SHAPES = {"one each (default)": None, "4 have one": 4, "1 has one": 1}
KEYS = 100_000


def run(hosts: str, threads: int, connections: int | None, seconds: float) -> dict[str, float]:
    """One cell, in this process."""
    import spikewire

    options = {} if connections is None else {"connections_per_node": connections}
    counts = [0] * threads
    with spikewire.Client(hosts, **options) as client:
        data = client.dataset("test", "threads")
        until = time.perf_counter() + seconds

        def work(number: int) -> None:
            step = 0
            while time.perf_counter() < until:
                for step in range(step, step + 64):  # noqa: B020
                    key = (step * 7919 + number * 31) % KEYS
                    if step & 1:
                        data.get(key, default=None)
                    else:
                        data.put(key, {"b0": step})
                counts[number] += 64

        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        elapsed = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"rate": sum(counts) / elapsed, "cpu": cpu / sum(counts) * 1e6}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        threads, connections = json.loads(options.cell)
        print(json.dumps(run(options.hosts, threads, connections, options.seconds)))
        return 0
    server = None
    hosts = options.hosts
    if hosts is None:
        command = [sys.executable, "-m", "spikewire", "serve", "--nodes", "3", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        hosts = server.stdout.readline().split()[1]
    try:
        cells: dict[tuple[int, str], list[dict[str, float]]] = {}
        for _ in range(options.rounds):
            for threads in THREADS:
                for name, connections in SHAPES.items():
                    command = [sys.executable, __file__, "--hosts", hosts]
                    command += ["--seconds", str(options.seconds)]
                    command += ["--cell", json.dumps([threads, connections])]
                    out = subprocess.run(command, check=True, capture_output=True, text=True)
                    cells.setdefault((threads, name), []).append(json.loads(out.stdout))
    finally:
        if server is not None:
            server.terminate()
            server.wait(10)
    print("threads | " + " | ".join(f"{name:>22}" for name in SHAPES))
    for threads in THREADS:
        row = []
        for name in SHAPES:
            results = cells[threads, name]
            rate = statistics.median(cell["rate"] for cell in results)
            cpu = statistics.median(cell["cpu"] for cell in results)
            row.append(f"{rate:>10,.0f}/s {cpu:>6.1f} us")
        print(f"{threads:>7} | " + " | ".join(f"{text:>22}" for text in row))
    return 0


if __name__ == "__main__":
    sys.exit(main())

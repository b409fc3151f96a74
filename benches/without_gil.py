"""What blocking threads cost in several interpreters, such as one without the GIL beside another.

    python benches/without_gil.py .venv/bin/python .venv-ft/bin/python [--hosts HOST:PORT]
        [--threads 32] [--rounds 7] [--seconds 2] [--limit 1.25]

Runs the same cell, in an order drawn anew for each round, in a fresh process of each interpreter:
50/50 read/update of one int bin, 2,000 keys. Prints operations per second, client CPU per
operation (user + sys), and context switches per operation, voluntary and involuntary: medians,
lowest and highest. Then the ratios of each interpreter to the first, round by round. Exits with 1
if the median ratio of CPU per operation exceeds ``--limit``. Without --hosts it starts an embedded
three-node cluster in a process of its own.

An interpreter may belong to another checkout, to compare two commits.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import threading
import time

KEYS = 2_000
COLUMNS = {
    "rate": "op/s",
    "cpu": "CPU us",
    "voluntary": "voluntary switches",
    "involuntary": "involuntary switches",
}


def run(hosts: str, threads: int, seconds: float) -> dict[str, float]:
    """One cell, in this process."""
    import spikewire

    counts = [0] * threads
    begin = threading.Event()
    end = 0.0
    with spikewire.Client(hosts) as client:
        data = client.dataset("test", "threads")
        for key in range(KEYS):
            data.put(key, {"b0": key})

        def work(number: int) -> None:
            begin.wait()
            step = 0
            while time.perf_counter() < end:
                for step in range(step, step + 64):  # noqa: B020
                    key = (step * 7919 + number * 31) % KEYS
                    if step & 1:
                        data.get(key, default=None)
                    else:
                        data.put(key, {"b0": step})
                counts[number] += 64

        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        end = start + seconds
        begin.set()
        for worker in workers:
            worker.join()
        elapsed = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
    total = sum(counts)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "rate": total / elapsed,
        "cpu": cpu / total * 1e6,
        "voluntary": (after.ru_nvcsw - before.ru_nvcsw) / total,
        "involuntary": (after.ru_nivcsw - before.ru_nivcsw) / total,
    }


def main() -> int:
    """Runs the rounds; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("interpreters", nargs="*", default=[sys.executable])
    parser.add_argument("--hosts")
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--limit", type=float, default=1.25)
    parser.add_argument("--cell", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        print(json.dumps(run(options.hosts, options.threads, options.seconds)))
        return 0
    server = None
    if options.hosts is None:
        command = [options.interpreters[0], "-m", "spikewire", "serve", "--nodes", "3"]
        server = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        options.hosts = server.stdout.readline().split()[1]
    cells: dict[str, list[dict[str, float]]] = {name: [] for name in options.interpreters}
    flags = ["--hosts", options.hosts, "--threads", str(options.threads)]
    flags += ["--seconds", str(options.seconds), "--cell"]
    try:
        for _ in range(options.rounds):
            for name in random.sample(options.interpreters, len(options.interpreters)):
                out = subprocess.run(
                    [name, __file__, *flags], check=True, stdout=subprocess.PIPE, text=True
                )
                cells[name].append(json.loads(out.stdout))
    finally:
        if server is not None:
            server.terminate()
            server.wait(10)
    return report(cells, options.limit)


def report(cells: dict[str, list[dict[str, float]]], limit: float) -> int:
    """Prints what was measured; 1 if an interpreter costs more than ``limit`` times the first."""
    for name, rounds in cells.items():
        print(name)
        for column, title in COLUMNS.items():
            print(f"  {title:<22} {spread([cell[column] for cell in rounds])}")
    first, *others = cells
    status = 0
    for name in others:
        print(f"{name} / {first}")
        for column in ("rate", "cpu"):
            pairs = zip(cells[name], cells[first], strict=True)
            ratios = [cell[column] / base[column] for cell, base in pairs]
            print(f"  {COLUMNS[column]:<22} {spread(ratios)}")
            if column == "cpu" and statistics.median(ratios) > limit:
                print(f"  more than {limit:g} times the CPU per operation")
                status = 1
    return status


def spread(values: list[float]) -> str:
    """Median, lowest and highest."""
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:>10,.2f}   ({low:,.2f} to {high:,.2f})"


if __name__ == "__main__":
    sys.exit(main())

"""Scans with the two Rust crates: rows per second, CPU time per row, memory.

    python lab/rust/scans.py [--hosts HOST:PORT] [--records 100000] [--rounds 3] [--seconds 3]

Fills a set with records of 1,000 bytes (an integer, a float, text, bytes) and has each program
here read all of it repeatedly, in fresh processes and interleaved rounds. Prints medians. Without
--hosts it starts an embedded cluster of two nodes in a process of its own. The programs are built
first, which needs cargo.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

CRATE = Path(__file__).resolve().parent
#: Program, mode, name in the table.
CELLS = (
    ("scan-ours", "blocking", "spikewire, iterator"),
    ("scan-ours", "stream", "spikewire, stream on tokio"),
    ("scan-ours", "any", "spikewire, stream on any executor"),
    ("scan-peer", "stream", "aerospike, stream on tokio"),
    ("scan-peer", "foreach", "aerospike, callback on tokio"),
)
SET = "scanned"


def build() -> None:
    for program, feature in (("scan-ours", "ours"), ("scan-peer", "peer")):
        options = ["--release", "--quiet", "--no-default-features", "--features", feature]
        command = ["cargo", "build", *options, "--bin", program]
        subprocess.run(command, cwd=CRATE, check=True)


def fill(hosts: str, records: int) -> None:
    import spikewire

    text, blob = "x" * 400, b"y" * 584
    with spikewire.Client(hosts, timeout=60) as client:
        data = client.dataset("test", SET)
        for start in range(0, records, 1000):
            rows = range(start, min(records, start + 1000))
            bins = {i: {"i": i, "f": i / 7, "s": text, "b": blob} for i in rows}
            data.put_many(bins).raise_for_errors()


def measure(program: str, mode: str, hosts: str, records: int, seconds: float) -> dict[str, float]:
    path = CRATE / "target" / "release" / program
    command = [str(path), hosts, "test", SET, str(records), str(seconds), mode]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    scanned = json.loads(output)
    rows = scanned["rows"]
    return {
        "rate": rows / scanned["elapsed"],
        "user": scanned["user"] / rows * 1e6,
        "system": scanned["system"] / rows * 1e6,
        "ready": scanned["ready"] / 1e6,
        "peak": scanned["peak"] / 1e6,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    build()
    server, hosts = None, options.hosts
    if hosts is None:
        command = [sys.executable, "-m", "spikewire", "serve", "--nodes", "2", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        hosts = server.stdout.readline().split()[1]
    try:
        fill(hosts, options.records)
        cells: dict[str, list[dict[str, float]]] = {}
        for _ in range(options.rounds):
            for program, mode, name in CELLS:
                cell = measure(program, mode, hosts, options.records, options.seconds)
                cells.setdefault(name, []).append(cell)
    finally:
        if server is not None:
            server.terminate()
            server.wait()
    print(f"{'':34}  rows/s  spread %  CPU us/row  user   sys  peak MB  +MB")
    for name, rounds in cells.items():
        middle = {key: statistics.median(cell[key] for cell in rounds) for key in rounds[0]}
        rates = [cell["rate"] for cell in rounds]
        spread = (max(rates) - min(rates)) / middle["rate"] * 100
        cpu, grown = middle["user"] + middle["system"], middle["peak"] - middle["ready"]
        print(
            f"{name:34} {middle['rate']:7,.0f} {spread:9.0f} {cpu:11.2f} {middle['user']:5.2f}"
            f" {middle['system']:5.2f} {middle['peak']:8.1f} {grown:4.1f}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

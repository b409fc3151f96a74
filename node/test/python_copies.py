"""Copies the records of one set to another, for `interop.test.ts`."""

from __future__ import annotations

import sys

import spikewire


def main(seeds: str, source: str, target: str, count: int) -> None:
    """Reads records 0 to `count` and writes their bins, with the keys."""
    with spikewire.Client(seeds, timeout=20) as client:
        read, written = client.dataset("test", source), client.dataset("test", target)
        for number in range(count):
            record = read.get(number)
            written.put(number, record.bins, ttl=record.ttl or "never", send_key=True)


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))

"""The figures of the study."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....fixed.cells import OPERATIONS, SINGLES
from ...relative import beside
from ...report import LESS, MORE, Heading, Row, Table
from .columns import (
    OFFICIAL_SYNC,
    PEER_ASYNC,
    PEER_SYNC,
    PUBLISHED,
    savings,
    to_dictionaries,
    to_official,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...relative import DerivedColumn
    from ...report import Entry

_HOW = (
    "5,000 operations in each of 20 rounds, 500 of warm-up, concurrency 50, 10 batches in a round;"
    " Aerospike CE 8.1.0.3 in a container, Python 3.13, Apple M4 Pro with macOS."
)

# One line for each of `OPERATIONS`, one value for each of `PUBLISHED`.
_LATENCY = (
    (0.191, 0.147, 0.069),
    (0.192, 0.146, 0.089),
    (0.195, 0.149, 0.090),
    (0.189, 0.142, 0.066),
    (0.008, 0.005, 0.002),
    (0.007, 0.005, 0.002),
    (0.008, 0.004, 0.002),
    (0.003, 0.001, 0.003),
)
_RATE = (
    (5_248, 6_780, 14_481),
    (5_214, 6_862, 11_214),
    (5_136, 6_717, 11_125),
    (5_304, 7_025, 15_083),
    (126_820, 197_391, 434_345),
    (151_619, 197_391, 664_809),
    (132_419, 246_465, 618_260),
    (383_436, 686_563, 373_625),
)
_DEVIATION = (
    (0.001, 0.001, 0.001),
    (0.001, 0.001, 0.000),
    (0.001, 0.002, 0.001),
    (0.001, 0.001, 0.001),
    (0.001, 0.002, 0.000),
    (0.001, None, 0.000),
    (0.001, 0.002, 0.000),
    (0.000, 0.000, 0.000),
)
_TAIL = (
    (0.183, 0.283, 0.144, 0.216),
    (0.184, 0.283, 0.142, 0.219),
    (0.186, 0.291, 0.145, 0.224),
    (0.181, 0.282, 0.138, 0.211),
)
_RECORDS = {
    100: (0.056, 0.044, 0.026, 0.024),
    500: (0.017, 0.015, 0.012, 0.006),
    1_000: (0.033, 0.016, 0.005, 0.004),
    5_000: (0.011, 0.007, 0.003, 0.002),
    10_000: (0.007, 0.005, 0.002, 0.001),
}
_BINS = {
    1: (0.020, 0.019, 0.005, 0.003),
    3: (0.023, 0.019, 0.007, 0.004),
    5: (0.028, 0.031, 0.008, 0.004),
    10: (0.038, 0.029, 0.007, 0.004),
    20: (0.023, 0.010, 0.006, 0.004),
}
_MEMORY = {
    100: (169.9, 74.8),
    500: (704.2, 129.0),
    1_000: (1_365.8, 186.3),
    5_000: (6_612.3, 782.3),
    10_000: (13_179.8, 1_575.4),
}
RECORDS, BINS = tuple(_RECORDS), tuple(_BINS)


def _by_operation(
    name: str, title: str, heading: Heading, lines: tuple[tuple[float | None, ...], ...]
) -> Table:
    headings = tuple(
        Heading(one.key, one.title, heading.unit, heading.better, heading.digits)
        for one in PUBLISHED
    )
    rows = tuple(
        Row(operation, {one.key: value for one, value in zip(PUBLISHED, line, strict=True)})
        for operation, line in zip(OPERATIONS, lines, strict=True)
    )
    return Table(f"published-{name}", title, _HOW, headings, rows, "operation")


_TAILS = tuple(
    Heading(f"{one.key}-{at}", f"{one.title}, {at}", "ms", LESS, 3)
    for one in (PEER_SYNC, OFFICIAL_SYNC)
    for at in ("p50", "p99")
)
_SCALES = tuple(
    Heading(f"{one.key}-{what}", f"{one.title}, {what}", "ms", LESS, 3)
    for one in (PEER_SYNC, PEER_ASYNC)
    for what in ("dict", "numpy")
)


def _by_size(
    name: str,
    title: str,
    how: str,
    headings: tuple[Heading, ...],
    lines: Mapping[int, tuple[float, ...]],
    first: str,
) -> Table:
    rows: list[Row] = []
    for size, values in lines.items():
        fields: dict[str, Entry] = {
            one.key: value for one, value in zip(headings, values, strict=True)
        }
        rows.append(Row(f"{size:,}", fields))
    return Table(f"published-{name}", title, how, headings, tuple(rows), first)


_WORDS = {"s": "slower", "f": "faster"}


def _beside_ours(table: Table, columns: Sequence[DerivedColumn], figures: str) -> Table:
    """Adds columns with the figures exactly as printed in the study, since its times are rounded.
    Values of a line are separated by spaces, lines by commas."""
    lines = [line.split() for line in figures.split(",")]
    rows = tuple(
        replace(
            row,
            fields={
                **row.fields,
                **dict(zip((one.heading.key for one in columns), words, strict=True)),
            },
        )
        for row, words in (
            (row, [f"{one[:-1]} times {_WORDS[one[-1]]}" for one in line])
            for row, line in zip(table.rows, lines, strict=True)
        )
    )
    headings = (replace(one.heading, unit="") for one in columns)
    return replace(table, headings=(*table.headings, *headings), rows=rows)


TABLES = (
    _beside_ours(
        _by_operation("latency", "Average latency", Heading("", "", "ms", LESS, 3), _LATENCY),
        to_official(PUBLISHED, rates=False),
        "1.3s 2.1f, 1.3s 1.6f, 1.3s 1.7f, 1.3s 2.1f, 1.5s 2.2f, 1.3s 3.4f, 1.9s 2.5f, 1.8s 1.9s",
    ),
    _beside_ours(
        _by_operation("throughput", "Throughput", Heading("", "", "op/s", MORE, 0), _RATE),
        to_official(PUBLISHED, rates=True),
        "1.3s 2.1f, 1.3s 1.6f, 1.3s 1.7f, 1.3s 2.1f, 1.6s 2.2f, 1.3s 3.4f, 1.9s 2.5f, 1.8s 1.8s",
    ),
    _by_operation(
        "stability",
        "Stability: standard deviation of the rounds' medians",
        Heading("", "", "ms", LESS, 3),
        _DEVIATION,
    ),
    Table(
        "published-tail",
        "Tail latency",
        _HOW,
        _TAILS,
        tuple(
            Row(operation, {h.key: value for h, value in zip(_TAILS, line, strict=True)})
            for operation, line in zip(SINGLES, _TAIL, strict=True)
        ),
        "operation",
    ),
    _beside_ours(
        _by_size(
            "records",
            "NumPy by records, for each record",
            "5 bins, 10 rounds, on the same machine.",
            _SCALES,
            _RECORDS,
            "records",
        ),
        to_dictionaries((PEER_SYNC, PEER_ASYNC)),
        "1.3f 1.1f, 1.1f 2.0f, 2.0f 1.3f, 1.5f 1.6f, 1.5f 1.6f",
    ),
    _beside_ours(
        _by_size(
            "bins",
            "NumPy by bins, for each record",
            "1,000 records, 10 rounds, on the same machine.",
            _SCALES,
            _BINS,
            "bins",
        ),
        to_dictionaries((PEER_SYNC, PEER_ASYNC)),
        "1.1f 1.6f, 1.2f 1.9f, 1.1s 2.2f, 1.3f 1.7f, 2.2f 1.4f",
    ),
    beside(
        _by_size(
            "memory",
            "Memory of a read",
            "5 bins, 10 rounds; the peak that tracemalloc saw, which is what Python allocates.",
            (
                Heading(f"{PEER_SYNC.key}-dict", "aerospike-py, dict", "KB", LESS, 1),
                Heading(f"{PEER_SYNC.key}-numpy", "aerospike-py, numpy", "KB", LESS, 1),
            ),
            _MEMORY,
            "records",
        ),
        savings((PEER_SYNC,)),
    ),
)

"""The flags of `spikewire compare` that scan comparisons use, and those that they reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..run import place, ready
from .cells import (
    INDEX_MODE,
    LARGEST_SIZE,
    LEAST_SIZE,
    NODE_QUERIES_MODE,
    QUERIES_MODE,
    QUERY_MODES,
)

if TYPE_CHECKING:
    import argparse

FOREIGN = {
    "--async-tasks": "async_tasks",
    "--threads": "threads",
    "--in-flight": "in_flight",
    "--processes": "processes",
    "--sweep": "sweep",
    "--floor": "floor",
    "--batch-sizes": "batch_sizes",
    "--write-sizes": "write_sizes",
    "--column-bins": "column_bins",
    "--table-records": "table_records",
    "--keys": "keys",
    "--bins": "bins",
    "--workload": "workload",
    "--lat-sample-every": "lat_sample_every",
    "--error-limit": "error_limit",
    "--hlog": "hlog",
    "--per-process": "per_process",
    "--max-ops": "max_ops",
    "--truncate": "truncate",
    "--most-rounds": "most_rounds",
    "--precision": "precision",
}
"""Flags of other modes, and their names after parsing."""


def problem(args: argparse.Namespace, usual: argparse.Namespace) -> str | None:
    """Why these flags are invalid for scans, or None; `usual` holds all defaults."""
    requested = " and ".join(mode for mode in QUERY_MODES if mode in args.modes)
    others = [mode for mode in args.modes if mode not in QUERY_MODES]
    if others:
        return (
            f"--mode {requested} is a comparison of its own: ask for {', '.join(others)} without it"
        )
    for flag, name in FOREIGN.items():
        if getattr(args, name) != getattr(usual, name):
            return f"{flag} is not for --mode {requested}"
    if len(args.records or (1,)) > 1:
        return f"--records: --mode {requested} takes one number of records"
    if requested == NODE_QUERIES_MODE and args.python:
        return f"--python is not for --mode {requested}"
    if args.slow_records is not None and not {QUERIES_MODE, INDEX_MODE} & set(args.modes):
        return f"--slow-records is for --mode {QUERIES_MODE} or {INDEX_MODE}"
    if args.select is not None and INDEX_MODE not in args.modes:
        return f"--select is for --mode {INDEX_MODE}"
    if args.select is not None and not 0 < args.select < 100:
        return f"--select {args.select:g}: must be more than 0 and less than 100 percent"
    for size in args.record_size or ():
        if not LEAST_SIZE <= size <= LARGEST_SIZE:
            return f"--record-size {size}: must be {LEAST_SIZE} to {LARGEST_SIZE:,} bytes"
    return place.problem(args) or ready.no_program(args.python or ())

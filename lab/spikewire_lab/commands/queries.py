"""`spikewire compare --mode queries,scans-p99`: from the flags to the tables and the JSON file."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

from ..clients.registry import base_of
from ..plan import SkippedClient
from ..queries.cells import NODE_QUERIES_MODE, RECORD_SIZES, RECORDS, SELECTED, SLOW_RECORDS, WAYS
from ..queries.lab import Lab, Scans, Settings
from ..queries.table import show
from ..run import place, ready
from ..run.compare import CannotRunError
from ..run.progress import Progress
from ..run.rounds import until_interrupted
from ..studies.baseline import against
from ..studies.baseline.saved import SCANS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

FLAWED, USAGE, INTERRUPTED = 1, 2, 130
DURATION, WARMUP, PAUSE = 1.0, 0.4, 0.1


def settings(args: argparse.Namespace) -> Settings:
    """The settings that valid flags ask for."""
    flags = {name: getattr(args, name) for name in ("duration", "warmup", "pause")}
    usual = {"duration": DURATION, "warmup": WARMUP, "pause": PAUSE}
    pace: dict[str, Any] = {
        name: usual[name] if seconds is None else seconds for name, seconds in flags.items()
    }
    return Settings(
        modes=args.modes,
        clients=args.clients,
        interpreters=tuple(args.python or [""]),
        records=(args.records or (RECORDS,))[0],
        slow_records=args.slow_records or SLOW_RECORDS,
        selected=SELECTED if args.select is None else args.select,
        sizes=args.record_size or RECORD_SIZES,
        **place.options_of(args),
        rounds=args.rounds,
        seed=args.seed,
        populate=args.populate,
        gil=None if args.gil is None else args.gil == "on",
        client_cpus=args.client_cpus,
        keep_awake=args.keep_awake,
        **pace,
    )


def compare_scans(chosen: Settings, command_line: Sequence[str], progress: Progress) -> Scans:
    """Measures everything; Ctrl-C ends it early with what has been measured so far."""
    scans = Scans(chosen)
    for client in chosen.clients:
        if base_of(client) not in WAYS and set(chosen.modes) != {NODE_QUERIES_MODE}:
            scans.skipped.append(SkippedClient(client, "", "", "its scans are not measured here"))
    with progress:
        until_interrupted(Lab(chosen, scans, progress), scans, command_line)
    return scans


def run(args: argparse.Namespace, path: Path) -> int:
    """Measures and returns the exit status; tables go to standard output, and all results to the
    file."""
    try:
        baseline = against.of_flag(args, (SCANS,))
    except ValueError as error:
        print(f"spikewire: {error}", file=sys.stderr)
        return USAGE
    where = place.options_of(args)
    unreached = ready.out_of_reach(where["hosts"], where["access"])
    if unreached is not None:
        print(f"spikewire compare: {unreached}", file=sys.stderr)
        return FLAWED
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        scans = compare_scans(settings(args), ["spikewire", *sys.argv[1:]], Progress())
    except (CannotRunError, RuntimeError) as error:
        print(f"spikewire compare: {error}", file=sys.stderr)
        return FLAWED
    finally:
        signal.signal(signal.SIGTERM, previous)
    show(scans)
    path.parent.mkdir(parents=True, exist_ok=True)
    report = scans.as_json()
    path.write_text(json.dumps(report) + "\n", encoding="utf-8")
    print(f"written to {path}", file=sys.stderr)
    status = INTERRUPTED if scans.interrupted else FLAWED if scans.flawed else 0
    return against.ended(status, baseline, report)

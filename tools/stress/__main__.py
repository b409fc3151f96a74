"""Puts the client under stress for a time, and says what was counted and what was wrong.

    python tools/stress [--minutes 60] [--seed 1] [--only doubt,forks] [--list]
    python tools/stress --only transactions --seeds 50 --transactions 1000 [--minutes 60]

Each kind of stress gets an equal share of the time, in rounds of at most a minute. With `--seeds`
there are so many rounds of transactions instead, each of which ends once so many transactions are
through, and fails if its share of the time is not enough; `--seed` goes on with a later one. A
round is a process of its own with its own embedded cluster on loopback, and a seed from which its
faults and its work are drawn. A line per round is printed as it ends; the table of all counts comes
last. The exit status is 1 if a round found something wrong, failed or hung, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
NODE = HERE.parent.parent / "node"
KINDS = {
    "doubt": "additions under faults: what was acknowledged, and what is in doubt, adds up",
    "crosstalk": "reads, cancels and time-outs under faults: every answer is that of its own key",
    "queries": "queries while nodes are killed and restarted: no record is missing or twice",
    "spikes": "a node silent, slow or killed: no acknowledged write is lost or applied twice",
    "transactions": "transfers under faults and kills: serializable, no money lost, no lock left",
    "forks": "forks while everything is busy: the child works with the client and ends",
    "interrupts": "handlers that raise in blocking calls: the client goes on",
    "workers": "worker threads of Node.js that are terminated in the middle of calls",
}
ROUND = 60.0
"""The longest round, in seconds."""
GRACE = 120.0
"""How much longer than its time a round may take before it counts as hung."""
TERMINATIONS_PER_SECOND = 100
"""Of workers of Node.js: more than any machine manages, so that the time is the limit."""


@dataclass
class Totals:
    """What the rounds of one kind add up to."""

    rounds: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Runs the rounds; returns the exit status."""
    options = _options()
    if options.list:
        print("\n".join(f"{kind:<12} {text}" for kind, text in KINDS.items()))
        return 0
    kinds = [kind for kind in options.only if kind != "workers" or _has_node()]
    totals = {kind: Totals() for kind in kinds}
    seconds = options.minutes * 60
    if options.seeds:
        rounds = [("transactions", seconds / options.seeds)] * options.seeds
    else:
        rounds = _rounds(kinds, seconds)
    end = time.monotonic() + options.minutes * 60
    try:
        for number, (kind, seconds) in enumerate(rounds):
            _run(kind, seconds, options.seed + number, options.transactions, totals[kind])
            if options.seeds:
                print(f"   {number + 1} of {options.seeds} seeds", flush=True)
                continue
            left = max(end - time.monotonic(), 0) / 60
            print(f"   {left:.0f} of {options.minutes:g} minutes left", flush=True)
    except KeyboardInterrupt:
        _report(totals)
        return 130
    return _report(totals)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="stress", description=__doc__, allow_abbrev=False)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=_positive, default=60.0, help="in all (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of the first round (default: 1)")
    parser.add_argument("--only", type=_kinds, default=list(KINDS), help="kinds, with commas")
    parser.add_argument("--seeds", type=_count, default=0, help="rounds, only of transactions")
    parser.add_argument("--transactions", type=_count, default=0, help="in each of these rounds")
    parser.add_argument("--list", action="store_true", help="list the kinds and end")
    options = parser.parse_args()
    if (options.seeds or options.transactions) and options.only != ["transactions"]:
        parser.error("--seeds and --transactions need --only transactions")
    if bool(options.seeds) != bool(options.transactions):
        parser.error("--seeds and --transactions need each other")
    return options


def _count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 1_000_000:
        raise argparse.ArgumentTypeError("must be between 1 and 1,000,000")
    return count


def _positive(text: str) -> float:
    minutes = float(text)
    if not 0 < minutes <= 1440:
        raise argparse.ArgumentTypeError("must be between 0 and 1440")
    return minutes


def _kinds(text: str) -> list[str]:
    kinds = [kind for kind in KINDS if kind in text.split(",")]
    if len(kinds) != len(set(text.split(","))):
        raise argparse.ArgumentTypeError(f"there are: {', '.join(KINDS)}")
    return kinds


def _has_node() -> bool:
    if shutil.which("node") and (NODE / "dist" / "cli" / "main.js").exists():
        return True
    print("workers: left out, the npm package is not built (make node)", flush=True)
    return False


def _rounds(kinds: list[str], seconds: float) -> list[tuple[str, float]]:
    """Kinds and lengths of the rounds, the kinds in turns."""
    share = seconds / len(kinds)
    count = max(round(share / ROUND), 1)
    return [(kind, share / count) for _ in range(count) for kind in kinds]


def _run(kind: str, seconds: float, seed: int, goal: int, totals: Totals) -> None:
    """Runs one round in a process of its own, which ends early at the goal, and adds what it
    counted."""
    totals.rounds += 1
    began = time.monotonic()
    process = subprocess.Popen(
        _command(kind, seconds, seed, goal),
        cwd=NODE if kind == "workers" else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=seconds + GRACE)
    except subprocess.TimeoutExpired:
        totals.wrong.append(f"seed {seed}: hung")
        print(f"{kind}, seed {seed}: HUNG", flush=True)
        return
    finally:
        _end(process)
    lines = [line for line in stdout.splitlines() if line.startswith("{")]
    counts = json.loads(lines[-1]) if lines else {}
    totals.counts.update({name: n for name, n in counts.items() if type(n) is int})
    took = time.monotonic() - began
    if process.returncode != 0:
        why = (stderr.strip() or stdout.strip()).splitlines()[-3:]
        totals.wrong.append(f"seed {seed}: exit status {process.returncode}: {' / '.join(why)}")
        print(f"{kind}, seed {seed}: FAILED\n{stderr}", flush=True)
    counts_text = ", ".join(f"{name} {n:,}" for name, n in counts.items() if type(n) is int)
    print(f"{kind}, seed {seed}, {took:.0f} s: {counts_text}", flush=True)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a round that still runs, and the cluster that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _command(kind: str, seconds: float, seed: int, goal: int) -> list[str]:
    if kind == "workers":
        count = str(max(round(seconds * TERMINATIONS_PER_SECOND), 20))
        limits = ["--terminations", count, "--seconds", str(max(round(seconds), 1))]
        return ["node", "--expose-gc", "scripts/endurance.mjs", *limits]
    return [sys.executable, str(HERE / f"{kind}.py"), str(seconds), str(seed), str(goal)]


def _report(totals: dict[str, Totals]) -> int:
    print()
    for kind, total in totals.items():
        counts_text = ", ".join(f"{name} {n:,}" for name, n in total.counts.items())
        print(f"{kind:<12} {total.rounds} rounds: {counts_text}")
    wrong = [f"{kind}, {text}" for kind, total in totals.items() for text in total.wrong]
    print("\n".join(["", *(f"WRONG: {text}" for text in wrong)]) if wrong else "\nnothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

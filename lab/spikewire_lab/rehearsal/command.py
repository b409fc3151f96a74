"""The command `spikewire lab rehearse`."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import spikewire
from spikewire.recording import read_trace

from ..arguments import seconds, value
from ..run import place, ready
from .plan import plan_of
from .report import about_round, about_trace, verdict
from .rounds import Settings, client_of, rehearse

if TYPE_CHECKING:
    import argparse

    from .rounds import Round

NAME = "rehearse"
BROKEN, USAGE, INTERRUPTED = 1, 2, 130
DEADLINE_MS = 50.0
MOST_TIMES = 10_000.0


@value
def _times(text: str) -> tuple[float, ...]:
    multiples = set[float]()
    for item in text.split(","):
        try:
            multiple = float(item)
        except ValueError:
            raise ValueError(f"{item.strip()!r} is not a number") from None
        if not 0 < multiple <= MOST_TIMES:
            raise ValueError(f"{item.strip()} is not above 0 and at most {MOST_TIMES:g}")
        multiples.add(multiple)
    return tuple(sorted(multiples))


@value
def _milliseconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number of milliseconds") from None
    if not 0 < number <= 60_000:
        raise ValueError(f"{text} ms is not above 0 and at most a minute")
    return number


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Registers the command next to the recipes."""
    rehearse = commands.add_parser(
        NAME,
        help="send recorded traffic to a cluster at several times its rate",
        description="Sends the like of a trace of client.record to the embedded cluster, or to any"
        " other, in an open loop, and says what breaks first: the deadline, errors, the queue of"
        " calls or the processor of the client. Records are made to the recorded sizes, in sets of"
        " their own. The exit status is 1 if something breaks.",
        allow_abbrev=False,
    )
    rehearse.add_argument("trace", type=Path, metavar="TRACE")
    rehearse.add_argument(
        "--times",
        type=_times,
        default=(1.0,),
        metavar="N,...",
        help="multiples of the recorded rate; of several, each is tried until one breaks; default:"
        " 1",
    )
    rehearse.add_argument(
        "--deadline-ms",
        type=_milliseconds,
        default=DEADLINE_MS,
        metavar="MS",
        help="an answer is good within this time of when its call was due; more than 1%% of late"
        " ones is a break; default: %(default)g",
    )
    rehearse.add_argument(
        "--options",
        default="",
        metavar="NAME=VALUE&...",
        help='options of the client, as in its URL: "timeout=250ms&hedge=p99"; default: its own'
        " defaults",
    )
    rehearse.add_argument(
        "--seconds", type=seconds, metavar="S", help="only this much of the beginning of the trace"
    )
    rehearse.add_argument(
        "--partial",
        action="store_true",
        help="accept a trace whose end is missing, because its process was killed",
    )
    rehearse.add_argument(
        "--seed", type=int, default=1, help="seed of whatever is random; default: %(default)s"
    )
    rehearse.add_argument(
        "--json", type=Path, metavar="FILE", help="save all figures of all seconds"
    )
    where = place.add_flags(rehearse)
    place.add_alternate(where)
    rehearse.set_defaults(run=run, server_cpus=(), set_name="rehearsal")


def run(args: argparse.Namespace) -> int:
    """Returns the exit status: 2 for wrong use or a trace that cannot be read; 130 for Ctrl-C; 1 if
    something breaks or the cluster cannot be reached; otherwise 0."""
    reason = place.problem(args) or ready.unwritable(args.json)
    if reason is not None:
        return _fail(reason)
    try:
        trace = read_trace(args.trace, partial=args.partial)
        plan = plan_of(trace)
        if args.seconds is not None:
            plan.shorten(args.seconds)
        client_of("127.0.0.1", args.options)
    except (OSError, ValueError, TypeError) as error:
        return _fail(str(error))
    where = place.Place(**place.options_of(args))
    unreached = ready.out_of_reach(where.hosts, where.access)
    if unreached is not None:
        return _fail(unreached, BROKEN)
    for line in about_trace(trace, plan):
        print(line)
    settings = Settings(where, args.times, args.deadline_ms / 1000, args.seed, args.options)
    rounds: list[Round] = []
    interrupted = False
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        rehearse(plan, settings, rounds, _say)
    except KeyboardInterrupt:
        interrupted = True
    except (spikewire.Error, RuntimeError, OSError) as error:
        return _fail(str(error), BROKEN)
    finally:
        signal.signal(signal.SIGTERM, previous)
    for one in rounds:
        for line in about_round(one):
            print(line)
    print(verdict(rounds))
    if args.json is not None:
        figures = {
            "trace": str(args.trace),
            "place": where.as_json(),
            "deadline": settings.deadline,
            "options": settings.options,
            "verdict": verdict(rounds),
            "rounds": [one.as_json() for one in rounds],
        }
        try:
            args.json.write_text(json.dumps(figures, indent=1) + "\n")
        except OSError as error:
            return _fail(str(error), BROKEN)
    if interrupted:
        return INTERRUPTED
    return BROKEN if any(one.breaks for one in rounds) else 0


def _say(what: str) -> None:
    """Progress, for people who watch."""
    print(what, file=sys.stderr, flush=True)


def _fail(reason: str, status: int = USAGE) -> int:
    print(f"spikewire lab rehearse: {reason}", file=sys.stderr)
    return status

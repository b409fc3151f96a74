"""Runs random path expressions on two servers, and prints where they differ.

    tools/compare_paths.py 127.0.0.1:3000 127.0.0.1:4000 --count 100000 --seed 1

The first is usually an embedded cluster of one node, the second a real server; both need the
namespace `test`. Each run stores a nested list or map, selects, changes or removes by a path (in an
operation, an expression or a filter), and reads the record afterwards. The result code, the
generation and every byte of both replies are compared. Differences are grouped by what was sent and
by how the results differ, with examples. The exit status is 1 if there are any.

What ends a server of 8.1.2 is left out, as far as it is known. So is, without `--nested-places`, a
step below the first that names an element by its rank, or in a map by its index: such a server goes
on at a wrong place, and mostly fails with 1. Ranks of equal elements are left out, too: a server
chooses. If a server closes the connection all the same, what was sent last is printed.
`--first N --count 1` repeats run N of a seed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time

from differential import messages
from differential.commands import BIN, Command, draw_command
from differential.messages import Pipeline, Reply
from differential.tally import Tally

#: Commands that are sent before their replies are read.
WINDOW = 100


def main() -> int:
    """Compares; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("seeds", nargs=2, metavar="HOST:PORT", help="the two servers")
    parser.add_argument("--count", type=int, default=100_000, help="runs")
    parser.add_argument("--seed", type=int, default=1, help="of the random draws")
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument(
        "--nested-places",
        action="store_true",
        help="steps below the first may name an element by index or rank, too",
    )
    options = parser.parse_args()
    tally = Tally()
    servers = [Pipeline(seed) for seed in options.seeds]
    # Records of earlier runs have other digests.
    salt = os.urandom(12)
    started = time.monotonic()
    last = options.first + options.count
    for start in range(options.first, last, WINDOW):
        numbers = range(start, min(start + WINDOW, last))
        commands = [_command(options, salt, number) for number in numbers]
        if not _run(servers, commands, numbers.start, tally):
            return 1
    tally.print_differences()
    tally.print_total("runs", time.monotonic() - started)
    for server in servers:
        server.close()
    return int(bool(tally.differences))


def _command(options: argparse.Namespace, salt: bytes, number: int) -> Command:
    digest = salt + number.to_bytes(8, "little")
    draw = random.Random(f"{options.seed}:{number}")  # noqa: S311 (not for secrets)
    return draw_command(draw, digest, with_nested_places=options.nested_places)


def _run(servers: list[Pipeline], commands: list[Command], first: int, tally: Tally) -> bool:
    """Runs commands on both servers; returns whether these are still there."""
    requests = []
    for command in commands:
        requests += [command.store] if command.store else []
        requests += [command.request, _state(command.digest), messages.deletion(command.digest)]
    for server in servers:
        server.send(requests)
    for number, command in enumerate(commands, first):
        outcomes = [_outcome(server, command) for server in servers]
        here, there = outcomes
        if here is None or there is None:
            which = "first" if here is None else "second"
            print(f"the {which} server is gone at run {number}:\n  {command.text}")
            return False
        kind = command.kind
        tally.add_run(kind)
        if here != there:
            text = f"run {number}: {command.text}"
            differs = (*kind, "|", *_describe(here, there))
            with_state = here[-1] != there[-1]
            displays = [_show(outcome, with_state=with_state) for outcome in (here, there)]
            tally.add_difference(differs, text, *displays)
    return True


def _state(digest: bytes) -> bytes:
    names = (BIN, "x", "r")
    return messages.request(digest, [messages.operation(messages.READ_BIN, name) for name in names])


def _outcome(server: Pipeline, command: Command) -> tuple[Reply, ...] | None:
    """The replies of a server: to storing, to the command, and to reading afterwards."""
    count = 3 if command.store else 2
    replies = [server.read_reply() for _ in range(count + 1)]
    outcome = tuple(reply for reply in replies[:-1] if reply is not None)
    return outcome if len(outcome) == count else None


def _describe(here: tuple[Reply, ...], there: tuple[Reply, ...]) -> tuple[object, ...]:
    """How outcomes differ."""
    mine, theirs = here[-2], there[-2]
    if len(here) == 3 and here[0] != there[0]:
        return ("stored",)
    if mine.code != theirs.code:
        return ("code", mine.code, "and", theirs.code)
    if mine.entries != theirs.entries:
        return ("results",)
    return ("generation",) if here[-1].entries == there[-1].entries else ("record afterwards",)


def _show(outcome: tuple[Reply, ...], *, with_state: bool) -> str:
    reply, state = outcome[-2:]
    stored = "" if len(outcome) < 3 or outcome[0].code == 0 else f"stored {outcome[0]}; "
    return f"{stored}{reply}" + (f"; afterwards {state}" if with_state else "")


if __name__ == "__main__":
    sys.exit(main())

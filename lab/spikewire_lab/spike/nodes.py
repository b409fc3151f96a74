"""An embedded cluster with faults, in a process of its own.

Run as a module, it reads one line of options and then commands, one a line, as JSON from standard
input, and answers each with a line. It ends with its input, so that it never outlives the lab.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

from .descriptors import allow_many
from .scenarios import CLEAR, INJECT, KILL, RESTART

if TYPE_CHECKING:
    from collections.abc import Callable

SETTLED = "settled"
"""The command that waits until every partition has all its copies."""
SETTLE_SECONDS = 30.0


def main() -> int:
    """Serves until standard input ends, or SIGTERM."""
    from spikewire.testing import Cluster

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    allow_many()
    options: Any = json.loads(sys.stdin.readline())
    cluster: Any
    with Cluster(**options) as cluster:
        print(f"ready {cluster.seeds}", flush=True)
        serve(cluster, sys.stdin, sys.stdout)
    return 0


def serve(cluster: Any, commands: TextIO, answers: TextIO) -> None:
    """Executes commands until there are no more; each answer says when its command was done."""
    known: dict[str, Callable[[int, dict[str, Any]], object]] = {
        INJECT: lambda node, faults: cluster.inject(node, **faults),
        CLEAR: lambda node, _faults: cluster.clear_faults(node),
        KILL: lambda node, _faults: cluster.kill(node),
        RESTART: lambda node, _faults: cluster.restart(node),
        SETTLED: lambda _node, _faults: cluster.wait_settled(SETTLE_SECONDS),
    }
    for line in commands:
        command = json.loads(line)
        answer: dict[str, object] = {}
        try:
            known[command["action"]](command["node"], command["faults"])
        except Exception as error:  # noqa: BLE001 - the lab reports it
            answer["failed"] = f"{type(error).__name__}: {error}"
        answer["at"] = time.perf_counter_ns()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())

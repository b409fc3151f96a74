"""The service of the recipe `serving` by itself, for other load generators:

    python -m spikewire_lab.serving --client spikewire -H 127.0.0.1:3000

It writes the records, says `serving PORT`, and answers `GET /features?user=N` until Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..access.seeds import parse_seeds
from ..arguments import count, value
from ..clients.base import ASYNC
from ..run.launch import python_worker
from .cells import ASGI, BATCH, BINS, CLIENTS, MODEL, NEEDS, SERVE, WAYS
from .server import serve
from .store import fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import ServingJob


def parser() -> argparse.ArgumentParser:
    flags = argparse.ArgumentParser("python -m spikewire_lab.serving", allow_abbrev=False)
    flags.add_argument("--client", choices=CLIENTS, default=CLIENTS[0])
    flags.add_argument("--environment", choices=(ASGI, MODEL), default=MODEL)
    flags.add_argument("--way", choices=tuple(WAYS), default=BATCH)
    seeds = value(parse_seeds)
    flags.add_argument("-H", "--hosts", type=seeds, default="127.0.0.1:3000", metavar="SEEDS")
    flags.add_argument("-n", "--namespace", default="test")
    flags.add_argument("-s", "--set", default="serving", help="first part of the sets' names")
    flags.add_argument("--sets", type=count, default=9, help="default: 9")
    flags.add_argument("--rows", type=count, default=200, help="records of each; default: 200")
    flags.add_argument("-k", "--keys", type=count, default=20_000, help="default: 20,000")
    flags.add_argument(
        "--no-populate", dest="populate", action="store_false", help="use the existing records"
    )
    return flags


def job_of(args: argparse.Namespace) -> ServingJob:
    return {
        "action": SERVE,
        "client": args.client,
        "mode": ASYNC,
        "concurrency": 1,
        "shape": {"kind": "single", "rows": 1, "columns": 0, "way": ""},
        "seeds": list(args.hosts),
        "namespace": args.namespace,
        "set": args.set,
        "keys": args.keys,
        "bins": BINS,
        "workload": "RU,100",
        "warmup": 0.0,
        "duration": 0.0,
        "sample_every": 1,
        "seed": 1,
        "cpus": [],
        "server_pid": None,
        "environment": args.environment,
        "way": args.way,
        "sets": args.sets,
        "rows": min(args.rows, args.keys),
        "server": python_worker(""),
        "variables": {},
        "rate": None,
        "replicas": 1,
    }


def main(arguments: Sequence[str]) -> int:
    args = parser().parse_args(arguments)
    job = job_of(args)
    try:
        if args.populate:
            print(f"writing {fill(job):,} records", file=sys.stderr)
        serve(job)
    except KeyboardInterrupt:
        return 130
    except (ImportError, RuntimeError, OSError) as error:
        needed = ", ".join(NEEDS[args.environment])
        print(f"{error}; it needs the client and {needed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

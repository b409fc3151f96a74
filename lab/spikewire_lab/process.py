"""One job in a fresh process: a job as JSON on standard input, its result on standard output."""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from typing import TYPE_CHECKING, cast

from .build import loaded
from .clients.registry import base_of
from .cql import ACTION as CQL_ACTION
from .fixed.cells import ACTIONS as FIXED_ACTIONS
from .queries.cells import ACTIONS as QUERY_ACTIONS
from .serving.cells import ACTIONS as SERVING_ACTIONS
from .spike.result import ACTIONS as SPIKE_ACTIONS
from .worker.package import load_from
from .worker.run import describe, measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .contract.result import Job

_LAB = str(__package__)
"""The lab's own package, which in a worker is loaded from its folder under another name."""


def answer(job: Job) -> Mapping[str, object]:
    """The result of a job, or why there is none, and which build of our package was loaded."""
    named = job["client"]
    base = base_of(named)
    result = {**_answer({**job, "client": base})}
    if result.get("client") == base:
        result["client"] = named
    build = loaded()
    return result if build is None else {**result, "build": build}


def _answer(job: Job) -> Mapping[str, object]:
    try:
        if "package" in job:
            load_from(job["package"])
        if job["action"] == "describe":
            return cast("Mapping[str, object]", describe(job))
        if job["action"] in QUERY_ACTIONS:
            scans = vars(importlib.import_module(f"{_LAB}.queries.worker"))
            return cast("Mapping[str, object]", scans["answer"](job))
        if job["action"] in FIXED_ACTIONS:
            fixed = vars(importlib.import_module(f"{_LAB}.fixed.worker"))
            return cast("Mapping[str, object]", fixed["answer"](job))
        if job["action"] in SERVING_ACTIONS:
            serving = vars(importlib.import_module(f"{_LAB}.serving.worker"))
            return cast("Mapping[str, object]", serving["answer"](job))
        if job["action"] in SPIKE_ACTIONS:
            spike = vars(importlib.import_module(f"{_LAB}.spike.worker"))
            return cast("Mapping[str, object]", spike["answer"](job))
        if job["action"] == CQL_ACTION:
            cql = vars(importlib.import_module(f"{_LAB}.cql.worker"))
            return cast("Mapping[str, object]", cql["answer"](job))
        return cast("Mapping[str, object]", measured(job))
    except Exception as error:  # noqa: BLE001 - a failed run is a result like any other
        traceback.print_exc(file=sys.stderr)
        return {"failed": f"{type(error).__name__}: {error}"}


def main() -> int:
    """Keeps standard output for the result: what a client prints goes to standard error."""
    result_stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # More input may follow if several processes meet.
    job = cast("Job", json.loads(sys.stdin.readline()))
    with result_stream:
        json.dump(answer(job), result_stream)
        result_stream.write("\n")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A client's own threads must not keep a finished worker alive.
    os._exit(status)

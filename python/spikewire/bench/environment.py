"""Where and when a comparison was made, so that a table can be judged later."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from . import cluster as clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

LAB_PACKAGES = ("spikewire", "uvloop", "hdrhistogram", "rich")


def describe(cluster: clusters.Cluster, command_line: Sequence[str]) -> dict[str, object]:
    """Taken at the start; what each worker saw is in its own result."""
    return {
        **machine(command_line),
        "cluster": {
            "kind": cluster.describe(),
            "seeds": [f"{host}:{port}" for host, port in cluster.seeds],
            "build": _ask(cluster, "build"),
            "edition": _ask(cluster, "edition"),
        },
    }


def machine(command_line: Sequence[str]) -> dict[str, object]:
    """Where and when, whatever the database."""
    return {
        "date": dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds"),
        "command_line": list(command_line),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu_model": _cpu_model(),
        "cpu_count": os.cpu_count(),
        "load_average": load_average(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in LAB_PACKAGES},
    }


def _ask(cluster: clusters.Cluster, name: str) -> str | None:
    return clusters.ask(cluster.seeds[0], name) if cluster.seeds else None


def load_average() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_model() -> str | None:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or None

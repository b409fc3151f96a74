"""Where and when a comparison was made, so that a table can be judged later."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from . import build
from . import cluster as clusters
from .launch import recorded_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CGROUP = ("cpu.max", "cpu.weight", "cpuset.cpus.effective", "memory.max")
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
        "kernel": platform.version(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "cgroup": {name: value for name in CGROUP if (value := _text(f"/sys/fs/cgroup/{name}"))},
        "variables": recorded_variables(),
        "build": build.loaded(),
        "packages": {name: _version(name) for name in LAB_PACKAGES},
    }


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _ask(cluster: clusters.Cluster, name: str) -> str | None:
    return clusters.ask(cluster.seeds[0], name) if cluster.seeds else None


def loads(runs: object) -> Iterator[float]:
    """The load average over a minute that each run saw before it, from runs wherever they are."""
    if isinstance(runs, Mapping):
        one = cast("Mapping[str, object]", runs)
        seen = one.get("load_average")
        if isinstance(seen, (list, tuple)) and seen:
            yield float(cast("Sequence[float]", seen)[0])
        for value in one.values():
            yield from loads(value)
    elif isinstance(runs, (list, tuple)):
        for value in cast("Sequence[object]", runs):
            yield from loads(value)


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

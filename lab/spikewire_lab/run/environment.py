"""Where and when a comparison was made, so that its tables can be judged later."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import build
from ..access import info, probe
from ..access.flags import without_secrets
from ..access.seeds import seed_text
from ..measure import load_average
from .launch import recorded_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .cluster import Cluster

CGROUP = ("cpu.max", "cpu.weight", "cpuset.cpus.effective", "memory.max")
LAB_PACKAGES = ("spikewire", "uvloop", "hdrhistogram", "rich")


def describe(cluster: Cluster, command_line: Sequence[str]) -> dict[str, object]:
    """Taken at the start; each worker reports its own environment in its result."""
    let_in = probe.described(cluster.seeds[0], cluster.access) if cluster.seeds else ""
    return {
        **machine(command_line),
        "cluster": {
            "kind": cluster.describe(),
            **({"access": let_in} if let_in else {}),
            "seeds": [seed_text(seed) for seed in cluster.seeds],
            "build": info.first(cluster.seeds, "build", cluster.access),
            "edition": info.first(cluster.seeds, "edition", cluster.access),
        },
    }


def cluster_in_words(environment: Mapping[str, Any], *, access: bool = False) -> str:
    """What is known of the cluster, or only login and encryption; empty if nothing is."""
    cluster: Any = environment.get("cluster")
    if not isinstance(cluster, dict):
        return "" if access else str(cluster or "")
    known = cast("dict[str, Any]", cluster)
    parts = known.get("access"), None if access else known.get("kind")
    return ", ".join(str(one) for one in reversed(parts) if one)


def machine(command_line: Sequence[str]) -> dict[str, object]:
    """Machine and date, for any database."""
    return {
        "date": dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds"),
        "command_line": without_secrets(command_line),
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


def loads(runs: object) -> Iterator[float]:
    """The one-minute load average before each run, collected from runs at any depth."""
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

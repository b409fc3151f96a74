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
from .aerospike_server import AerospikeServer
from .cluster import ROWS
from .launch import recorded_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..access import Access
    from ..access.seeds import Seed
    from .cluster import Cluster

CGROUP = ("cpu.max", "cpu.weight", "cpuset.cpus.effective", "memory.max")
OWN_SERVER = "spikewire-server"
LAB_PACKAGES = ("spikewire", "uvloop", "hdrhistogram", "rich")


def describe(cluster: Cluster, command_line: Sequence[str]) -> dict[str, object]:
    """Taken at the start; each worker reports its own environment in its result."""
    let_in = probe.described(cluster.seeds[0], cluster.access) if cluster.seeds else ""
    return {
        **machine(command_line),
        "cluster": {
            "server": server_in_words(cluster.seeds, cluster.access),
            "kind": cluster.describe(),
            **({"access": let_in} if let_in else {}),
            "seeds": [seed_text(seed) for seed in cluster.seeds],
            "build": info.first(cluster.seeds, "build", cluster.access),
            **_storage(cluster),
        },
    }


def server_in_words(seeds: Sequence[Seed], access: Access) -> str | None:
    """What the server is. Our own answers like a real one, and is told by a statistic of its own;
    None if nothing answers."""
    build = info.first(seeds, "build", access)
    statistics = info.first(seeds, "statistics", access)
    if build is None:
        return None
    if f"{ROWS}=" in (statistics or ""):
        return f"{OWN_SERVER} {_version('spikewire') or ''}, speaks {build}".replace(" ,", ",")
    return f"{info.first(seeds, 'edition', access) or 'an unknown server,'} {build}"


def _storage(cluster: Cluster) -> dict[str, str]:
    """How a real server of the lab's own keeps records."""
    if not isinstance(cluster, AerospikeServer):
        return {}
    known = info.first(cluster.seeds, "get-config:context=service", cluster.access) or ""
    pairs: dict[str, str] = {}
    for entry in known.split(";"):
        name, _, value = entry.partition("=")
        pairs[name] = value
    return {"service_threads": pairs["service-threads"]} if "service-threads" in pairs else {}


def cluster_in_words(environment: Mapping[str, Any], *, access: bool = False) -> str:
    """What is known of the cluster, or only login and encryption; empty if nothing is."""
    cluster: Any = environment.get("cluster")
    if not isinstance(cluster, dict):
        return "" if access else str(cluster or "")
    known = cast("dict[str, Any]", cluster)
    parts = [known.get("access")]
    if not access:
        parts += [known.get("kind"), server_of(known)]
    return ", ".join(str(one) for one in reversed(parts) if one)


def server_of(cluster: Mapping[str, Any]) -> str:
    """What the server of a saved run is. Earlier runs have what the embedded one answers, which is
    what a real server of that version does."""
    named = cluster.get("server")
    if named:
        return str(named)
    build = cluster.get("build")
    if str(cluster.get("kind", "")).startswith("embedded"):
        return f"{OWN_SERVER}, speaks {build}" if build else OWN_SERVER
    return f"{cluster.get('edition') or ''} {build or ''}".strip()


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

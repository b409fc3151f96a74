"""Where and when a comparison was made, so that a table can be judged later."""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from . import cluster as clusters
from .launch import recorded_variables

if TYPE_CHECKING:
    from collections.abc import Sequence

CGROUP = ("cpu.max", "cpu.weight", "cpuset.cpus.effective", "memory.max")
_RUSTC = re.compile(rb"/rustc/([0-9a-f]{40})/")
"""Names the compiler's commit in the paths of its own library."""
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
        "build": build(),
        "packages": {name: _version(name) for name in LAB_PACKAGES},
    }


def build() -> dict[str, object]:
    """Which build of this package is measured: the native part's digest and size, the
    compiler's commit, and the commit of the source tree that it lies in."""
    package = Path(__file__).resolve().parents[2]
    files = (file for kind in ("so", "pyd") for file in package.glob(f"_native*.{kind}"))
    native = next(files, None)
    found: dict[str, object] = {"native": None, **_commit(package)}
    if native is not None:
        content = native.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        found["native"] = {"name": native.name, "bytes": len(content), "sha256": digest}
        made = _RUSTC.search(content)
        found["rustc"] = made[1].decode() if made else None
    return found


def _commit(folder: Path) -> dict[str, object]:
    """None for an installed package; `modified` if files differ from that commit."""
    head = _git(folder, "rev-parse", "HEAD")
    changed = None if head is None else _git(folder, "status", "--porcelain", "-uno")
    return {"commit": head, "modified": None if changed is None else bool(changed)}


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None or not any((parent / ".git").exists() for parent in folder.parents):
        return None
    made = subprocess.run(  # noqa: S603 - no shell, our own arguments
        [git, "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return made.stdout.strip() if made.returncode == 0 else None


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


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

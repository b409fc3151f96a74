"""The Node.js clients: run by the worker in lab/node, as built last."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import build, measure
from ..plan import NODE_BUILDER, NODE_DROP_IN, NODE_OURS, NODE_PEER, NODE_PEER_UV
from .launch import SETUP_SECONDS, run_job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..contract.cql import CqlJob
    from ..contract.result import Job

PROJECT = Path("lab") / "node"
WORKER = PROJECT / "dist" / "worker.js"
ADDON = Path("node_modules") / "spikewire" / "native"
"""The folder of our client's native part, in the project's folder."""
PACKAGES = {
    NODE_OURS: "spikewire",
    NODE_BUILDER: "spikewire/builder",
    NODE_DROP_IN: "spikewire/compat",
    NODE_PEER: "aerospike",
    NODE_PEER_UV: "aerospike",
    "cassandra-driver-node": "cassandra-driver",
}
"""The name of each client in the worker."""
VARIABLES = {NODE_PEER_UV: {"UV_THREADPOOL_SIZE": "128"}}
"""What changes a client's runtime; without it libuv has 4 threads."""


def find_worker(start: Path | None = None) -> Path | None:
    """The worker in the source tree of this package, or of the current directory."""
    here = (start or Path(__file__)).resolve()
    for folder in (*here.parents, Path.cwd(), *Path.cwd().parents):
        if (folder / PROJECT / "package.json").is_file():
            return folder / WORKER
    return None


@dataclass(frozen=True)
class Runner:
    """Runs the Node.js clients."""

    node: str
    worker: Path

    def start(
        self,
        job: Job | CqlJob,
        seconds: float = SETUP_SECONDS,
        on_report: Callable[[Any], object] | None = None,
    ) -> Mapping[str, Any]:
        """Runs a job in processes of its own, and encodes its samples; `on_report` is called with
        their reports before."""
        command = [self.node, str(self.worker)]
        if job["cpus"]:
            taskset = shutil.which("taskset")
            if taskset is None:
                return {
                    "failed": "taskset, which --client-cpus needs for Node.js, is not installed"
                }
            command = [taskset, "-c", ",".join(map(str, job["cpus"])), *command]
        named = job["client"]
        job = cast("Job", {**job, "client": PACKAGES[named]})
        answer = {**run_job(command, job, VARIABLES.get(named), seconds, on_report)}
        if "client" in answer:
            answer["client"] = named
        addon = _addon(self.worker)
        if addon is None:
            return encoded(answer)
        return encoded(build.completed(answer, addon, None))


def runner(worker: Path | None = None) -> tuple[Runner | None, str]:
    """The runner of these clients, or why there is none."""
    script = worker or find_worker()
    if script is None:
        return None, f"{PROJECT} is not here: the Node.js clients need a source checkout"
    node = shutil.which("node")
    if node is None:
        return None, "there is no node"
    if not script.is_file() or _addon(script) is None:
        return None, "the Node.js part of the lab is not built: make lab-node"
    return Runner(node, script), ""


def _addon(worker: Path) -> Path | None:
    return next((worker.parents[1] / ADDON).glob("*.node"), None)


def encoded(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer with histograms instead of raw samples, and the figures derived from them."""
    latency = answer.get("latency")
    if latency is None:
        return answer
    samples: dict[str, list[int]] = {name: latency[name] for name in ("read", "write")}
    latencies = [nanoseconds for name in samples for nanoseconds in samples[name]]
    within = {
        str(limit): sum(nanoseconds <= limit * 1_000_000 for nanoseconds in latencies)
        for limit in measure.WITHIN_MS
    }
    histograms = {name: measure.encode(values) for name, values in samples.items()}
    largest = round(latency["max_ns"])
    result = {**answer, "latency": {**latency, **histograms, "max_ns": largest, "within": within}}
    series: Mapping[str, Any] | None = answer.get("series")
    if series is not None:
        parts = {
            name: list(map(measure.encode, series[name])) for name in samples if name in series
        }
        result["series"] = {**series, **parts}
    return result

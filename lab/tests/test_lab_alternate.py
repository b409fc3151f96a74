"""`--services-alternate` is in every job of every recipe that connects to the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("rich.console", reason="the lab's rich is not installed")
pytest.importorskip("hdrh.histogram", reason="the lab's hdrhistogram is not installed")

from spikewire_lab.queries import lab as scans
from spikewire_lab.run import compare
from spikewire_lab.run.place import NO_ALTERNATE
from spikewire_lab.run.progress import Progress
from spikewire_lab.studies import interleaved, recipes
from spikewire_lab.studies.recipe import QUICK, Bench, Target
from spikewire_lab.studies.recipes.serving import lab as serving
from spikewire_lab.studies.run import run_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spikewire_lab.contract.result import Job

CLIENTS = ("spikewire", "aerospike-py", "spikewire-node")


def a_bench(*, alternate: bool) -> Bench:
    target = Target(hosts=(("127.0.0.1", 1),), services_alternate=alternate)
    return Bench(target, QUICK, ("",), Progress(bar=False), ["spikewire", "lab"], CLIENTS)


@pytest.mark.parametrize("name", ["aerospike-py", "serving", "node", "latency", "sdk"])
@pytest.mark.parametrize("alternate", [True, False])
def test_every_job_has_the_alternate_address_option(
    name: str, alternate: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs: list[Job] = []

    def answer(_command: object, job: Any, *_: object, **__: object) -> Mapping[str, object]:
        if job["seeds"]:
            jobs.append(job)
        elif job["action"].startswith("describe"):
            return {"unavailable": None}
        if job["action"] in ("populate", "fill", "fill-sets"):
            return {"operations": job["keys"], "records": job["keys"] * job.get("sets", 1)}
        return {"failed": "nothing is there"}

    for module in (interleaved, serving, scans, compare):
        monkeypatch.setattr(module, "run_job", answer)
    bench = a_bench(alternate=alternate)
    run_recipe(recipes.load(name), bench, tmp_path)
    assert jobs
    assert {job.get("services_alternate", False) for job in jobs} == {alternate}
    if name == "node" and alternate:
        assert any("spikewire-node" in one and NO_ALTERNATE in one for one in bench.skipped)

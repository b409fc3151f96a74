"""The bench that tests run recipes with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire_lab.run.progress import Progress
from spikewire_lab.studies import recipes
from spikewire_lab.studies.recipe import QUICK, Bench, Target
from spikewire_lab.studies.run import run_recipe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spikewire_lab.studies.report import Report


def a_bench(size: str = QUICK, clients: tuple[str, ...] = ()) -> Bench:
    """Without clients, those of each study are used."""
    return Bench(Target(), size, ("",), Progress(bar=False), ["spikewire", "lab"], clients)


def ran(name: str, folder: Path, sections: Sequence[str], *clients: str) -> Report:
    """The report of a recipe's smoke test, which has all of these sections."""
    report = run_recipe(recipes.load(name), a_bench(clients=clients), folder)
    assert [section.name for section in report.sections] == list(sections)
    assert not report.interrupted
    return report

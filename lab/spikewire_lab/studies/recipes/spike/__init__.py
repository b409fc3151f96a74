"""Clients under a spike: overload, mute and slow nodes, hot keys, restarts, deadlines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....spike.scenarios import SCENARIOS
from ...recipe import Recipe
from .aims import conclusion, section
from .capacity import Capacity
from .cells import CLIENTS, Study
from .scenario import Spike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Bench, Measurement
    from ...report import Report

__all__ = ["CLIENTS", "RECIPE"]


class UnderSpike(Recipe):
    name = "spike"
    title = "Under a spike: overload, mute nodes, hot keys, deadlines"
    text = (
        "Clients are compared when all is well; services fall over when it is not. Here calls are"
        " due by schedule, at random instants, whatever becomes of those before them, and their"
        " times count from when they were due. A call is good if its answer is there within the"
        " deadline of the scenario.\n\n"
        "Each client runs in a process of its own, once with its default options and once with the"
        " best that it has for the scenario, which the page names. Those with an asyncio API get a"
        " task for each call; those that block get 256 threads, and calls wait for a free one. Each"
        " run has a cluster of its own, in a process of its own: three embedded nodes, two copies"
        " of each record. Nodes that are to have a capacity work on one request at a time.\n\n"
        "Requests per call are counted at the nodes; what a mute node swallows is not among them."
    )

    def __init__(self) -> None:
        self._study = Study()

    def parts(self) -> Sequence[Measurement]:
        self._study = Study()
        return (Capacity(self._study), *(Spike(one, self._study) for one in SCENARIOS))

    def selected(self, parts: Sequence[Measurement], bench: Bench) -> Sequence[Measurement]:
        """Without the scenarios that were not asked for."""
        letters = bench.scenarios.scenarios
        return [
            one
            for one in parts
            if not isinstance(one, Spike) or not letters or one.scenario.letter in letters
        ]

    def conclude(self, report: Report) -> None:
        aims = section(self._study)
        if aims is not None:
            report.sections.insert(0, aims)
            report.conclusions.insert(0, conclusion(aims.tables[0]))
        if "npm" not in " ".join(report.skipped):
            report.skipped.append(
                "The clients of npm: the study's load is made in Python; `spikewire lab node` has"
                " theirs."
            )


RECIPE = UnderSpike()

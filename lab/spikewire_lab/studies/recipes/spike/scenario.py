"""A part of the study: one scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....run.compare import CannotRunError
from ....spike.options import BEST, DEFAULTS
from ....spike.scenarios import without_faults
from ...interleaved import Outcomes
from ...recipe import FULL, QUICK, SHORT, Bench, Measurement, Part
from ...report import Section
from ...scenario_flags import RECIPE
from .capacity import keys
from .cells import CLIENTS, FEW, Cell, Study, cells, typical
from .figures import charts, flaw, losses, table
from .lab import SpikeLab

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....spike.result import SpikeResult
    from ....spike.scenarios import Scenario

FAULT_SECONDS = {QUICK: 1.0, SHORT: 2.0}
"""How long the trouble lasts by size; in full as long as the scenario says."""
IN_SHORT = "abg"
"""The scenarios of the short form: overload, a mute node, a deadline."""


def of_bench(scenario: Scenario, bench: Bench) -> Scenario:
    """The scenario with the times that the user wants. Raises `CannotRunError` if the cluster is
    not one whose nodes can be made to fail."""
    if bench.target.hosts:
        left = without_faults(scenario)
        if left is None:
            raise CannotRunError("needs nodes that can be made to fail, not a cluster given by -H")
        scenario = left
    elif scenario.faulty and bench.target.nodes < 2:
        raise CannotRunError("needs --nodes 2 or more")
    seconds = bench.scenarios.seconds or bench.overrides.duration
    seconds = seconds or FAULT_SECONDS.get(bench.size)
    begun, ended = scenario.fault_window()
    return scenario if seconds is None else scenario.scaled(seconds / (ended - begun))


@dataclass
class Spike(Measurement):
    scenario: Scenario
    study: Study

    def __post_init__(self) -> None:
        self.name, self.title = self.scenario.name, self.scenario.title
        self.seconds = 6 * (FAULT_SECONDS[SHORT] * 1.8 + 1)
        if self.scenario.letter not in IN_SHORT:
            self.sizes = (QUICK, FULL)

    def belongs_to(self, bench: Bench) -> bool:
        """Those that are asked for belong to every size."""
        return bool(bench.scenarios.scenarios) or super().belongs_to(bench)

    def run(self, bench: Bench) -> Part:
        scenario = of_bench(self.scenario, bench)
        study = self.study
        clients = bench.few(CLIENTS, RECIPE, FEW)
        lines = cells(scenario, clients, bench.interpreters[0])
        outcomes: Outcomes[Cell, SpikeResult] = Outcomes()
        bench.measure(SpikeLab(bench, lines, keys(bench), outcomes, scenario, study), outcomes)
        study.scenarios[scenario.letter] = scenario
        flaws: dict[Cell, str] = {}
        for cell in lines:
            one = typical(outcomes.outcomes.get(cell, ()))
            if one is not None:
                study.results[cell] = one
                study.rounds[cell] = outcomes.results(cell)
            late = [] if one is None else list(filter(None, [flaw(one)]))
            flaws[cell] = "; ".join([*outcomes.failures(cell), *late])
        those = [cell for cell in lines if outcomes.outcomes.get(cell)]
        section = Section(
            self.name,
            self.title,
            "\n\n".join((*_about(scenario, bench), *_options(study, those))),
            (table(scenario, study, those, flaws),),
            tuple(charts(scenario, study, those)),
        )
        return Part(
            section,
            outcomes.runs(),
            losses=list(losses(scenario, study)),
            interrupted=outcomes.interrupted,
        )


def _about(scenario: Scenario, bench: Bench) -> Iterator[str]:
    yield scenario.about
    if bench.target.hosts and (scenario.limited or not scenario.singles):
        yield "This cluster was given by `-H`: no node was slowed or limited."


def _options(study: Study, those: Sequence[Cell]) -> Iterator[str]:
    """The options in use, and those that this build does not have."""
    texts: list[str] = []
    for cell in those:
        result = study.results.get(cell)
        if result is None or cell.setting == DEFAULTS:
            continue
        used = ", ".join(f"`{name}={_value(one)}`" for name, one in result["options"].items())
        text = f"- {cell.line}, {'best options' if cell.setting == BEST else 'near cache'}: "
        text += used or "none"
        if result["rejected"]:
            why = "; ".join(sorted(set(result["rejected"].values())))
            text += f". Left out, because this build does not have them: {why}"
        texts.append(text)
    if texts:
        yield "Options beside the defaults:"
        yield "\n".join(texts)


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)

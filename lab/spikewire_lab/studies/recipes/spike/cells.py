"""The lines of the study: a client in a mode, in one of its settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.base import ASYNC, SYNC
from ....clients.registry import base_of
from ....spike.callers import CALLERS
from ....spike.options import CACHE, CHOICES, SETTINGS
from ....spike.scenarios import SCENARIOS, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....contract.result import Failure
    from ....spike.result import CapacityResult, SpikeResult

CLIENTS = tuple(dict.fromkeys(client for client, _ in CALLERS))
FEW = (OURS, "aerospike")
"""Those of the short form."""
MODES = {ASYNC: "asyncio", SYNC: "threads"}
BY_LETTER = {one.letter: one for one in SCENARIOS}


@dataclass(frozen=True)
class Cell:
    """What is measured at once: a client in a mode and setting, in a scenario, which is empty for
    its capacity."""

    client: str
    mode: str
    letter: str = ""
    setting: str = ""
    interpreter: str = ""

    @property
    def line(self) -> str:
        """The client and the mode in words."""
        return f"{self.client}, {MODES[self.mode]}"

    def __str__(self) -> str:
        if not self.letter:
            return f"capacity: {self.line}"
        return f"({self.letter}) {self.line}, {SETTINGS[self.setting]}"


def lines(clients: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Clients, builds of ours among them, each in its modes."""
    return ((one, mode) for one in clients for name, mode in CALLERS if name == base_of(one))


def cells(scenario: Scenario, clients: Sequence[str], interpreter: str) -> list[Cell]:
    """The lines of a scenario; those with a cache are of clients that may have one."""
    return [
        Cell(client, mode, scenario.letter, setting, interpreter)
        for setting in scenario.settings
        for client, mode in lines(clients)
        if setting != CACHE or any(one.setting == CACHE for one in CHOICES[base_of(client)])
    ]


@dataclass
class Study:
    """What is known so far, for the parts that follow and for the table of aims."""

    capacities: dict[tuple[str, str], CapacityResult] = field(
        default_factory=dict[tuple[str, str], "CapacityResult"]
    )
    results: dict[Cell, SpikeResult] = field(default_factory=dict["Cell", "SpikeResult"])
    """The round in the middle of each line."""
    rounds: dict[Cell, list[SpikeResult]] = field(default_factory=dict["Cell", "list[SpikeResult]"])
    scenarios: dict[str, Scenario] = field(default_factory=dict[str, Scenario])
    """As they were run, by letter."""
    loads: dict[Cell, float] = field(default_factory=dict["Cell", float])
    """The capacity that counted as a load of 1."""

    def quiet(self) -> float:
        """Median seconds of a quiet read with the quickest client; 0 if nothing is known."""
        return min((one["quiet"] for one in self.capacities.values()), default=0.0)


def typical(results: Sequence[SpikeResult | Failure]) -> SpikeResult | None:
    """The round in the middle by good answers in the trouble; None if all failed."""
    known: list[SpikeResult] = [one for one in results if "failed" not in one]
    ordered = sorted(known, key=lambda one: one["windows"]["during"]["good"])
    return ordered[(len(ordered) - 1) // 2] if ordered else None

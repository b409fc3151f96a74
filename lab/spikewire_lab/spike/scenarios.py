"""What happens in each scenario: phases of load, and what befalls which node when they begin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

BEFORE, DURING, AFTER = "before", "during", "after"
SETTLED = "settled"
"""The trouble without its first second, in which clients find out."""
SETTLE_SECONDS = 1.0

INJECT, CLEAR, KILL, RESTART = "inject", "clear", "kill", "restart"
MUTE: Mapping[str, object] = {"drop": 1.0, "info": True}
"""Connections are accepted, requests are read, and nothing is answered."""
SLOW: Mapping[str, object] = {}
"""Stands for a delay that depends on what a quiet node needs."""
TIMES_SLOWER = 50
SLOW_BOUNDS = (0.02, 0.2)
"""Seconds: the least and the most that a slow node delays its replies."""


@dataclass(frozen=True)
class Event:
    """What befalls a node."""

    node: int
    action: str
    faults: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True)
class Phase:
    """A time of even load."""

    part: str
    """`BEFORE`, `DURING` or `AFTER` the trouble."""
    seconds: float
    load: float
    """The share of the capacity at which calls are due."""
    events: tuple[Event, ...] = ()
    """What happens when it begins."""


@dataclass(frozen=True)
class Batches:
    """Batches beside single reads, or instead of them."""

    rows: int
    rate: float
    """Batches due per second."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One of the troubles that clients are put through."""

    letter: str
    name: str
    title: str
    about: str
    phases: tuple[Phase, ...]
    deadline: float
    """Seconds from when a call is due within which an answer is good."""
    spend: float = 0.0
    """Seconds that clients are told to take, where that is less than the deadline."""
    limited: bool = False
    """Whether nodes have a service time, so that the cluster has a capacity of its own."""
    hot: float = 0.0
    """The share of reads of one key."""
    writer: bool = False
    """Whether a writer counts up the hot record, and readers check how old it is."""
    batches: Batches | None = None
    singles: bool = True
    rows_needed: float = 1.0
    """The share of its rows that a batch must have to be a good answer."""
    connects: int = 0
    """Clients that connect at once, each for one read; there is no other load then."""
    settings: tuple[str, ...] = ("defaults", "best")

    @property
    def faulty(self) -> bool:
        """Whether it needs nodes that can be made to fail."""
        return any(phase.events for phase in self.phases)

    @property
    def seconds(self) -> float:
        """How long all phases take."""
        return sum(phase.seconds for phase in self.phases)

    def fault_window(self) -> tuple[float, float]:
        """When the trouble begins and ends, in seconds from the start."""
        begun = sum(one.seconds for one in self.phases if one.part == BEFORE)
        return begun, begun + sum(one.seconds for one in self.phases if one.part == DURING)

    def windows(self) -> dict[str, tuple[float, float]]:
        """The times that have figures of their own."""
        begun, ended = self.fault_window()
        settled = begun + min(SETTLE_SECONDS, (ended - begun) / 2)
        return {
            BEFORE: (0.0, begun),
            DURING: (begun, ended),
            SETTLED: (settled, ended),
            AFTER: (ended, self.seconds),
        }

    def scaled(self, factor: float) -> Scenario:
        """The same with phases that last this many times as long; of clients that connect at once
        there are fewer instead if it is to be shorter."""
        if self.connects:
            return replace(self, connects=max(10, round(self.connects * min(1.0, factor))))
        phases = tuple(replace(one, seconds=one.seconds * factor) for one in self.phases)
        return replace(self, phases=phases)

    def as_json(self) -> dict[str, Any]:
        """What a worker has to know of it."""
        return {
            "phases": [{"seconds": one.seconds, "load": one.load} for one in self.phases],
            "windows": self.windows(),
            "deadline": self.deadline,
            "spend": self.spend or self.deadline,
            "hot": self.hot,
            "writer": self.writer,
            "batches": None
            if self.batches is None
            else {"rows": self.batches.rows, "rate": self.batches.rate},
            "singles": self.singles,
            "rows_needed": self.rows_needed,
            "connects": self.connects,
        }


THIRD = 1 / 3

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        letter="a",
        name="overload",
        title="(a) Load three times beyond capacity",
        about="Reads at half of the cluster's capacity, then for a while at three times the"
        " capacity, then at half of it again. Each node works on one request at a time.",
        phases=(
            Phase(BEFORE, 2.0, 0.5),
            Phase(DURING, 5.0, 3.0),
            Phase(AFTER, 4.0, 0.5),
        ),
        deadline=0.05,
        limited=True,
    ),
    Scenario(
        letter="b",
        name="mute",
        title="(b) A node mute for ten seconds",
        about="Reads at a third of the client's capacity, and ten batches of 60 records each"
        " second. One of three nodes accepts connections and requests, and answers nothing.",
        phases=(
            Phase(BEFORE, 3.0, THIRD),
            Phase(DURING, 10.0, THIRD, (Event(1, INJECT, MUTE),)),
            Phase(AFTER, 4.0, THIRD, (Event(1, CLEAR),)),
        ),
        deadline=0.15,
        batches=Batches(60, 10.0),
    ),
    Scenario(
        letter="c",
        name="slow",
        title=f"(c) A node {TIMES_SLOWER} times slower",
        about="Reads at a third of the client's capacity. One of three nodes delays each reply by"
        f" {TIMES_SLOWER} times what a quiet read takes.",
        phases=(
            Phase(BEFORE, 3.0, THIRD),
            Phase(DURING, 8.0, THIRD, (Event(1, INJECT, SLOW),)),
            Phase(AFTER, 3.0, THIRD, (Event(1, CLEAR),)),
        ),
        deadline=0.015,
    ),
    Scenario(
        letter="d",
        name="hot-key",
        title="(d) Half of all reads to one key",
        about="Each node works on one request at a time. First reads of all keys alike at half of"
        " the cluster's capacity; then 1.7 times its capacity, half of it for one key, which a"
        " writer counts up fifty times each second.",
        phases=(
            Phase(BEFORE, 2.0, 0.5),
            Phase(DURING, 8.0, 1.7),
            Phase(AFTER, 2.0, 0.5),
        ),
        deadline=0.05,
        limited=True,
        hot=0.5,
        writer=True,
        settings=("defaults", "cache", "best"),
    ),
    Scenario(
        letter="e",
        name="restart",
        title="(e) A node killed, and restarted empty",
        about="Reads at a third of the client's capacity. One of three nodes is killed; five"
        " seconds later it is back at the same address, without records, which the others copy"
        " to it.",
        phases=(
            Phase(BEFORE, 3.0, THIRD),
            Phase(DURING, 5.0, THIRD, (Event(1, KILL),)),
            Phase(AFTER, 5.0, THIRD, (Event(1, RESTART),)),
        ),
        deadline=0.15,
    ),
    Scenario(
        letter="f",
        name="connect",
        title="(f) 500 clients that connect at once",
        about="All of them in one process, at the same instant, each for one read; the time of a"
        " call is that from the instant to the answer of the read.",
        phases=(Phase(DURING, 10.0, 0.0),),
        deadline=1.0,
        connects=500,
    ),
    Scenario(
        letter="g",
        name="batch-reader",
        title="(g) A batch reader with 10 ms to spend",
        about="A hundred batches of 60 records each second; an answer is good if it is there within"
        " 12 ms and has 99 % of its rows. One of three nodes is slow for a while, as in (c).",
        phases=(
            Phase(BEFORE, 3.0, 0.0),
            Phase(DURING, 5.0, 0.0, (Event(1, INJECT, SLOW),)),
            Phase(AFTER, 3.0, 0.0, (Event(1, CLEAR),)),
        ),
        deadline=0.012,
        spend=0.010,
        batches=Batches(60, 100.0),
        singles=False,
        rows_needed=0.99,
    ),
)
LETTERS = tuple(one.letter for one in SCENARIOS)


def without_faults(scenario: Scenario) -> Scenario | None:
    """What is left of a scenario on a cluster that is not ours; None if nothing is."""
    if not scenario.faulty:
        return scenario
    if scenario.singles:
        return None
    phases = tuple(replace(one, events=()) for one in scenario.phases)
    return replace(scenario, phases=phases)

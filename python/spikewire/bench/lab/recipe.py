"""What a recipe is: parts that measure, in a fixed order, and what is said about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..clients import OURS
from ..clients.registry import in_order
from ..cql.lab import Found as CqlFound
from ..cql.lab import Lab as CqlLab
from ..cql.lab import Settings as CqlSettings
from ..queries.lab import Lab as ScanLab
from ..queries.lab import Scans
from ..queries.lab import Settings as ScanSettings
from ..run.compare import Comparison, Lab, Settings
from ..run.place import Place
from ..run.rounds import Asked, Found, until_interrupted
from ..run.rounds import Lab as RoundsLab
from .instead import Instead
from .interpreters import free_threaded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..run.plan import Matrix, Skipped
    from ..run.progress import Progress
    from .report import Report, Section, Table

QUICK, SHORT, FULL = "quick", "short", "full"
LOGS = "hlog"
"""The folder for HDR interval logs, beside the report."""
SIZES = (QUICK, SHORT, FULL)
"""How much of a recipe is run: enough to see that it works, what `make bench` runs, all of it."""


@dataclass(frozen=True, kw_only=True)
class Target(Place):
    """Where to measure, the same for all recipes; an embedded cluster is started for each part."""

    client_cpus: tuple[int, ...] = ()
    keep_awake: bool = False


class _Found(Found, Protocol):
    environment: dict[str, object]
    skipped: list[Skipped]


def _without(skipped: Skipped) -> str:
    return f"{skipped.client} {skipped.mode}".strip() + f": {skipped.reason}"


@dataclass
class Bench:
    """What a part measures with: where, how much, with what; it runs comparisons and keeps them."""

    target: Target
    size: str
    interpreters: tuple[str, ...]
    """As given with --python; empty for the one that runs the lab."""
    progress: Progress
    command_line: Sequence[str]
    clients: tuple[str, ...] = ()
    """Of those that a recipe would measure, the ones that are wanted; none: all."""
    seed: int = 1
    environment: dict[str, Any] = field(default_factory=dict[str, Any])
    skipped: list[str] = field(default_factory=list[str])
    logs: bool = False
    """Whether HDR interval logs are kept of every size, not of the full one alone."""
    folder: Path | None = None
    """For the logs of the part that runs."""
    failed: list[str] = field(default_factory=list[str])
    """Parts that ended in an error rather than with what they lack."""
    instead: Instead = field(default_factory=Instead)
    """What flags say of how much is measured, rather than the size."""
    asked: Asked = field(default_factory=Asked)
    """Which clients can be used, for the comparisons of all recipes."""

    def pick(self, quick: Any, short: Any, full: Any) -> Any:
        """One of three, as the size says."""
        return {QUICK: quick, SHORT: short, FULL: full}[self.size]

    def wanted(self, clients: Sequence[str]) -> tuple[str, ...]:
        """Of a recipe's clients, those that the user wants."""
        return tuple(in_order(clients, self.clients or clients))

    def few(self, clients: Sequence[str], part: str, some: Sequence[str]) -> tuple[str, ...]:
        """The same where all of them would take longer than a short form may: that has only `some`
        unless the user names clients, and the report says which are left out."""
        wanted = self.wanted(clients)
        if self.clients or self.size == FULL:
            return wanted
        left = [name for name in wanted if name not in some]
        if left:
            self.note({}, [f"{part}: the short form leaves out {', '.join(left)}"])
        return tuple(name for name in wanted if name in some)

    def gil_states(self) -> tuple[bool | None, ...]:
        """The states of the GIL to compare: both, where every interpreter can be without it."""
        named = [python for python in self.interpreters if python]
        if named and len(named) == len(self.interpreters) and all(map(free_threaded, named)):
            return (True, False)
        return (None,)

    def settings(self, matrix: Matrix, **more: Any) -> Settings:
        """Those of a comparison of closed loops at this bench; `more` replaces single ones, and
        flags replace these."""
        target = self.target
        made = Settings(
            matrix=matrix,
            **target.place(),
            keys=self.pick(2_000, 20_000, 100_000),
            bins="I8",
            workload="RU,50",
            duration=self.pick(0.15, 0.6, 2.0),
            warmup=self.pick(0.05, 0.25, 0.75),
            rounds=self.pick(1, 2, 5),
            sample_every=16,
            seed=self.seed,
            pause=self.pick(0.0, 0.05, 0.1),
            populate=True,
            gil=None,
            client_cpus=target.client_cpus,
            keep_awake=target.keep_awake,
            logs=self._logs(),
        )
        return self.instead.of(replace(made, **more))

    def _logs(self) -> str:
        """Where HDR interval logs are kept; empty where they are not."""
        if self.folder is None or not (self.logs or self.size == FULL):
            return ""
        return str(self.folder)

    def compare(self, settings: Settings) -> Comparison:
        """Measures, and keeps what every report says of the machine and of those left out.

        Ctrl-C ends it early: what was measured is in the comparison, which then says that it was
        interrupted.
        """
        comparison = Comparison("lab", settings)
        self.measure(Lab(settings, comparison, self.progress, self.asked), comparison)
        return comparison

    def scans(self, settings: ScanSettings) -> Scans:
        """The same for scans of whole sets."""
        found = Scans(settings)
        self.measure(ScanLab(settings, found, self.progress), found)
        return found

    def cql(self, settings: CqlSettings) -> CqlFound:
        """The same for clients of Cassandra."""
        found = CqlFound(settings)
        self.measure(CqlLab(settings, found, self.progress), found)
        return found

    def measure(self, lab: RoundsLab, found: _Found) -> None:
        """Runs a lab of whatever kind; Ctrl-C ends it early, and what it found says so."""
        try:
            until_interrupted(lab, found, self.command_line)
        finally:
            self.note(found.environment, [_without(skipped) for skipped in found.skipped])

    def note(self, environment: Mapping[str, Any], skipped: Sequence[str] = ()) -> None:
        """The first environment stands for all parts of a report."""
        self.environment = self.environment or dict(environment)
        # A client that lacks something lacks it in every state of the lock.
        self.skipped += [text for text in dict.fromkeys(skipped) if text not in self.skipped]


@dataclass
class Part:
    """What one part of a recipe gave."""

    section: Section
    runs: Any = None
    """Every single run, for the file of raw results."""
    conclusions: Sequence[str] = ()
    losses: Sequence[str] = ()
    interrupted: bool = False


class Measurement(ABC):
    """A part of a recipe. `name` is short and without spaces, `title` is what progress says."""

    name: str
    title: str
    seconds: float = 30.0
    """About how long its short form takes, for the time that is left of several parts."""

    @abstractmethod
    def run(self, bench: Bench) -> Part:
        """Measures. Ctrl-C inside gives what was finished, marked as interrupted; what cannot be
        measured raises `CannotRunError` with the reason, and the other parts go on."""


class Recipe(ABC):
    """A study: what was published, and the parts that measure it again."""

    name: str
    title: str
    source: str = ""
    """The published document, by its title; empty for studies of our own."""
    text: str
    """What was published, what is measured again, what was done otherwise and why (Markdown)."""
    builds: tuple[str, ...] = (OURS,)
    """Of our clients, those that have lines for other builds."""

    def published(self) -> Sequence[Table]:
        """The figures of the document, as it shows them."""
        return ()

    @abstractmethod
    def parts(self) -> Sequence[Measurement]:
        """What is measured, in this order."""

    def conclude(self, report: Report) -> None:  # noqa: B027 - most have nothing to add
        """Adds to `report.conclusions` and `report.losses` what follows from all parts together."""

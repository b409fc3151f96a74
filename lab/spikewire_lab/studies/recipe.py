"""The interface of a recipe: parts that measure, in a fixed order, and texts about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..clients import OURS
from ..clients.registry import in_order
from ..cql.lab import CqlComparison
from ..cql.lab import Lab as CqlLab
from ..cql.lab import Settings as CqlSettings
from ..queries.lab import Lab as ScanLab
from ..queries.lab import Scans
from ..queries.lab import Settings as ScanSettings
from ..run.compare import Comparison, Lab, Settings
from ..run.journal import Journal
from ..run.place import Place
from ..run.rounds import AnswerCache, Interruptible, until_interrupted
from ..run.rounds import Lab as RoundsLab
from .interpreters import free_threaded
from .overrides import Overrides
from .scenario_flags import ScenarioChoice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..plan import Matrix, SkippedClient
    from ..run.progress import Progress
    from .report import Report, Section, Table

QUICK, SHORT, FULL = "quick", "short", "full"
LOGS = "hlog"
"""The folder for HDR interval logs, next to the report."""
SIZES = (QUICK, SHORT, FULL)
"""How much of a recipe is run: a smoke test, what `make bench` runs, everything."""


@dataclass(frozen=True, kw_only=True)
class Target(Place):
    """Where to measure, the same for all recipes; an embedded cluster is started for each part."""

    client_cpus: tuple[int, ...] = ()
    keep_awake: bool = False


class _Results(Interruptible, Protocol):
    environment: dict[str, object]
    skipped: list[SkippedClient]


def _without(skipped: SkippedClient) -> str:
    return f"{skipped.client} {skipped.mode}".strip() + f": {skipped.reason}"


@dataclass
class Bench:
    """The settings that a part measures with; it runs comparisons and keeps their results."""

    target: Target
    size: str
    interpreters: tuple[str, ...]
    """As given with --python; empty for the one that runs the lab."""
    progress: Progress
    command_line: Sequence[str]
    clients: tuple[str, ...] = ()
    """The requested clients among those of a recipe; empty: all."""
    seed: int = 1
    environment: dict[str, Any] = field(default_factory=dict[str, Any])
    skipped: list[str] = field(default_factory=list[str])
    logs: bool = False
    """Whether to keep HDR interval logs for every size, not only the full one."""
    folder: Path | None = None
    """The folder for the logs of the running part."""
    failed: list[str] = field(default_factory=list[str])
    """Parts that ended with an error rather than because something is missing."""
    overrides: Overrides = field(default_factory=Overrides)
    """Amounts given by flags, which override those of the size."""
    scenarios: ScenarioChoice = field(default_factory=ScenarioChoice)
    """What flags say about scenarios."""
    journal: Journal = field(default_factory=Journal)
    """What an earlier command has measured, and where new measurements are kept."""
    stopped: bool = False
    """Whether Ctrl-C or the end of the time has ended the run: nothing more is measured."""
    answers: AnswerCache = field(default_factory=AnswerCache)
    """Which clients can be used, shared by the comparisons of all recipes."""

    def pick(self, quick: Any, short: Any, full: Any) -> Any:
        """The value for the size, of three."""
        return {QUICK: quick, SHORT: short, FULL: full}[self.size]

    def clients_of(self, clients: Sequence[str]) -> tuple[str, ...]:
        """The requested clients among those of a recipe."""
        return tuple(in_order(clients, self.clients or clients))

    def few(self, clients: Sequence[str], part: str, some: Sequence[str]) -> tuple[str, ...]:
        """The same for recipes whose short form would take too long with all clients: it has only
        `some` unless the user names clients, and the report says which are left out."""
        requested = self.clients_of(clients)
        if self.clients or self.size == FULL:
            return requested
        left = [name for name in requested if name not in some]
        if left:
            self.note({}, [f"{part}: the short form leaves out {', '.join(left)}"])
        return tuple(name for name in requested if name in some)

    def gil_states(self) -> tuple[bool | None, ...]:
        """The GIL states to compare: both, if every interpreter can run without the GIL."""
        named = [python for python in self.interpreters if python]
        if named and len(named) == len(self.interpreters) and all(map(free_threaded, named)):
            return (True, False)
        return (None,)

    def settings(self, matrix: Matrix, **more: Any) -> Settings:
        """The settings of a closed-loop comparison; `more` replaces single settings, and flags
        replace both."""
        target = self.target
        settings = Settings(
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
            most_rounds=self.pick(None, None, 15),
        )
        return self.overrides.of(replace(settings, **more))

    def _logs(self) -> str:
        """The folder for HDR interval logs; empty if none are kept."""
        if self.folder is None or not (self.logs or self.size == FULL):
            return ""
        return str(self.folder)

    def compare(self, settings: Settings) -> Comparison:
        """Runs a comparison, and keeps the environment and skipped clients for the report.

        Ctrl-C ends it early: the comparison then holds what was measured, marked as interrupted.
        """
        comparison = Comparison("lab", settings)
        self.measure(
            Lab(settings, comparison, self.progress, self.answers, self.journal), comparison
        )
        return comparison

    def scans(self, settings: ScanSettings) -> Scans:
        """The same for scans of whole sets."""
        scans = Scans(settings)
        self.measure(ScanLab(settings, scans, self.progress, self.journal), scans)
        return scans

    def cql(self, settings: CqlSettings) -> CqlComparison:
        """The same for Cassandra clients."""
        comparison = CqlComparison(settings)
        self.measure(CqlLab(settings, comparison, self.progress, self.journal), comparison)
        return comparison

    def measure(self, lab: RoundsLab, results: _Results) -> None:
        """Runs a lab of any kind; Ctrl-C ends it early, and its results are then marked as
        interrupted."""
        try:
            until_interrupted(lab, results, self.command_line)
        finally:
            self.note(results.environment, [_without(skipped) for skipped in results.skipped])

    def note(self, environment: Mapping[str, Any], skipped: Sequence[str] = ()) -> None:
        """Keeps the environment of the first comparison for all parts of a report."""
        self.environment = self.environment or dict(environment)
        # A client that lacks something lacks it in both GIL states.
        self.skipped += [text for text in dict.fromkeys(skipped) if text not in self.skipped]


@dataclass
class Part:
    """The results of one part of a recipe."""

    section: Section
    runs: Any = None
    """Every single run, for the file of raw results."""
    conclusions: Sequence[str] = ()
    losses: Sequence[str] = ()
    interrupted: bool = False


class Measurement(ABC):
    """A part of a recipe. `name` is short and without spaces; `title` is shown as progress."""

    name: str
    title: str
    seconds: float = 30.0
    """Approximate duration of its short form, for estimates of the remaining time."""
    sizes: tuple[str, ...] = SIZES
    """Those that have it; reports of the others say that it is left out."""

    def belongs_to(self, bench: Bench) -> bool:
        """Whether a run of that size has it."""
        return bench.size in self.sizes

    @abstractmethod
    def run(self, bench: Bench) -> Part:
        """Measures. If Ctrl-C interrupts it, it returns what is finished, marked as interrupted.
        Raises `CannotRunError` with the reason if it cannot measure; the other parts continue."""


class Recipe(ABC):
    """A study: the published figures, and the parts that measure them again."""

    name: str
    title: str
    source: str = ""
    """The title of the published document; empty for studies of our own."""
    text: str
    """What was published, what is measured again, what was done differently and why (Markdown)."""
    builds: tuple[str, ...] = (OURS,)
    """Our clients for which other builds get lines."""

    def published(self) -> Sequence[Table]:
        """The figures of the document, as it shows them."""
        return ()

    @abstractmethod
    def parts(self) -> Sequence[Measurement]:
        """The parts, in the order in which they run."""

    def selected(self, parts: Sequence[Measurement], bench: Bench) -> Sequence[Measurement]:
        """Those of the parts that the user wants: all, unless a recipe has a flag to choose."""
        del bench
        return parts

    def conclude(self, report: Report) -> None:  # noqa: B027 - most have nothing to add
        """Adds the conclusions from all parts together to `report.conclusions` and
        `report.losses`."""

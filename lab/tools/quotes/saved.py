"""The reports in lab/reports: their names, and how they are added."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spikewire_lab.studies.html import page
from spikewire_lab.studies.links import REPOSITORY
from spikewire_lab.studies.report import Report, load

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[3]
REPORTS = Path("lab/reports")
FREE = "free-threaded"
HEADLINE = "headline"
"""A run of the rows of the first table alone, which is measured more often than all."""
EMBEDDED = "embedded"
"""A run on the embedded cluster, whose other runs are on a real server."""
STUDIES = {
    "sdk": "Aerospike Python SDK: cross-client matrix, batches, layers",
    "aerospike-py": "aerospike-py: operations with its method, NumPy, memory",
    "serving": "aerospike-py: serving with FastAPI and a model",
    "node": "Node.js client 2.0: shares of latencies, scans",
    "cassandra": "cassandra-driver: ways to keep calls in flight, chains",
    "latency": "latency at the same rates for all clients, open-loop",
    "spike": "overload, mute and slow nodes, hot keys, restarts and deadlines, in open loops",
    "gil": "what a client leaves for event loops and other threads",
    "noise": "each client twice: which differences mean anything",
}
"""By recipe, in the words of the page about reports."""


@dataclass(frozen=True)
class SavedReport:
    """A report, and the name of its files."""

    name: str
    report: Report

    @property
    def title(self) -> str:
        """The study, and what is special about this run."""
        special = self.name.removeprefix(self.report.recipe).lstrip("-")
        words = f", {special.replace('-', ' ').replace('free threaded', 'free-threaded')}"
        return STUDIES[self.report.recipe] + (words if special else "")


def saved_reports(root: Path = ROOT) -> dict[str, SavedReport]:
    """All reports by name, in the order of the studies."""
    folder = root / REPORTS
    reports = [SavedReport(path.stem, load(path)) for path in sorted(folder.glob("*.json"))]
    order = list(STUDIES)
    reports.sort(key=lambda one: (one.name != one.report.recipe, order.index(one.report.recipe)))
    return {one.name: one for one in reports}


def preferred(reports: Mapping[str, SavedReport], name: str) -> SavedReport | None:
    """Of a run of the first table's rows and one of all rows that on a real server; else the later
    one."""

    def rank(run: SavedReport) -> tuple[bool, str]:
        return not is_embedded(run.report), date_of(run.report)

    runs = [reports[one] for one in (f"{name}-{HEADLINE}", name) if one in reports]
    return max(runs, key=rank, default=None)


def is_embedded(report: Report) -> bool:
    """Whether its server was ours."""
    cluster = report.environment.get("cluster") or {}
    return str(cluster.get("kind", "")).startswith("embedded")


def date_of(report: Report) -> str:
    """When it was measured."""
    return str(report.environment.get("date", ""))


def take(folder: Path, special: str = "", root: Path = ROOT) -> list[str]:
    """Copies the reports of a run there; returns the names that they have then.

    Raises `ValueError` if there are none, or one is not fit to be quoted. A run with `--only` has
    a part of the rows, and needs a name of its own.
    """
    paths = sorted(folder.glob("*/report.json")) or sorted(folder.glob("report.json"))
    if not paths:
        raise ValueError(f"{folder} has no report.json")
    reports = [(path, load(path)) for path in paths]
    for path, report in reports:
        if report.interrupted and not (special and report.settings.get("only")):
            raise ValueError(f"{path}: interrupted")
        if report.recipe not in STUDIES:
            raise ValueError(f"{path}: no study is called {report.recipe}")
        if not report.sections:
            raise ValueError(f"{path}: nothing was measured")
        build = report.environment.get("build") or {}
        if build.get("modified"):
            raise ValueError(f"{path}: measured with changes that are in no commit")
    names: list[str] = []
    for path, report in reports:
        name = report.recipe + (f"-{special}" if special else "")
        raw = json.loads(path.read_text())
        report.environment["command_line"] = raw["environment"]["command_line"] = [
            _without_folders(str(word)) for word in report.environment.get("command_line") or ()
        ]
        if not report.interrupted:
            # It has all rows, in however many pieces they were measured.
            raw["settings"].pop("only", None)
        text = json.dumps(raw, ensure_ascii=False, separators=(",", ":"))
        (root / REPORTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        (root / REPORTS / f"{name}.html").write_text(page(report, REPOSITORY), encoding="utf-8")
        names.append(name)
    return names


def _without_folders(word: str) -> str:
    """A word of a command; where programs are on the machine of a run says nothing to readers."""
    return Path(word).name if Path(word).is_absolute() else word

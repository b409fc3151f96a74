"""Runs recipes from start to end: part after part, each saved as soon as it is finished."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..build import described
from ..contract.result import version_of
from ..run.cluster import reachable
from ..run.compare import CannotRunError
from ..run.environment import loads
from ..run.interrupts import interrupts_wait
from ..run.rounds import NotSelectedError
from .files import REPORT, save, save_index
from .recipe import LOGS
from .remaining import Way
from .report import Report, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..contract.result import Python
    from .recipe import Bench, Measurement, Part, Recipe


def run_recipe(
    recipe: Recipe,
    bench: Bench,
    folder: Path,
    parts: Sequence[Measurement] | None = None,
    way: Way | None = None,
) -> Report:
    """Measures all parts of a recipe. After each part the files in `folder` hold everything
    finished, so that Ctrl-C or a crash of the machine loses at most one part."""
    parts = recipe.selected(recipe.parts(), bench) if parts is None else parts
    way = way or Way([_expected(parts, bench)])
    began = time.monotonic() - _spent(bench, folder)
    report = Report(recipe.name, recipe.title, recipe.text, recipe.source)
    report.published = list(recipe.published())
    report.settings = {"size": bench.size, "seed": bench.seed, **bench.overrides.as_json()}
    report.settings |= bench.scenarios.as_json()
    if bench.journal.only:
        report.settings["only"] = list(bench.journal.only)
    left_out = bench.journal.skipped_rows
    try:
        for part in parts:
            bench.progress.say(f"{recipe.name}: {part.title} ({way.next()})")
            bench.folder = folder / LOGS / part.name
            bench.journal.begin_part(f"{recipe.name}/{part.name}")
            known = bench.journal.added
            part_result = _measured(recipe, part, bench, report)
            way.ended(measured=bench.journal.added > known)
            if part_result is None:
                continue
            report.sections.append(part_result.section)
            report.conclusions += part_result.conclusions
            report.losses += part_result.losses
            report.runs[part.name] = part_result.runs
            report.interrupted = part_result.interrupted
            _save(report, bench, began, folder)
            if report.interrupted:
                bench.stopped = True
                break
        else:
            if report.sections:
                recipe.conclude(report)
            report.interrupted = bench.journal.skipped_rows > left_out
    except KeyboardInterrupt:
        report.interrupted = bench.stopped = True
    _save(report, bench, began, folder)
    return report


def _measured(recipe: Recipe, part: Measurement, bench: Bench, report: Report) -> Part | None:
    """The results of a part; None if it could not be measured, which the report then says."""
    try:
        if not part.belongs_to(bench):
            raise CannotRunError(f"takes longer than --size {bench.size} may")
        return part.run(bench)
    except NotSelectedError:
        # --only has none of its rows: it is left for a later command.
        bench.journal.skipped_rows += 1
        return None
    except (CannotRunError, RuntimeError, OSError) as error:
        # RuntimeError means a cluster or server did not start: the other parts continue.
        if not isinstance(error, CannotRunError) or not reachable(bench.target.hosts):
            bench.failed.append(f"{recipe.name}, {part.title}: {error}")
        bench.progress.say(f"{recipe.name}, {part.title}: left out: {error}")
        report.skipped.append(f"{part.title}: {error}")
        return None


def _spent(bench: Bench, folder: Path) -> float:
    """Seconds that earlier commands of the same run took for this recipe."""
    file = folder / REPORT
    if not bench.journal.measured or not file.is_file():
        return 0.0
    try:
        return load(file).elapsed
    except ValueError:
        return 0.0


def _save(report: Report, bench: Bench, began: float, folder: Path) -> None:
    with interrupts_wait():
        _finish(report, bench, began)
        save(report, folder)


def _finish(report: Report, bench: Bench, began: float) -> None:
    measured = dict(versions(report.runs))
    report.environment = {
        **bench.environment,
        "clients": dict(sorted(measured.items())),
        "interpreters": sorted(set(interpreters(report.runs))),
    }
    report.skipped += [text for text in bench.skipped if text not in report.skipped]
    report.elapsed = time.monotonic() - began
    report.loads = list(loads(report.runs))


def versions(runs: object) -> Iterator[tuple[str, str]]:
    """The version of each client that ran, collected from single runs at any depth."""
    if isinstance(runs, Mapping):
        one = cast("Mapping[str, object]", runs)
        client, version = one.get("client"), one.get("version")
        if isinstance(client, str) and isinstance(version, str) and version:
            build = described(cast("Mapping[str, Any] | None", one.get("build")))
            yield client, f"{version} ({build})" if build else version
        for value in one.values():
            yield from versions(value)
    elif isinstance(runs, (list, tuple)):
        for value in cast("Sequence[object]", runs):
            yield from versions(value)


def interpreters(runs: object) -> Iterator[str]:
    """The Python version of each run; runs without Python are left out."""
    if isinstance(runs, Mapping):
        one = cast("Mapping[str, object]", runs)
        python = one.get("python")
        if isinstance(python, Mapping) and "free_threaded" in python:
            yield version_of(cast("Python", python))
        for value in one.values():
            yield from interpreters(value)
    elif isinstance(runs, (list, tuple)):
        for value in cast("Sequence[object]", runs):
            yield from interpreters(value)


def _expected(parts: Sequence[Measurement], bench: Bench) -> list[float]:
    return [part.seconds if part.belongs_to(bench) else 0.0 for part in parts]


def run_all(recipes: Sequence[Recipe], bench: Bench, folder: Path) -> list[Report]:
    """Runs them one after the other, each into a folder of its own; Ctrl-C ends all of them."""
    parts = [recipe.selected(recipe.parts(), bench) for recipe in recipes]
    way = Way([_expected(own, bench) for own in parts])
    reports: list[Report] = []
    for recipe, own in zip(recipes, parts, strict=True):
        bench.environment, bench.skipped = {}, []
        reports.append(run_recipe(recipe, bench, folder / recipe.name, own, way))
        save_index(reports, folder)
        if bench.stopped:
            break
    return reports

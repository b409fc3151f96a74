"""Where and how a report was made, in words, for all page formats."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, cast

from ..build import described
from ..run.environment import cluster_in_words, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .report import Report

_KNOWN = (
    "date",
    "command_line",
    "system",
    "cpu_model",
    "cpu_count",
    "python",
    "interpreters",
    "packages",
    "clients",
    "cluster",
    "build",
)
_RAW = ("kernel", "load_average", "variables")
"""Shown only among the settings."""


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """Names and values; some values may be empty."""
    yield from _known(report.environment)
    yield "took", f"{report.elapsed / 60:.1f} minutes"


def truthful(environment: Mapping[str, Any]) -> dict[str, Any]:
    """The environment for a page. Reports of earlier versions name the embedded server as it
    answers, which is as a real one does."""
    cluster: object = environment.get("cluster")
    if not isinstance(cluster, dict):
        return dict(environment)
    saved = cast("dict[str, Any]", cluster)
    known = {name: one for name, one in saved.items() if name != "edition"}
    known.setdefault("server", server_of(saved))
    return {**environment, "cluster": known}


def _known(environment: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Date, machine, versions and command in words; everything else is among the settings."""
    command: Sequence[str] = environment.get("command_line") or ()
    yield "date", str(environment.get("date") or "")
    yield "command", shlex.join(map(str, command))
    cpus = environment.get("cpu_count")
    machine = [
        environment.get("cpu_model"),
        cpus and f"{cpus} processors",
        environment.get("system"),
    ]
    yield "machine", ", ".join(str(one) for one in machine if one)
    yield "Python", pythons(environment)
    yield "versions", _pairs(environment.get("packages"))
    yield "clients", _pairs(environment.get("clients"))
    yield "build", described(environment.get("build"))
    yield "cluster", cluster_in_words(environment)
    for name, value in environment.items():
        if name not in (*_KNOWN, *_RAW) and value is not None:
            yield name.replace("_", " "), _pairs(value)


def pythons(environment: Mapping[str, Any]) -> str:
    """The Python version that clients ran on, and that of the lab if it differs."""
    own = str(environment.get("python") or "")
    theirs: Sequence[str] = environment.get("interpreters") or ()
    if not theirs or list(theirs) == [own]:
        return own
    return f"{', '.join(theirs)} (the lab: {own})"


def _pairs(value: Any) -> str:
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value).items()
        return ", ".join(f"{name} {_pairs(one)}" for name, one in known if one is not None)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, cast("list[Any]", value)))
    return "" if value is None else str(value)

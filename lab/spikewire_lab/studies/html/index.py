"""An index page for several reports: a link and one line of findings for each."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from . import parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..report import Report


def index(reports: Sequence[Report]) -> str:
    """The page; each report is expected in a folder next to it that is named after its recipe."""
    return parts.document("Reports of the Spikewire lab", _body(reports))


def _body(reports: Sequence[Report]) -> Iterator[str]:
    yield '<header><p class="kind">Spikewire lab</p><h1>Reports</h1></header><main>'
    for report in reports:
        link = f'<a href="{quote(report.recipe)}/report.html">{escape(report.title)}</a>'
        yield f'<section id="{escape(report.recipe)}"><h2>{link}</h2>'
        yield f"<p>{_finding(report)}</p></section>"
    yield "</main>"


def _finding(report: Report) -> str:
    """The first conclusion, and the most important remark."""
    sentences = [parts.inline(report.conclusions[0])] if report.conclusions else []
    if not report.sections:
        reason = report.skipped[0] if report.skipped else "no part was finished"
        sentences.append(f"Nothing was measured: {escape(reason)}.")
    if report.losses:
        times = "once" if len(report.losses) == 1 else f"{len(report.losses)} times"
        sentences.append(f"Spikewire loses {times}.")
    if report.interrupted:
        sentences.append("<b>Interrupted.</b>")
    date = str(report.environment.get("date") or "")
    return " ".join([*sentences, f"<small>{escape(date)}</small>" if date else ""]).strip()

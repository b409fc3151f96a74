"""A report as one self-contained HTML page with its styles and charts."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from ..facts import facts, truthful
from ..links import RUN, STUDIES, Links
from ..report import BARS
from ..summary import summary
from . import parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..report import Report


def page(report: Report, back: Links = RUN) -> str:
    """The whole page; `back` links to the pages around it."""
    return parts.document(report.title, _body(report, back))


def _body(report: Report, back: Links) -> Iterator[str]:
    yield f'<header><p class="kind">Spikewire lab · {escape(report.recipe)}</p>'
    yield parts.back(back)
    yield f"<h1>{escape(report.title)}</h1>"
    if report.interrupted:
        yield '<p class="warn"><b>Interrupted:</b> what was finished until then.</p>'
    rows = summary(report)
    yield parts.summary_table(rows)
    yield parts.prose(report.text)
    source = parts.source(report.source, STUDIES.get(report.recipe, ""))
    yield f'<p class="note">{source}</p>' if source else ""
    yield parts.facts(facts(report))
    yield from _contents(report)
    yield "</header><main>"
    yield from parts.listed("Results in brief", "conclusions", report.conclusions)
    yield from parts.listed("Where Spikewire loses", "losses", report.losses)
    for section in report.sections:
        yield f'<section id="{escape(section.name)}"><h2>{escape(section.title)}</h2>'
        yield parts.prose(section.text)
        first = [chart for chart in section.charts if chart.kind == BARS]
        rest = [chart for chart in section.charts if chart.kind != BARS]
        for chart in first:
            yield from parts.chart(chart, section.name)
        yield from parts.folded("Charts over time and of distributions", section.name, rest)
        for table in section.tables:
            yield from parts.table(table, section.name)
        yield "</section>"
    if report.published:
        yield '<section id="published"><h2>As published</h2>'
        yield f"<p>{source or 'Published elsewhere'}. Another machine and another server:"
        yield "ratios compare, figures do not.</p>"
        for table in report.published:
            yield from parts.table(table, "published")
            yield from _ours(report, table.name)
        yield "</section>"
    yield from parts.listed("Left out", "left-out", report.skipped)
    raw = {"settings": report.settings, "environment": truthful(report.environment)}
    text = escape(json.dumps(raw, indent=1, ensure_ascii=False))
    yield '<section id="settings"><h2>Settings</h2><details>'
    yield f"<summary>All of them, as saved</summary><pre>{text}</pre></details></section>"
    yield "</main><footer><p>Made from report.json, which holds all figures of this page.</p>"
    yield "</footer>"


def _ours(report: Report, name: str) -> Iterator[str]:
    for section in report.sections:
        for table in section.tables:
            if table.name == name:
                place = escape(f"{section.name}-{name}")
                link = f'<a href="#{place}">{escape(table.title)}</a>'
                yield f'<p class="note">Measured here: {link}</p>'


def _contents(report: Report) -> Iterator[str]:
    places = [
        ("summary", "Summary", summary(report)),
        ("conclusions", "Results in brief", report.conclusions),
        ("losses", "Where Spikewire loses", report.losses),
        *((one.name, one.title, True) for one in report.sections),
        ("published", "As published", report.published),
        ("left-out", "Left out", report.skipped),
        ("settings", "Settings", True),
    ]
    links = "".join(
        f'<li><a href="#{escape(name)}">{escape(title)}</a></li>'
        for name, title, there in places
        if there
    )
    yield f'<nav aria-label="Contents"><ul>{links}</ul></nav>'

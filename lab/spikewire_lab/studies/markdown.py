"""A report as Markdown, for the documentation and for pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..run.environment import cluster_in_words
from .facts import facts
from .links import STUDIES
from .summary import few_rounds, summary, values_text
from .text import entry_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .report import Report, Table


def markdown(report: Report) -> str:
    """The whole report without its charts, whose figures are in the tables."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {report.title}"
    yield ""
    yield report.text
    let_in = cluster_in_words(report.environment, access=True)
    if let_in:
        yield from ("", f"Clients were connected {let_in}.")
    yield ""
    yield from (f"- {name}: {_code(what)}" for name, what in facts(report) if what)
    yield from _summary(report)
    for sentences, title in (
        (report.conclusions, "Results in brief"),
        (report.losses, "Where Spikewire loses"),
    ):
        if sentences:
            yield from ("", f"## {title}", "", *(f"- {one}" for one in sentences))
    for section in report.sections:
        yield from ("", f"## {section.title}", "", section.text)
        for table in section.tables:
            yield from ("", *_table(table))
    if report.published:
        yield from ("", "## As published", "", f"Source: {_source(report)}")
        for table in report.published:
            yield from ("", *_table(table))
    if report.skipped:
        yield from ("", "## Left out", "", *(f"- {one}" for one in report.skipped))
    if report.interrupted:
        yield from ("", "**Interrupted: what was finished until then.**")


def _source(report: Report) -> str:
    link = STUDIES.get(report.recipe)
    return f"[{report.source}]({link})" if link else report.source


def _summary(report: Report) -> Iterator[str]:
    rows = summary(report)
    if not rows:
        return
    yield from ("", "## Summary", "")
    yield _row(["row", "Spikewire", "best other", "its name", "times better (95 % interval)"])
    yield _row(["---", "---:", "---:", "---", "---:"])
    for row in rows:
        unit = f" {row.heading.unit}" if row.heading.unit else ""
        ours, other = (f"{values_text(one, row.heading)}{unit}" for one in (row.ours, row.other))
        yield _row([row.name, ours, other, row.client, row.ratio.text()])
    text = few_rounds(rows)
    if text:
        yield from ("", text)


def _code(text: str) -> str:
    """Code as it is, whatever characters it contains."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def _table(table: Table) -> Iterator[str]:
    yield f"### {table.title}"
    yield ""
    headings = table.headings
    titles = [f"{one.title}{f' ({one.unit})' if one.unit else ''}" for one in headings]
    yield _row([table.first, *titles])
    yield _row(["---", *("---:" for _ in headings)])
    for row in table.rows:
        fields = [entry_text(row.fields.get(one.key), one) for one in headings]
        yield _row([f"{row.label} (!)" if row.flawed else row.label, *fields])
    yield ""
    yield table.caption
    flaws = [f"(!) {row.label}: {row.flawed}" for row in table.rows if row.flawed]
    for note in (*table.notes, *flaws):
        yield ""
        yield note


def _row(fields: Sequence[str]) -> str:
    return "| " + " | ".join(field.replace("|", "\\|") for field in fields) + " |"

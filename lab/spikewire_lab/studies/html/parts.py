"""Parts of pages: tables, charts, prose, and the document around them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from ..report import Median
from ..svg import NARROW, WIDE, draw
from ..svg.palette import OURS, colour
from ..text import entry_text, number
from .style import style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..report import Chart, Entry, Heading, Row, Table

SHORT = 12
"""Column headings up to this length are not wrapped."""

# HTML in texts is shown as text; images are off because they would be loaded from elsewhere.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def prose(text: str) -> str:
    """Markdown as HTML."""
    return str(_MARKDOWN.render(text))


def inline(text: str) -> str:
    """One sentence of Markdown, without a paragraph element."""
    return str(_MARKDOWN.renderInline(text))


def document(title: str, body: Iterable[str]) -> str:
    """The whole self-contained page."""
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style()}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(body) + "\n</body>\n</html>\n"


def listed(title: str, name: str, sentences: Sequence[str]) -> Iterator[str]:
    """Sentences of Markdown as a list under a heading; empty if there are none."""
    yield from _list(title, name, map(inline, sentences))


def plainly(title: str, name: str, texts: Sequence[str]) -> Iterator[str]:
    """The same for plain text."""
    yield from _list(title, name, map(escape, texts))


def _list(title: str, name: str, entries: Iterable[str]) -> Iterator[str]:
    items = "".join(f"<li>{one}</li>" for one in entries)
    if items:
        yield f'<section id="{escape(name)}"><h2>{escape(title)}</h2><ul>{items}</ul></section>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values; empty values are left out."""
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(what)}</dd>" for name, what in pairs if what
    )
    return f"<dl>{rows}</dl>"


def chart(figure: Chart, place: str) -> Iterator[str]:
    """A chart in two widths; the style shows the one that fits."""
    name = f"{place}-{figure.name}-chart"
    drawn = ((draw(figure, WIDE), "wide"), (draw(figure, NARROW), "narrow"))
    yield f'<figure id="{escape(name)}"><h3>{escape(figure.title)}</h3>'
    for canvas, class_ in drawn:
        if canvas is not None:
            yield canvas.svg(f"{name}-{class_}", figure.title, figure.caption, class_)
    if drawn[0][0] is None:
        yield "<p>Nothing was measured.</p>"
    yield f"<figcaption>{inline(figure.caption)}</figcaption></figure>"


def table(content: Table, place: str) -> Iterator[str]:
    """A table that scrolls in its own box if it is too wide."""
    yield f'<figure id="{escape(f"{place}-{content.name}")}"><h3>{escape(content.title)}</h3>'
    label = f'role="region" aria-label="{escape(content.title)}"'
    yield f'<div class="scroll" tabindex="0" {label}><table>'
    words = {one.key: _is_text(content.rows, one.key) for one in content.headings}
    heads = "".join(_heading(one, text=words[one.key]) for one in content.headings)
    yield f'<thead><tr><th scope="col">{escape(content.first)}</th>{heads}</tr></thead><tbody>'
    for row in content.rows:
        fields = "".join(
            _field(row.fields.get(one.key), one, text=words[one.key]) for one in content.headings
        )
        yield f"{_first(row)}{fields}</tr>"
    yield f"</tbody></table></div><figcaption>{inline(content.caption)}</figcaption>"
    for note in content.notes:
        yield f'<p class="note">{inline(note)}</p>'
    for row in content.rows:
        if row.flawed:
            text = f"{escape(row.label)}: {escape(row.flawed)}"
            yield f'<p class="note"><b class="bad">!</b> {text}</p>'
    yield "</figure>"


def _is_text(rows: Sequence[Row], key: str) -> bool:
    """Whether a column holds text, which may be wrapped."""
    return any(isinstance(entry := row.fields.get(key), str) and len(entry) > 24 for row in rows)


def _heading(one: Heading, *, text: bool) -> str:
    unit = f"<small>{escape(one.unit)}</small>" if one.unit else ""
    hint = f' title="{one.better} is better"' if one.better else ""
    kind = "text" if text else "" if len(one.title) > SHORT else "short"
    return f'<th scope="col"{hint}{_class(kind)}>{escape(one.title)}{unit}</th>'


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _field(entry: Entry, heading: Heading, *, text: bool) -> str:
    if isinstance(entry, Median) and entry.rounds > 1 and None not in (entry.low, entry.high):
        low, high = (number(edge, heading.digits) for edge in (entry.low or 0.0, entry.high or 0.0))
        value = number(entry.value, heading.digits)
        return f"<td>{escape(value)}<small>{escape(low)} to {escape(high)}</small></td>"
    return f"<td{_class('text' if text else '')}>{escape(entry_text(entry, heading))}</td>"


def _first(row: Row) -> str:
    name = colour(row.client) if row.client else ""
    mark = f'<span class="mark b-{name}"></span>' if name else ""
    flawed = f' <b class="bad" title="{escape(row.flawed)}">!</b>' if row.flawed else ""
    ours = ' class="ours"' if name == OURS else ""
    return f'<tr{ours}><th scope="row">{mark}{escape(row.label)}{flawed}</th>'

"""Parts of pages: tables, charts, prose, and the document around them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from ..report import Median
from ..summary import few_rounds, values_text
from ..svg import NARROW, WIDE, draw
from ..svg.palette import OURS, colour
from ..text import entry_text, number
from .style import style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..report import Chart, Entry, Heading, Row, Table
    from ..summary import SummaryRow

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


def source(title: str, link: str) -> str:
    """The published document, linked if it is known where it is; empty for studies of our own."""
    if not title:
        return ""
    text = escape(title)
    return f'Source: <a href="{escape(link)}">{text}</a>' if link else f"Source: {text}"


def back(links: Sequence[tuple[str, str]]) -> str:
    """Links to the pages around this one."""
    items = "".join(
        f'<li><a href="{escape(place)}">{escape(text)}</a></li>' for place, text in links
    )
    return f'<nav aria-label="Around"><ul>{items}</ul></nav>'


def summary_table(rows: Sequence[SummaryRow]) -> str:
    """Our client beside the best other one; empty if no row has both."""
    if not rows:
        return ""
    lines = "".join(map(_summary_row, rows))
    text = few_rounds(rows)
    return (
        '<section id="summary"><h2>Summary</h2><figure><div class="scroll" tabindex="0"'
        ' role="region" aria-label="Summary"><table><thead><tr><th scope="col">row</th>'
        '<th scope="col">Spikewire</th><th scope="col">best other</th><th scope="col" class="text">'
        'its name</th><th scope="col">times better<small>95 % interval</small></th></tr></thead>'
        f"<tbody>{lines}</tbody></table></div><figcaption>Ratios are taken in each round; shown is"
        " their median, and the 95 % interval of its bootstrap. <b>equal</b>: the interval contains"
        f" 1. {escape(text)}</figcaption></figure></section>"
    )


def _summary_row(row: SummaryRow) -> str:
    unit = f"<small>{escape(row.heading.unit)}</small>" if row.heading.unit else ""
    ours, other = (escape(values_text(one, row.heading)) for one in (row.ours, row.other))
    ratio = row.ratio
    text = ratio.verdict or f"{ratio.ratio:.{1 if ratio.low is None else 2}f}"
    class_ = "" if ratio.verdict else " good" if ratio.ratio > 1 else " bad"
    known = ratio.low is not None and ratio.high is not None
    between = f"<small>{ratio.low:.2f} to {ratio.high:.2f}</small>" if known else ""
    link = f'<a href="#{escape(row.place)}">{escape(row.name)}</a>'
    return (
        f'<tr><th scope="row">{link}</th><td>{ours}{unit}</td><td>{other}{unit}</td>'
        f'<td class="text">{escape(row.client)}</td>'
        f'<td class="ratio{class_}">{escape(text)}{between}</td></tr>'
    )


def folded(title: str, place: str, charts: Sequence[Chart]) -> Iterator[str]:
    """Charts that are shown on request; nothing without any."""
    if not charts:
        return
    many = f"{title} ({len(charts)})"
    yield f"<details><summary>{escape(many)}</summary>"
    for one in charts:
        yield from chart(one, place)
    yield "</details>"


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

"""A bar for each label, with the spread of its rounds as whiskers and the figure beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text import number
from . import units
from .canvas import SMALL, USUAL, Canvas, text_width, wrapped
from .palette import colour
from .scale import Scale, linear, logarithmic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..report import Chart, Series

WIDEST_LABEL = 0.4
"""Maximum share of the width; longer labels are wrapped."""
LINE, BAR, GAP, TOP = 15.0, 15.0, 9.0, 6.0
DOT = 5.0
"""Half the width of a dot."""
NARROW = 500
"""Charts narrower than this have labels above their bars."""


@dataclass(frozen=True)
class _Bar:
    label: str
    client: str
    value: float
    spread: tuple[float, float] | None
    heading: str = ""
    """Shown above the first bar of a group."""


def bars(chart: Chart, width: int) -> Canvas:
    """Bars from top to bottom, in the order of the series; those with the same label are
    grouped."""
    bars = list(_bars(chart.series))
    above = width < NARROW
    longest = max(text_width(bar.label, USUAL) for bar in bars)
    left = 0.0 if above else min(longest, width * WIDEST_LABEL) + 8
    texts = [_value_text(bar) for bar in bars]
    right = width - max(text_width(text, SMALL) for text in texts) - 8
    scale = _scale(chart, bars, left, right)
    canvas = Canvas(width)
    canvas.height = TOP
    for bar, text in zip(bars, texts, strict=True):
        if bar.heading:
            canvas.height += LINE + 4
            for line in wrapped(bar.heading, USUAL, width):
                canvas.text(0, canvas.height, line, class_="strong")
                canvas.height += LINE
            canvas.height -= LINE - 8
        _row(canvas, bar, text, scale, left, above=above, dots=chart.y.logarithmic)
    _axis(canvas, chart, scale)
    return canvas


def _bars(series: Sequence[Series]) -> Iterator[_Bar]:
    labels = list(dict.fromkeys(str(x) for one in series for x, _ in one.points))
    alone = all(
        sum(str(x) == label for one in series for x, _ in one.points) < 2 for label in labels
    )
    for label in labels:
        heading = "" if alone else label
        for one in series:
            for at, (x, y) in enumerate(one.points):
                if str(x) == label:
                    spread = one.spread[at] if at < len(one.spread) else None
                    name = label if alone else one.name
                    yield _Bar(name, one.client or one.name, y, spread, heading)
                    heading = ""


def _value_text(bar: _Bar) -> str:
    return number(bar.value)


def _scale(chart: Chart, bars: Sequence[_Bar], left: float, right: float) -> Scale:
    values = [value for bar in bars for value in (bar.value, *(bar.spread or ()))]
    if chart.y.logarithmic:
        return logarithmic(values, left, right)
    return linear(values, left, right, max(2, int((right - left) / 90)), zero=True)


def _row(
    canvas: Canvas, bar: _Bar, text: str, scale: Scale, left: float, *, above: bool, dots: bool
) -> None:
    lines = wrapped(bar.label, USUAL, canvas.width if above else left - 8)
    top = canvas.height
    if above:
        for at, line in enumerate(lines):
            canvas.text(0, top + 12 + at * LINE, line)
        top += LINE * len(lines) + 2
        canvas.height = top + BAR + GAP
        middle = top + BAR / 2
    else:
        tall = max(BAR, LINE * len(lines))
        middle = top + tall / 2
        for at, line in enumerate(lines):
            y = middle + 4.5 + (at - (len(lines) - 1) / 2) * LINE
            canvas.text(left - 8, y, line, "end")
        canvas.height = top + tall + GAP
    nought = scale(0.0 if scale.low <= 0 else scale.low)
    end = scale(bar.value)
    title = f"{bar.label}: {text}"
    if bar.spread is not None:
        title += f" ({number(bar.spread[0])} to {number(bar.spread[1])})"
    # A bar's length means its value: on a logarithmic axis, which has no zero, there are dots.
    dot = DOT if dots else 0.0
    canvas.add(
        "rect",
        title,
        x=end - dot if dots else min(nought, end),
        y=middle - (dot or BAR / 2),
        width=2 * dot or max(abs(end - nought), 1.0),
        height=2 * dot or BAR,
        rx=dot or 2.0,
        class_=f"f-{colour(bar.client)}",
    )
    farthest = max(end + dot, nought)
    if bar.spread is not None:
        low, high = map(scale, bar.spread)
        ends = "".join(f"M{x:.1f} {middle - 4:.1f}v8" for x in (low, high))
        path = f"M{low:.1f} {middle:.1f}H{high:.1f}{ends}"
        canvas.add("path", d=path, class_="whisker")
        farthest = max(farthest, high)
    canvas.text(farthest + 6, middle + 4, text, size=SMALL, class_="value")


def _axis(canvas: Canvas, chart: Chart, scale: Scale) -> None:
    """The axis below all bars, with its title."""
    texts, unit = units.ticks(scale.ticks, chart.y.unit, apart=chart.y.logarithmic)
    bottom = canvas.height
    canvas.add("path", d=f"M{scale.start:.1f} {bottom:.1f}H{scale.end:.1f}", class_="axis")
    reached = -1e9
    for value, text in zip(scale.ticks, texts, strict=True):
        x = scale(value)
        half = text_width(text, SMALL) / 2
        x_text = min(max(x, half), canvas.width - half)
        canvas.add("path", d=f"M{x:.1f} {bottom:.1f}v4", class_="axis")
        if x_text - half > reached:
            canvas.text(x_text, bottom + 16, text, "middle", SMALL, "tick")
            reached = x_text + half + 6
    title = units.titled(chart.y.title, unit)
    y = bottom + 33
    for line in wrapped(title, SMALL, canvas.width):
        canvas.text(canvas.width / 2, y, line, "middle", SMALL, "tick")
        y += LINE
    canvas.height = y - LINE + 6

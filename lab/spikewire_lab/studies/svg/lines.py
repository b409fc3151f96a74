"""Lines through points, or step lines, over two axes; the spread as a band, and a legend below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..report import STEPS
from ..text import number
from . import units
from .canvas import SMALL, Canvas, text_width, wrapped
from .palette import DASHES, SHAPES, styles
from .scale import Scale, labels, linear, logarithmic, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report import Axis, Chart, Series

LINE, SWATCH = 15.0, 26.0
MARKED = 30
"""Lines with more points show markers only under the mouse."""
MOST = 400
"""Points drawn of a line; if it has more, the lowest and highest of neighbouring points are
drawn."""


@dataclass(frozen=True)
class _Frame:
    x: Scale
    y: Scale
    names: Sequence[str]
    """Labels of the x axis, if these are words."""

    def place(self, point: tuple[float | str, float]) -> tuple[float, float]:
        at = self.names.index(str(point[0])) if self.names else float(point[0])
        return self.x(at), self.y(point[1])


def lines(chart: Chart, width: int) -> Canvas:
    """A line through the points of each series."""
    canvas = Canvas(width)
    frame = _frame(chart, canvas)
    for one, (colour, nth) in zip(chart.series, styles(chart.series), strict=True):
        _draw(canvas, frame, one, colour, nth, stepped=chart.kind == STEPS)
    _legend(canvas, chart.series)
    return canvas


def _frame(chart: Chart, canvas: Canvas) -> _Frame:
    """Draws grid, ticks and titles; the canvas then ends below them."""
    points = [point for one in chart.series for point in one.points]
    words = any(isinstance(x, str) for x, _ in points)
    names = list(dict.fromkeys(str(x) for x, _ in points)) if words else []
    values = [y for _, y in points]
    values += [edge for one in chart.series for pair in one.spread for edge in pair]
    top, tall = 30.0, 200.0 if canvas.width < 500 else 280.0
    bottom = top + tall
    y = _scale(values, chart.y, bottom, top, 5)
    y_texts, y_unit = units.ticks(y.ticks, chart.y.unit, apart=chart.y.logarithmic)
    left = max(text_width(text, SMALL) for text in y_texts) + 8
    right = canvas.width - 14
    count = max(2, int((right - left) / 80))
    x = (
        labels(names, left, right)
        if names
        else _scale([float(x) for x, _ in points], chart.x, left, right, count)
    )
    canvas.text(0, 12, units.titled(chart.y.title, y_unit), size=SMALL, class_="tick")
    reached = 1e9
    for value, text in zip(y.ticks, y_texts, strict=True):
        at = y(value)
        canvas.add("path", d=f"M{left:.1f} {at:.1f}H{right:.1f}", class_="grid")
        if at + 14 < reached:
            canvas.text(left - 6, at + 4, text, "end", SMALL, "tick")
            reached = at
    _below(canvas, chart, x, names, bottom)
    return _Frame(x, y, names)


def _scale(values: Sequence[float], axis: Axis, start: float, end: float, ticks: int) -> Scale:
    if axis.percentiles:
        return percentile(values, start, end)
    if axis.logarithmic:
        return logarithmic(values, start, end)
    return linear(values, start, end, ticks, zero=start > end)


def _below(canvas: Canvas, chart: Chart, x: Scale, names: Sequence[str], bottom: float) -> None:
    texts, unit = units.ticks(x.ticks, chart.x.unit, apart=chart.x.logarithmic)
    if names:
        texts, unit = list(names), chart.x.unit
    elif chart.x.percentiles:
        texts, unit = [f"{value:g}" for value in x.ticks], chart.x.unit
    canvas.add("path", d=f"M{x.start:.1f} {bottom:.1f}H{x.end:.1f}", class_="axis")
    apart = (x.end - x.start) / max(len(names), 1) - 6
    reached, lowest = -1e9, 1
    for value, text in zip(x.ticks, texts, strict=True):
        at = x(value)
        rows = wrapped(text, SMALL, max(apart, 24)) if names else [text]
        half = max(text_width(row, SMALL) for row in rows) / 2
        centre = min(max(at, half), canvas.width - half)
        canvas.add("path", d=f"M{at:.1f} {bottom:.1f}v4", class_="axis")
        if centre - half <= reached:
            continue
        reached = centre + half + 4
        for row, line in enumerate(rows):
            canvas.text(centre, bottom + 17 + row * LINE, line, "middle", SMALL, "tick")
        lowest = max(lowest, len(rows))
    y = bottom + 20 + lowest * LINE
    for line in wrapped(units.titled(chart.x.title, unit), SMALL, canvas.width):
        canvas.text(canvas.width / 2, y, line, "middle", SMALL, "tick")
        y += LINE
    canvas.height = y


def _draw(
    canvas: Canvas, frame: _Frame, one: Series, colour: str, nth: int, *, stepped: bool
) -> None:
    if len(one.spread) == len(one.points) > 1:
        low = [
            frame.place((x, edge)) for (x, _), (edge, _) in zip(one.points, one.spread, strict=True)
        ]
        high = [
            frame.place((x, edge)) for (x, _), (_, edge) in zip(one.points, one.spread, strict=True)
        ]
        canvas.add("path", d=_path([*low, *reversed(high)]) + "Z", class_=f"band f-{colour}")
    points = _thinned(one.points)
    places = [frame.place(point) for point in points]
    dash = DASHES[nth % len(DASHES)]
    if places:
        canvas.add(
            "path",
            d=_path(places, stepped=stepped),
            class_=f"line s-{colour}",
            stroke_dasharray=dash,
        )
    many = len(places) > MARKED
    every = max(1, len(places) // (4 * MARKED))
    for (x, y), (at, value) in list(zip(places, points, strict=True))[::every]:
        title = f"{one.name}: {at if isinstance(at, str) else number(at)} → {number(value)}"
        marker(canvas, x, y, f"hidden s-{colour}" if many else f"f-{colour}", nth, title)


def _thinned(points: Sequence[tuple[float | str, float]]) -> Sequence[tuple[float | str, float]]:
    """Reduces points but keeps extremes: a stall must not vanish."""
    if len(points) <= MOST:
        return points
    size = -(-2 * len(points) // MOST)
    chosen: set[int] = {0, len(points) - 1}
    for start in range(0, len(points), size):
        those = range(start, min(start + size, len(points)))
        chosen.update(
            (min(those, key=lambda at: points[at][1]), max(those, key=lambda at: points[at][1]))
        )
    return [points[at] for at in sorted(chosen)]


def _path(places: Sequence[tuple[float, float]], *, stepped: bool = False) -> str:
    text = f"M{places[0][0]:.1f} {places[0][1]:.1f}"
    for x, y in places[1:]:
        text += f"H{x:.1f}V{y:.1f}" if stepped else f"L{x:.1f} {y:.1f}"
    return text


def marker(canvas: Canvas, x: float, y: float, class_: str, nth: int, title: str = "") -> None:
    """The marker of a point, in the shape of the n-th line of its colour."""
    shape = SHAPES[nth % len(SHAPES)]
    if shape == "circle":
        canvas.add("circle", title, cx=x, cy=y, r=3.5, class_=class_)
        return
    paths = {
        "square": "m-3.2 -3.2h6.4v6.4h-6.4Z",
        "diamond": "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6Z",
        "triangle": "m0 -4.6l4.4 7.6h-8.8Z",
    }
    canvas.add("path", title, d=f"M{x:.1f} {y:.1f}{paths[shape]}", class_=class_)


def _legend(canvas: Canvas, series: Sequence[Series]) -> None:
    """Legend entries in as many rows as needed."""
    x, y = 0.0, canvas.height + 12
    for one, (colour, nth) in zip(series, styles(series), strict=True):
        rows = wrapped(one.name, SMALL, canvas.width - SWATCH - 6)
        wide = SWATCH + 6 + max(text_width(row, SMALL) for row in rows)
        if x and x + wide > canvas.width:
            x, y = 0.0, y + LINE + 3
        path = f"M{x:.1f} {y - 4:.1f}h{SWATCH:g}"
        canvas.add(
            "path", d=path, class_=f"line s-{colour}", stroke_dasharray=DASHES[nth % len(DASHES)]
        )
        marker(canvas, x + SWATCH / 2, y - 4, f"f-{colour}", nth)
        for at, row in enumerate(rows):
            canvas.text(x + SWATCH + 6, y + at * LINE, row, size=SMALL)
        y += LINE * (len(rows) - 1)
        x += wide + 16
    canvas.height = y + 8

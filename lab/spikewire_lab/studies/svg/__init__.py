"""Charts as inline SVG: no scripts, no fonts, colours from the page's style.

==============  ==============================================================
``scale``       values to positions: linear, logarithmic, percentiles; ticks
``units``       tick labels: 250k, 1.5 ms, 64 MB
``canvas``      elements, texts and their bounding boxes
``palette``     the colour of a client, the same in all charts and pages
``bars``        a bar for each label, with the spread of its rounds
``lines``       lines through points and step lines, over two axes, with a legend
==============  ==============================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report import BARS
from .bars import bars
from .lines import lines

if TYPE_CHECKING:
    from ..report import Chart
    from .canvas import Canvas

__all__ = ["NARROW", "WIDE", "draw"]

WIDE, NARROW = 760, 340
"""Widths in pixels: of a desktop column and of a phone."""


def draw(chart: Chart, width: int) -> Canvas | None:
    """The chart at that width; None if it has no points."""
    if not any(series.points for series in chart.series):
        return None
    return bars(chart, width) if chart.kind == BARS else lines(chart, width)

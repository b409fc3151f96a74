"""Renders a view as tables in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from spikewire.top.terminal import visible
from spikewire.top.view import NodeLine

if TYPE_CHECKING:
    from spikewire.top.view import HotKeyLine, Line, View


#: How many hot keys are shown.
_HOT_KEYS = 10


def screen(url: str, view: View) -> RenderableType:
    """The whole screen."""
    total = view.total
    head = Text.assemble(
        (visible(url), "bold"),
        f"  {_number(total.rate)}/s",
        f"  p50 {_time(total.p50)}",
        f"  p99 {_time(total.p99)}",
        (f"  errors {_number(total.errors)}/s", "red" if total.errors else ""),
        f"  retries {_number(view.retries)}/s",
        f"  in flight {view.in_flight}",
        f"  queued {view.queued}",
        f"  near cache {_number(view.hit_rate)}/s" if view.hot_keys or view.hit_rate else "",
    )
    parts: list[RenderableType] = [head]
    if not view.counting:
        parts.append(Text("Commands are not counted: client.metrics.enable()", style="yellow"))
    if view.operations:
        parts.append(_table("operation", view.operations))
    nodes = _table("node", view.nodes, "connections", "breaker", "limit", "waiting", "rejected/s")
    parts.append(nodes)
    if view.stages:
        parts.append(_table("stage", view.stages))
    if view.hot_keys:
        parts.append(_hot_keys(view.hot_keys))
    return Group(*parts)


def problem(url: str, why: str) -> RenderableType:
    """Rendered when there is nothing to show."""
    return Text.assemble((visible(url), "bold"), "  ", (visible(why), "red"))


def _table(title: str, lines: list[Line] | list[NodeLine], *more: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, overflow="ellipsis", no_wrap=True)
    names = ("per s", "p50", "p99", "errors/s", *more)
    rows: list[tuple[list[str], str]] = []
    for line in lines:
        cells = [visible(line.name), _number(line.rate), _time(line.p50), _time(line.p99)]
        cells.append(_number(line.errors) if line.errors else "")
        if isinstance(line, NodeLine):
            cells += [str(line.connections), "open" if line.breaker_open else ""]
            cells += [_number(value) if value else "" for value in line.load]
        others = sorted((name, rate) for name, rate in line.results.items() if name != "ok")
        cells.append(", ".join(f"{visible(name)} {_number(rate)}" for name, rate in others))
        rows.append((cells, "red" if line.errors else ""))
    # Where there is little room, names are cut and numbers are not.
    for place, name in enumerate(names, 1):
        widest = max(len(text) for text in (name, *(cells[place] for cells, _ in rows)))
        table.add_column(name, justify="right", no_wrap=True, min_width=widest)
    table.add_column("other results", overflow="ellipsis", no_wrap=True)
    for cells, style in rows:
        table.add_row(*map(Text, cells), style=style)
    return table


def _hot_keys(lines: list[HotKeyLine]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("hot key", no_wrap=True)
    table.add_column("per s", justify="right", no_wrap=True)
    table.add_column("of", overflow="ellipsis", no_wrap=True)
    for line in lines[:_HOT_KEYS]:
        place = f"{line.namespace} {line.set}".strip()
        table.add_row(*map(Text, (visible(line.digest), _number(line.rate), visible(place))))
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"

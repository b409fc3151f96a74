"""The mode `apis`: the cost of our other APIs relative to the verbs and to the clients they
replace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..clients import OURS, PEERS
from .line import Ratios

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..plan import Cell
    from .figures import Spread
    from .line import Line

APIS_MODE = "apis"
OUR_APIS = (OURS, *(name for name, peer in PEERS.items() if peer.api_of == OURS))
REPLACED = tuple(peer.replaces for peer in PEERS.values() if peer.replaces)
CLIENTS = (*OUR_APIS, *REPLACED)
"""The clients that are compared by default."""
BATCH_SIZES = WRITE_SIZES = (128,)


def is_other_api(client: str) -> bool:
    """Whether this is one of our client's other APIs."""
    return client in PEERS and bool(PEERS[client].api_of)


def with_apis(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group, those of other APIs with their ratios."""
    if not any(is_other_api(line.cell.client) for line in lines):
        return list(lines)
    known = {(line.cell.client, line.cell.shape.way): line for line in lines}
    return [
        replace(line, apis=_ratios(line, known)) if is_other_api(line.cell.client) else line
        for line in lines
    ]


def _ratios(line: Line, known: dict[tuple[str, str], Line]) -> Ratios:
    peer = PEERS[line.cell.client]
    way = PEERS[peer.api_of].way_like(line.cell.shape.kind, peer.name)
    verb, replaced = known.get((peer.api_of, way.name)), known.get((peer.replaces, ""))
    return Ratios(
        None if verb is None else _over(line.cpu, verb.cpu),
        None if replaced is None else _over(line.rate, replaced.rate),
        None if replaced is None else _over(line.cpu, replaced.cpu),
    )


def _over(one: Spread | None, other: Spread | None) -> float | None:
    return None if one is None or other is None or not other.median else one.median / other.median


def conclusions(groups: Iterable[Sequence[Line]]) -> list[str]:
    """For each API its worst ratio of all cells, and the cell."""
    measured: dict[str, list[tuple[Cell, Ratios]]] = {}
    for line in (line for lines in groups for line in lines):
        if line.apis is not None:
            measured.setdefault(line.cell.client, []).append((line.cell, line.apis))
    sentences: list[str] = []
    for client, cells in measured.items():
        costs = [(one.cpu_verb, cell) for cell, one in cells if one.cpu_verb is not None]
        rates = [(one.rate_replaced, cell) for cell, one in cells if one.rate_replaced is not None]
        replaced = PEERS[client].replaces
        if costs:
            most, where = max(costs, key=lambda cost: cost[0])
            sentences.append(f"{client}: at most {most:.2f} of the verb's CPU ({_place(where)})")
        if rates:
            least, where = min(rates, key=lambda rate: rate[0])
            ahead = sum(rate > 1 for rate, _ in rates)
            text = f"{client}: ahead of {replaced} in {ahead} of {len(rates)} cells"
            sentences.append(f"{text}, at least {least:.2f} of its op/s ({_place(where)})")
    return sentences


def _place(cell: Cell) -> str:
    return f"{cell.mode} {cell.concurrency} {cell.shape}".rstrip()

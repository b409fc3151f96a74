"""The mode `faces`: the cost of our own faces relative to the verbs and to the clients they
replace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..clients import OURS, PEERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..run.plan import Cell
    from .measured import Spread
    from .summary import Line

FACES_MODE = "faces"
FACES = (OURS, *(name for name, peer in PEERS.items() if peer.face_of == OURS))
REPLACED = tuple(peer.replaces for peer in PEERS.values() if peer.replaces)
CLIENTS = (*FACES, *REPLACED)
"""The clients that are compared by default."""
BATCH_SIZES = WRITE_SIZES = (128,)


@dataclass(frozen=True)
class Ratios:
    """Ratios of one line to others of its group; None if there is none to compare with."""

    cpu_verb: float | None = None
    """Processor time per operation relative to the verb that does the same."""
    rate_replaced: float | None = None
    """Operations per second relative to the client that this face replaces."""
    cpu_replaced: float | None = None
    """Processor time per operation relative to that client."""


def is_face(client: str) -> bool:
    """Whether this is one of our client's other faces."""
    return client in PEERS and bool(PEERS[client].face_of)


def with_faces(lines: Sequence[Line]) -> list[Line]:
    """Lines of one group, those of faces with their ratios."""
    if not any(is_face(line.cell.client) for line in lines):
        return list(lines)
    known = {(line.cell.client, line.cell.shape.way): line for line in lines}
    return [
        replace(line, faces=_ratios(line, known)) if is_face(line.cell.client) else line
        for line in lines
    ]


def _ratios(line: Line, known: dict[tuple[str, str], Line]) -> Ratios:
    peer = PEERS[line.cell.client]
    way = PEERS[peer.face_of].way_beside(line.cell.shape.kind, peer.name)
    verb, replaced = known.get((peer.face_of, way.name)), known.get((peer.replaces, ""))
    return Ratios(
        None if verb is None else _over(line.cpu, verb.cpu),
        None if replaced is None else _over(line.rate, replaced.rate),
        None if replaced is None else _over(line.cpu, replaced.cpu),
    )


def _over(one: Spread | None, other: Spread | None) -> float | None:
    return None if one is None or other is None or not other.median else one.median / other.median


def conclusions(groups: Iterable[Sequence[Line]]) -> list[str]:
    """For each face its worst ratio of all cells, and the cell."""
    measured: dict[str, list[tuple[Cell, Ratios]]] = {}
    for line in (line for lines in groups for line in lines):
        if line.faces is not None:
            measured.setdefault(line.cell.client, []).append((line.cell, line.faces))
    said: list[str] = []
    for client, cells in measured.items():
        costs = [(one.cpu_verb, cell) for cell, one in cells if one.cpu_verb is not None]
        rates = [(one.rate_replaced, cell) for cell, one in cells if one.rate_replaced is not None]
        replaced = PEERS[client].replaces
        if costs:
            most, where = max(costs, key=lambda cost: cost[0])
            said.append(f"{client}: at most {most:.2f} of the verb's CPU ({_place(where)})")
        if rates:
            least, where = min(rates, key=lambda rate: rate[0])
            ahead = sum(rate > 1 for rate, _ in rates)
            text = f"{client}: ahead of {replaced} in {ahead} of {len(rates)} cells"
            said.append(f"{text}, at least {least:.2f} of its op/s ({_place(where)})")
    return said


def _place(cell: Cell) -> str:
    return f"{cell.mode} {cell.concurrency} {cell.shape}".rstrip()

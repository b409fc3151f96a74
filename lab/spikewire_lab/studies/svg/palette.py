"""The colour of a client, the same in all charts of all pages, and how clients of one colour
differ.

The colours can be told apart with red-green colour blindness, and have enough contrast on light and
dark backgrounds; their values are in the page's style. Dashes and marker shapes repeat the
distinction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report import Series

OURS = "ours"
COLOURS = {
    OURS: ("#00796b", "#3fd0b6"),
    "blue": ("#2f5fa8", "#7fb0f5"),
    "orange": ("#b45309", "#f2a950"),
    "purple": ("#8a3d8f", "#dc9be0"),
    "rose": ("#b3325f", "#f58bac"),
    "sand": ("#7a6a1d", "#d8c965"),
    "sky": ("#1f7a99", "#7ed0ea"),
    "grey": ("#5b6470", "#aab4c0"),
}
"""Values for light and for dark backgrounds."""

_CLIENTS = {
    "aerospike": "blue",
    "aerospike-py": "orange",
    "aerospike-sdk": "purple",
    "aerospike-native": "rose",
    "aerospike-rust": "sand",
    "aerospike-node": "blue",
    "cassandra-driver": "blue",
    "scylla-driver": "orange",
    "acsylla": "purple",
    "scyllapy": "rose",
    "scylladb-rs-driver": "sky",
    "scylla-rust": "sand",
    "cdrs-tokio": "rose",
    "null": "grey",
}
_OTHERS = ("sky", "sand", "rose", "purple", "orange", "blue")
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 4", "4 2 1 2")
SHAPES = ("circle", "square", "diamond", "triangle")


def colour(client: str) -> str:
    """The name of the colour; clients without one of their own get one derived from their name."""
    if client == "spikewire" or client.startswith(("spikewire-", "spikewire@", "spikewire ")):
        return OURS
    known = next((name for name in (client, client.split(" ")[0]) if name in _CLIENTS), None)
    if known is not None:
        return _CLIENTS[known]
    return _OTHERS[sum(client.encode()) % len(_OTHERS)] if client else "grey"


def styles(series: Sequence[Series]) -> list[tuple[str, int]]:
    """The colour of each client, and its index among those with the same colour."""
    seen: dict[str, int] = {}
    styles: list[tuple[str, int]] = []
    for one in series:
        name = colour(one.client or one.name)
        styles.append((name, seen.get(name, 0)))
        seen[name] = seen.get(name, 0) + 1
    return styles

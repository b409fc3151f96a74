"""The clients whose metrics are exported, and their labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from spikewire.metrics.families import Family, families
from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.metrics.families import Labels
    from spikewire.statistics.stats import Stats

__all__ = ["Clients", "HasStats", "Sources"]

#: Labels used by the metrics themselves.
_TAKEN = frozenset({"operation", "namespace", "node", "result", "stage", "le"})


class HasStats(Protocol):
    """A client or session."""

    def stats(self) -> Stats:
        """Its statistics."""
        ...


#: A client, or several by the value of their label ``client``.
Clients: TypeAlias = HasStats | Mapping[str, HasStats]


class Sources:
    """Clients with their labels. Raises ``TypeError`` and ``ValueError`` for invalid ones."""

    def __init__(self, clients: Clients, labels: Mapping[str, str] | None) -> None:
        if labels is not None and not isinstance(labels, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"labels must be a dict of names to values, not {type(labels).__name__}"
            )
        more = _checked(dict(labels or {}))
        if isinstance(clients, Mapping):
            if "client" in more:
                raise ValueError("labels: 'client' is set from the names of the clients")
            self._all = [(one, _checked({"client": name, **more})) for name, one in clients.items()]
        else:
            self._all = [(clients, more)]
        for one, _ in self._all:
            if not hasattr(one, "stats"):
                raise TypeError(
                    f"metrics are exported for a client or session, not for {type(one).__name__}"
                )

    def families(self) -> list[Family]:
        """The metrics of all clients, each family once. Closed clients are left out; if none is
        left, their error is raised.
        """
        merged: dict[str, Family] = {}
        error: Exception | None = None
        for client, labels in self._all:
            try:
                stats = client.stats()
            except closed_errors() as closed:
                error = error or closed
                continue
            for family in _labelled(stats, labels):
                known = merged.setdefault(family.name, family)
                if known is not family:
                    known.samples.extend(family.samples)
                    known.buckets.extend(family.buckets)
        if error is not None and not merged:
            raise error
        return list(merged.values())


def _labelled(stats: Stats, labels: Labels) -> Iterator[Family]:
    for family in families(stats):
        samples = [({**labels, **own}, value) for own, value in family.samples]
        yield family._replace(samples=samples)


def _checked(labels: Labels) -> Labels:
    for name, value in labels.items():
        for text in (name, value):
            if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"labels: {text!r} must be str, not {type(text).__name__}")
        if not re.fullmatch("(?!__)[a-zA-Z_][a-zA-Z0-9_]*", name):
            raise ValueError(f"labels: {name!r} is not a valid label name")
        if name in _TAKEN:
            raise ValueError(f"labels: {name!r} is one of the metrics' own labels")
    return labels

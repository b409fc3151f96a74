"""Known differences between a client and its drop-in, as data.

Each drop-in has a table (``differences.py``), which is the source of the messages of
``NotImplementedError`` and of the findings of ``spikewire compat check``. Keys are names
as a program uses them: ``Transaction``, ``Client.get_stats``, ``policy.compress`` for an entry of a
policy, ``config.tls`` for one of a configuration. A ``*`` at the end stands for any name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Never

__all__ = ["Differences", "Differs", "Entry", "Missing"]


class Missing(NamedTuple):
    """Not supported."""

    instead: str
    """What to use instead, as the end of a sentence."""


class Differs(NamedTuple):
    """Supported, with a difference."""

    how: str
    """A sentence without its full stop."""


Entry: TypeAlias = Missing | Differs


class Differences:
    """The table of one drop-in."""

    def __init__(self, module: str, entries: Mapping[str, Entry]) -> None:
        self.module = module
        self.entries = entries

    def find(self, name: str) -> Entry | None:
        """What is known about a name."""
        exact = self.entries.get(name)
        if exact is not None:
            return exact
        for pattern, entry in self.entries.items():
            if pattern.endswith("*") and name.startswith(pattern[:-1]):
                return entry
        return None

    def text(self, name: str) -> str:
        """The message for a name that is not supported."""
        entry = self.find(name)
        instead = entry.instead if isinstance(entry, Missing) else "there is no equivalent"
        return f"{name} is not supported by {self.module}: {instead}"

    def missing(self, name: str) -> Never:
        """Raises ``NotImplementedError`` for a name."""
        raise NotImplementedError(self.text(name))

"""Names in CQL."""

from __future__ import annotations

__all__ = ["quoted"]


def quoted(name: str) -> str:
    """A name for use in CQL, quoted if necessary."""
    plain = name.isascii() and name.islower() and name.replace("_", "a").isalnum()
    plain = plain and not name[0].isdigit() and not name.startswith("_")
    doubled = name.replace('"', '""')
    return name if plain else f'"{doubled}"'

"""Clients opened without seeds, and errors that name the source of the seeds."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spikewire.errors import ConnectionFailed

if TYPE_CHECKING:
    from collections.abc import Generator

    from spikewire.opening import Opening

__all__ = ["FROM_ENVIRONMENT", "naming", "seeds_origin"]


class _FromEnvironment:
    """Stands for omitted seeds; ``None`` could be a mistake of the program."""

    def __repr__(self) -> str:
        return "<from the environment>"


FROM_ENVIRONMENT: Any = _FromEnvironment()


def seeds_origin(opening: Opening) -> str:
    """The source of the seeds, in words for an error."""
    source = opening.sources["seeds"]
    if source == "the default":
        return "the seed is the default: give seeds, or set SPIKEWIRE_AEROSPIKE_URL"
    return f"the seeds are those of {source}"


@contextmanager
def naming(source: str | None) -> Generator[None, None, None]:
    """Adds the source of the seeds to the error of a client that finds no cluster."""
    try:
        yield
    except ConnectionFailed as error:
        if source is not None and source not in error.message:
            error.message = f"{error.message}; {source}"
            error.args = (error.message,)
        raise

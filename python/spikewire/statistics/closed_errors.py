"""Errors of clients and sessions that are closed, or not open yet."""

from __future__ import annotations

import sys

from spikewire import errors

__all__ = ["closed_errors"]


def closed_errors() -> tuple[type[Exception], ...]:
    """The classes of these errors, to be caught. Without sessions, ``spikewire.cql`` is not
    imported for its own."""
    of_sessions = sys.modules.get("spikewire.cql.errors")
    return (errors.Error,) if of_sessions is None else (errors.Error, of_sessions.Error)

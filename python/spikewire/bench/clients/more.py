"""Verbs of single records beside reads and writes, as those peers write them that share them.

What raises for a record that is not there is caught where a program that expects that would.
"""

from __future__ import annotations

from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from .base import FIND

ALL = frozenset({FIND, READ_ONE, REPLACE, OPERATE, ADD, TOUCH, EXISTS, REMOVE})


MISSED = "next(missed)"
"""What a read does that finds no record: it is counted."""


def expecting(call: str, then: str = "pass") -> str:
    """A call for which a record that is not there is no failure, and what is done about it."""
    return f"try:\n    {call}\nexcept RecordNotFound:\n    {then}"


def of_client(
    key: str, wait: str, *, removing: str, operations: str, reading: str, one_bin: str, adding: str
) -> dict[str, str]:
    """Clients whose methods take the key first; the arguments are what differs between them."""
    got, selected, operated = (
        f"({wait}{call}){reading}" if wait else f"{call}{reading}"
        for call in (f"get({key})", one_bin, f"operate({key}, {operations})")
    )
    return {
        FIND: expecting(got, MISSED),
        READ_ONE: selected,
        REPLACE: f"{wait}put({key}, bins, policy=replace)",
        OPERATE: operated,
        ADD: f"{wait}{adding}",
        TOUCH: f"{wait}touch({key})",
        EXISTS: f"{wait}exists({key})",
        REMOVE: removing,
    }

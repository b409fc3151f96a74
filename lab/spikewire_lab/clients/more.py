"""Verbs of single records other than reads and writes, shared by the peers that write them alike.

An exception for a missing record is caught where a program that expects it would catch it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from .base import FIND

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[str, str], str]
    """Makes the expression of a call from the name of a method and its arguments."""

ALL = frozenset({FIND, READ_ONE, REPLACE, OPERATE, ADD, TOUCH, EXISTS, REMOVE})


MISSED = "next(missed)"
"""Counts a read that finds no record."""


def blocking(method: str, arguments: str) -> str:
    """A call that returns its result."""
    return f"{method}({arguments})"


def awaited(method: str, arguments: str) -> str:
    """A call that returns an awaitable of its result."""
    return f"(await {method}({arguments}))"


def calls(wait: str) -> Call:
    """Blocking or awaited."""
    return awaited if wait else blocking


def expecting(call: str, then: str = "pass") -> str:
    """A call for which a missing record is no failure, and the statement that handles it."""
    return f"try:\n    {call}\nexcept RecordNotFound:\n    {then}"


def held(read: str, bins: str) -> str:
    """A read that returns None for a missing record, and what is taken from a `row`."""
    return f"row = {read}\nif row is None:\n    {MISSED}\nelse:\n    {bins}"


def of_client(
    key: str,
    call: Call,
    *,
    reading: str,
    one_bin: tuple[str, str],
    replacing: str,
    operations: str,
    removing: str,
    adding: tuple[str, str],
) -> dict[str, str]:
    """The verbs of clients whose methods take the key first; the parameters are where they
    differ."""
    return {
        FIND: expecting(f"{call('get', key)}{reading}", MISSED),
        READ_ONE: f"{call(*one_bin)}{reading}",
        REPLACE: call("put", replacing),
        OPERATE: f"{call('operate', f'{key}, {operations}')}{reading}",
        ADD: call(*adding),
        TOUCH: call("touch", key),
        EXISTS: call("exists", key),
        REMOVE: removing,
    }

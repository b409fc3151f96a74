"""Verbs of single records beside reads and writes, as those peers write them that share them.

What raises for a record that is not there is caught where a program that expects that would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from .base import FIND

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[str, str], str]
    """The expression for a call, of the name of a method and its arguments."""

ALL = frozenset({FIND, READ_ONE, REPLACE, OPERATE, ADD, TOUCH, EXISTS, REMOVE})


MISSED = "next(missed)"
"""What a read does that finds no record: it is counted."""


def blocking(method: str, arguments: str) -> str:
    """A call that returns what was asked for."""
    return f"{method}({arguments})"


def awaited(method: str, arguments: str) -> str:
    """One that returns an awaitable of it."""
    return f"(await {method}({arguments}))"


def calls(wait: str) -> Call:
    """Awaited or not."""
    return awaited if wait else blocking


def expecting(call: str, then: str = "pass") -> str:
    """A call for which a record that is not there is no failure, and what is done about it."""
    return f"try:\n    {call}\nexcept RecordNotFound:\n    {then}"


def held(read: str, bins: str) -> str:
    """A read that gives None for a record that is not there, and what is taken of a `row`."""
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
    """Clients whose methods take the key first; the arguments are what differs between them."""
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

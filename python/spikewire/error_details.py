"""What servers from 8.2 on say about a failure beyond its result code: the ``details`` of an error.

They say it to clients and calls that ask with ``error_details``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ErrorDetails", "ErrorTrace"]

_Phase: TypeAlias = Literal["build", "evaluation"]
_Outcome: TypeAlias = Literal["fault", "false", "absent"]
_Language: TypeAlias = Literal["msgpack", "ael"]

# What the engine hands over, in the order of the fields.
_Number: TypeAlias = "int | None"
_Text: TypeAlias = "str | None"
_Place: TypeAlias = (
    "tuple[_Phase | None, _Number, _Text, _Number, list[str], _Text, _Outcome | None]"
)
_InText: TypeAlias = "tuple[_Language, _Number, _Number, _Number, _Number, list[str]]"
NativeDetails: TypeAlias = "tuple[_Number, _Text, _Text, tuple[_Place, _InText] | None]"


@dataclass(frozen=True)
class ErrorTrace:
    """Where in an expression a failure happened. What the server did not say is ``None``, or
    empty.
    """

    phase: Literal["build", "evaluation"] | None = None
    """When it failed: while the server read the expression, or on a record."""
    offset: int | None = None
    """Where the operation begins in the bytes of the compiled expression."""
    op: str | None = None
    """The operation."""
    depth: int | None = None
    """How many operations it is inside of."""
    path: tuple[str, ...] = ()
    """The operations from the outermost to this one; ``"..."`` for some of them."""
    snippet: str | None = None
    """That part of the expression as text."""
    outcome: Literal["fault", "false", "absent"] | None = None
    """What the operation gave: it failed, it was false, or what it is about is not there."""
    language: Literal["msgpack", "ael"] = "msgpack"
    """How the expression was sent: compiled, or as text."""
    text_offset: int | None = None
    """Where the operation begins in an expression sent as text, in bytes."""
    text_length: int | None = None
    """How many bytes of that text it has."""
    line: int | None = None
    """The line of that text, from 1."""
    column: int | None = None
    """The column in that line, from 1."""
    operands: tuple[str, ...] = ()
    """What the operation was about, as text."""


@dataclass(frozen=True)
class ErrorDetails:
    """What a server native about a failure beyond its result code: see the option
    ``error_details``. What it did not say is ``None``.
    """

    subcode: int | None = None
    """A number that means something together with the ``code`` of the error only."""
    subcode_name: str | None = None
    """What that number is called; ``None`` for one that is not known."""
    message: str | None = None
    """The server's message. Its text may differ from server to server."""
    trace: ErrorTrace | None = None
    """Where in an expression it happened."""


def details_of(native: NativeDetails) -> ErrorDetails:
    """The details as the engine hands them over."""
    subcode, subcode_name, message, traced = native
    trace = None
    if traced is not None:
        (phase, offset, operation, depth, path, snippet, outcome), in_text = traced
        language, text_offset, text_length, line, column, operands = in_text
        trace = ErrorTrace(
            phase,
            offset,
            operation,
            depth,
            tuple(path),
            snippet,
            outcome,
            language,
            text_offset,
            text_length,
            line,
            column,
            tuple(operands),
        )
    return ErrorDetails(subcode, subcode_name, message, trace)

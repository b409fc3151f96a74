"""Values of flags: parsed, checked, and rejected with messages that argparse shows."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Parsed = TypeVar("Parsed")


def value(parse: Callable[[str], Parsed]) -> Callable[[str], Parsed]:
    """Wraps a parser so that argparse shows the message of its `ValueError`."""

    def parsed(text: str) -> Parsed:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def checked(parse: Callable[[str], Any]) -> Callable[[str], str]:
    """Returns the text unchanged if it parses: a worker gets it as it was written."""

    def checked(text: str) -> str:
        value(parse)(text)
        return text

    return checked


def names(what: str, known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def parsed(text: str) -> tuple[str, ...]:
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in known:
                raise ValueError(f"{name!r} is not a {what}: choose from {', '.join(known)}")
        return tuple(dict.fromkeys(names))

    return value(parsed)


@value
def count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


@value
def counts(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(count(item.strip()) for item in text.split(",")))


@value
def amounts(text: str) -> tuple[int, ...]:
    items = [item.strip() for item in text.split(",")]
    if not all(item.isdigit() for item in items):
        raise ValueError(f"{text!r} is not a list of whole numbers")
    return tuple(dict.fromkeys(map(int, items)))


@value
def cpus(text: str) -> tuple[int, ...]:
    items = [item.strip() for item in text.split(",")]
    if not all(item.isdigit() for item in items):
        raise ValueError(f"{text!r} is not a list of processor numbers")
    return tuple(int(item) for item in items)


@value
def seconds_or_none(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number of seconds") from None
    if not 0 <= seconds <= 86_400:
        raise ValueError(f"{text} s is not between 0 and a day")
    return seconds


@value
def seconds(text: str) -> float:
    seconds = seconds_or_none(text)
    if seconds == 0:
        raise ValueError("0 s is no time to measure in")
    return seconds


@value
def percentage(text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a percentage") from None
    if not 0 <= percent <= 100:
        raise ValueError(f"{text} is not between 0 and 100")
    return percent

"""The requests of users of a service, and the answers to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Ask = Callable[[int], Awaitable[object]]
    """Makes one of the requests."""


@dataclass
class Answers:
    """The answers of all users."""

    times: list[int] = field(default_factory=list[int])
    """Nanoseconds of each answered request; in an open loop from when it was due."""
    service: list[int] = field(default_factory=list[int])
    """In an open loop: nanoseconds from when it began."""
    errors: int = 0
    first_error: str | None = None

    def failed(self, error: BaseException) -> None:
        self.errors += 1
        self.first_error = self.first_error or f"{type(error).__name__}: {error}"

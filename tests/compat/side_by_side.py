"""Programs that run with two clients, and must observe the same with both.

A module has ``program = Programs("drivers")``, ``@program`` at each of its programs, and
``test_both_see_the_same = program.test()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Programs"]


class _Driver(Protocol):
    name: str
    set: str


Driver = TypeVar("Driver", bound=_Driver)
_LONGEST_SET = 60


class Programs(Generic[Driver]):
    """The programs of one module."""

    def __init__(self, fixture: str) -> None:
        self.fixture = fixture
        """The fixture with both drivers, the original's first."""
        self._all: list[Callable[[Driver], Any]] = []

    def __call__(self, of: Callable[[Driver], Any]) -> Callable[[Driver], Any]:
        """Adds a program."""
        self._all.append(of)
        return of

    def test(self) -> Callable[..., None]:
        """The test, which includes programs that are added later."""

        @pytest.mark.filterwarnings("ignore::DeprecationWarning")
        @pytest.mark.parametrize("of", self._all, ids=lambda of: of.__name__)
        def test_both_see_the_same(
            request: pytest.FixtureRequest, of: Callable[[Driver], Any]
        ) -> None:
            seen = []
            for driver in request.getfixturevalue(self.fixture):
                driver.set = f"{driver.name}_{of.__name__}"[:_LONGEST_SET]
                seen.append(of(driver))
            assert seen[1] == seen[0]
            assert seen[0] not in (None, [], ())

        test: Callable[..., None] = test_both_see_the_same
        return test

"""Progress of a run of several recipes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..run.progress import format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Way:
    """Counts parts of recipes as they begin, and estimates the remaining time."""

    def __init__(
        self, recipes: Sequence[Sequence[float]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`recipes` has the approximate durations of the parts of each recipe, in any unit."""
        self._places = [
            (recipe, part, len(parts))
            for recipe, parts in enumerate(recipes, 1)
            for part in range(1, len(parts) + 1)
        ]
        self._expected = [expected for parts in recipes for expected in parts]
        self._recipes = len(recipes)
        self._begun = 0
        self._clock = clock
        self._began = clock()
        self._spent, self._planned = 0.0, 0.0
        """Of the parts that were measured now: the time they took, and the expected one."""

    def next(self) -> str:
        """The number of the part that begins now, in words."""
        recipe, part, of = self._places[self._begun]
        text = f"part {part} of {of}{self._left()}"
        self._begun += 1
        self._began = self._clock()
        return f"recipe {recipe} of {self._recipes}, {text}" if self._recipes > 1 else text

    def ended(self, *, measured: bool = True) -> None:
        """The part that began last is over. One that an earlier command has measured says nothing
        about the time that others take."""
        if measured:
            self._spent += self._clock() - self._began
            self._planned += self._expected[self._begun - 1]

    def _left(self) -> str:
        """The remaining time, corrected by how far the estimates of earlier parts were off."""
        if not self._planned:
            return ""
        off = self._spent / self._planned
        return f", about {format_time(off * sum(self._expected[self._begun :]))} left in all"

"""How far a run of several recipes has come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..run.progress import shown_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Way:
    """Counts parts of recipes as they begin, and tells the time that the rest will take."""

    def __init__(self, parts: Sequence[int], clock: Callable[[], float] = time.monotonic) -> None:
        """`parts` says how many each recipe has."""
        self._places = [
            (recipe, part, of) for recipe, of in enumerate(parts, 1) for part in range(1, of + 1)
        ]
        self._recipes = len(parts)
        self._begun = 0
        self._clock = clock
        self._began = clock()

    def next(self) -> str:
        """The place of the part that begins now, in words."""
        recipe, part, of = self._places[self._begun]
        text = f"part {part} of {of}{self._left()}"
        self._begun += 1
        return f"recipe {recipe} of {self._recipes}, {text}" if self._recipes > 1 else text

    def _left(self) -> str:
        """As if all parts took as long as those before, which is all that is known of them."""
        if not self._begun:
            return ""
        each = (self._clock() - self._began) / self._begun
        return f", about {shown_time(each * (len(self._places) - self._begun))} left in all"

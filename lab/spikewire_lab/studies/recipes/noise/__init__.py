"""The same client twice in one comparison: which differences are noise on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .repeats import Repeats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement

__all__ = ["RECIPE"]


class Noise(Recipe):
    name = "noise"
    title = "The same client twice"
    text = (
        "Two lines of a comparison that are the same client differ by chance alone. The lab"
        " measures each client as two cells, in interleaved rounds as if they were two clients."
        " Beside the difference of the two medians stands the spread of the rounds, which is what"
        " every table gives for the noise: a difference between clients that is smaller says"
        " nothing. The rule of `lab compare` decides whether the difference is significant."
    )

    def parts(self) -> Sequence[Measurement]:
        return (Repeats(),)


RECIPE = Noise()

"""How much of the interpreter's time a client leaves to the rest of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .equal import Equal
from .shared import Shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement

__all__ = ["RECIPE"]


class Gil(Recipe):
    name = "gil"
    title = "What a client leaves of the interpreter"
    text = (
        "A program does more than wait for its database. While each client works as fast as it"
        " can, something else runs in the same process: a task that sleeps a millisecond again and"
        " again, of which the lateness is taken, and a thread that counts in plain Python. Both"
        " also run alone first, in the same process.\n\n"
        "A client that holds the interpreter's lock for long makes event loops late. One that asks"
        " for it often, or that needs it for each step of a call, takes it from the other thread,"
        " and is itself held up by a thread that gives the lock away only every 5 ms. Without a GIL"
        " (`--python` with a free-threaded interpreter) what is left is the processors."
    )

    def parts(self) -> Sequence[Measurement]:
        shared = Shared()
        return shared, Equal(shared)


RECIPE = Gil()

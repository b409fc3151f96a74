"""Progress of a comparison: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ..table.summary import failed_calls, rate_of
from ..work.shape import SINGLE

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from typing_extensions import Self

    from ..plan import Cell, SkippedClient
    from ..table.summary import Round


class Progress:
    """Written to standard error, so that standard output has only the tables."""

    def __init__(self, bar: bool | None = None) -> None:
        self._total = 0
        self._done = 0
        self._began = time.monotonic()
        self._bar: Bar | None = (
            _make_bar() if (sys.stderr.isatty() if bar is None else bar) else None
        )
        self._task = None if self._bar is None else self._bar.add_task("", total=None)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def skipped(self, skipped: SkippedClient) -> None:
        where = f" under {skipped.interpreter}" if skipped.interpreter else ""
        self.say(f"skipped: {skipped.client} {skipped.mode}{where}: {skipped.reason}")

    def expect(self, total: int) -> None:
        """Sets the number of runs, once it is known which clients can be used."""
        self._total, self._done = total, 0
        self._began = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, total=total, completed=0)

    def more(self, total: int) -> None:
        """Adds runs to the number expected."""
        self._total += total
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, total=self._total)

    def running(self, text: str) -> None:
        """Shows the run that begins."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text)

    def done(self, text: str) -> None:
        """Shows the result of the run that ended."""
        self._done += 1
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
        else:
            self.say(f"[{self._done}/{self._total}{self._left()}] {text}")

    def _left(self) -> str:
        """The remaining time if further runs take as long as those before."""
        if not 0 < self._done < self._total:
            return ""
        each = (time.monotonic() - self._began) / self._done
        return f", about {format_time(each * (self._total - self._done))} left"


def brief(cell: Cell, outcome: Round) -> str:
    """One run in a few words."""
    if "failed" in outcome:
        return f"failed: {outcome['failed']}"
    operations = outcome["operations"]
    seconds = outcome["cpu"]["user"] + outcome["cpu"]["system"]
    unit = "op" if cell.shape.kind == SINGLE else "row"
    text = f"{rate_of(outcome):,.0f} {unit}/s"
    if operations:
        text += f", {seconds * 1e6 / operations:.1f} us CPU per {unit}"
    if outcome["errors"]:
        failures = failed_calls(outcome["errors"], outcome.get("timeouts"))
        text += f", {failures}, the first: {outcome['first_error']}"
    return text


def format_time(seconds: float) -> str:
    """Minutes and seconds."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02}"


def _make_bar() -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        # On the machine under test: every redraw takes time from what is measured.
        refresh_per_second=1,
    )

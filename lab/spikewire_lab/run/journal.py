"""What a run has measured so far, in a file that a later command goes on from.

Every measurement is one line of JSON, written and synced when it ends, so that neither a killed
process nor a lost machine takes more than the measurement under way. A line that was cut short is
ignored.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NAME = "journal.jsonl"
ENVIRONMENT = "environment"


class TimeOverError(Exception):
    """The time for this command is over: what is left is for a later one."""


class Journal:
    """Outcomes by part, comparison, round and cell. Without a file, nothing is kept."""

    def __init__(
        self,
        path: Path | None = None,
        seconds: float | None = None,
        only: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Reads the file if it exists. `seconds` limits how long new measurements may begin; `only`
        has texts, one of which a row's name must contain to be measured."""
        self._path, self._clock = path, clock
        self._ends = None if seconds is None else clock() + seconds
        self.only = tuple(one.lower() for one in only)
        self._known: dict[str, dict[str, Any]] = {}
        self._part, self._comparison = "", 0
        self.skipped_rows = 0
        """Rows that `only` has left for later, in this command."""
        self.over = False
        """Whether the time was over before everything was measured."""
        self.added = 0
        """Outcomes kept by this command."""
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        try:
            entry: object = json.loads(line)
        except ValueError:
            return  # cut short
        if isinstance(entry, dict) and "key" in entry and "outcome" in entry:
            known = cast("dict[str, Any]", entry)
            self._known[str(known["key"])] = known["outcome"]

    def __len__(self) -> int:
        return len(self._known)

    @property
    def measured(self) -> int:
        """Measurements of earlier commands and this one."""
        return sum("turn" in outcome for outcome in self._known.values())

    @property
    def left(self) -> bool:
        """Whether this command has left something for a later one."""
        return self.over or self.skipped_rows > 0

    def begin_part(self, name: str) -> None:
        """Measurements from now on belong to this part of a recipe."""
        self._part, self._comparison = name, 0

    def begin_comparison(self) -> str:
        """The name of the part's next comparison; parts make theirs in the same order each time."""
        self._comparison += 1
        return f"{self._part}/{self._comparison}"

    def wants(self, row: str) -> bool:
        """Whether `only` lets this row of the current part be measured."""
        name = f"{self._part} {row}".lower()
        return not self.only or any(one in name for one in self.only)

    def get(self, key: str) -> dict[str, Any] | None:
        """The outcome with this key, a copy that may be changed."""
        known = self._known.get(key)
        return None if known is None else dict(known)

    def keep(self, key: str, outcome: Mapping[str, Any]) -> None:
        """Writes an outcome; raises `OSError` if it cannot be written."""
        self._known[key] = dict(outcome)
        self.added += 1
        if self._path is None:
            return
        line = json.dumps({"key": key, "outcome": outcome}, separators=(",", ":"))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            # What a killed process left of a line must not swallow this one.
            whole = _ends_whole(file)
            file.write(b"" if whole else b"\n")
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def check_time(self) -> None:
        """Raises `TimeOverError` if no further measurement may begin."""
        if self._ends is not None and self._clock() >= self._ends:
            self.over = True
            raise TimeOverError


def _ends_whole(file: Any) -> bool:
    if not os.fstat(file.fileno()).st_size:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")

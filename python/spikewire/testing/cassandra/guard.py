"""The process between this one and a JVM: ends it when this process is gone, however it went.

    python guard.py FOLDER PROGRAM ARGUMENT...

Prints the process id of the program, waits for it, and ends as it ended. If that was because the
process that started this one is gone, the folder is removed, unless it is named "". Run as a
script, without the package.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

#: From <sys/prctl.h>: the signal to get when the parent ends.
PR_SET_PDEATHSIG = 1
#: Seconds between two looks at whose child this is: a fork of the parent may hold the pipe open.
INTERVAL = 1.0


def die_with_guard() -> None:
    """In the child, on Linux: a guard that is killed takes the program along."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def watch(program: subprocess.Popen[bytes], parent: int, gone: threading.Event) -> None:
    """Kills the program once the parent is gone."""
    while os.getppid() == parent:
        news, _, _ = select.select([0], [], [], INTERVAL)
        if news and not os.read(0, 1):
            break
    gone.set()
    program.kill()


def main() -> int:
    """Runs the program; its status, 128 and more for a signal."""
    parent = os.getppid()
    folder, *command = sys.argv[1:]
    linux = sys.platform == "linux"
    # This process has no other threads yet, so that code between fork and exec is safe.
    program = subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        preexec_fn=die_with_guard if linux else None,
    )
    print(program.pid, flush=True)
    gone = threading.Event()
    threading.Thread(target=watch, args=(program, parent, gone), daemon=True).start()
    status = program.wait()
    if gone.is_set() and folder:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            # Other nodes may have theirs in there.
            Path(folder).parent.rmdir()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())

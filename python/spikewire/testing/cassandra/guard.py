"""The process between this one and a JVM. Ends the JVM when the parent is gone, for any reason.

    python guard.py FOLDER PROGRAM ARGUMENT...

Prints the program's process id, waits for it, and exits with its status. If the program was killed
because the parent is gone, the folder is removed, unless it is "". Runs as a script, without the
package.
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

#: From <sys/prctl.h>: the signal to receive when the parent dies.
PR_SET_PDEATHSIG = 1
#: How often to check the parent, in seconds; a fork of it may keep the pipe open.
INTERVAL = 1.0


def die_with_guard() -> None:
    """Called in the child, on Linux: if the guard is killed, so is the program."""
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
    """Runs the program; returns its status, 128 plus the number for a signal."""
    parent = os.getppid()
    folder, *command = sys.argv[1:]
    linux = sys.platform == "linux"
    # This process has no other threads yet, so code between fork and exec is safe.
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
            # The parent folder may contain other nodes' folders.
            Path(folder).parent.rmdir()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())

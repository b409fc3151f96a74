"""Open files: many clients, each with connections to all nodes, need more than the usual limit."""

from __future__ import annotations

import resource
from contextlib import suppress


def allow_many() -> None:
    """Raises the limit of this process to what the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

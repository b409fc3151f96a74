"""What the lab needs beside the clients."""

from __future__ import annotations

import importlib.util

_NEEDED = {"rich": "rich", "hdrh": "hdrhistogram", "markdown_it": "markdown-it-py"}


def missing() -> str | None:
    """What of it is not installed, and how to get it; None if nothing is missing."""
    lacking = [
        package for module, package in _NEEDED.items() if not importlib.util.find_spec(module)
    ]
    return f"missing {' and '.join(lacking)}: pip install 'spikewire[bench]'" if lacking else None

"""Packages that the lab needs in addition to the clients."""

from __future__ import annotations

import importlib.util

_NEEDED = {"rich": "rich", "hdrh": "hdrhistogram", "markdown_it": "markdown-it-py"}


def missing() -> str | None:
    """The packages that are not installed and how to install them; None if all are."""
    lacking = [
        package for module, package in _NEEDED.items() if not importlib.util.find_spec(module)
    ]
    return f"missing {' and '.join(lacking)}: pip install {' '.join(lacking)}" if lacking else None

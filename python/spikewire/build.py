"""How the native part of this package was built, for reports of measurements and of errors."""

from __future__ import annotations

from typing import Final

from spikewire._native import BUILD_COMMIT, BUILD_PROFILE

__all__ = ["COMMIT", "PROFILE"]

COMMIT: Final[str | None] = BUILD_COMMIT
"""The commit that it was built from, with ``-dirty`` appended if files differed, or None."""
PROFILE: Final[str] = BUILD_PROFILE
"""Its Cargo profile; that of released wheels is ``dist``."""

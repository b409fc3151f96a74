"""Text from elsewhere in the terminal."""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: str, keep: str = "") -> str:
    """The text with its control characters escaped, except those to ``keep``: they could move the
    cursor, change colours or retitle the window.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )

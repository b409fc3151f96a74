"""Values that do not fit a type, and how messages name them."""

from __future__ import annotations

__all__ = ["ConversionError", "article", "describe"]


class ConversionError(Exception):
    """A value that does not fit: where it is, and what should be there."""

    def __init__(self, message: str, error_class: type[Exception] = TypeError) -> None:
        super().__init__(message)
        self.message = message
        #: The class of the error that a write raises.
        self.error_class = error_class
        self.path: list[str | int] = []

    def inside(self, place: str | int) -> ConversionError:
        """The same, as seen from the list, map or record that has the value at this place."""
        self.path.insert(0, place)
        return self

    def about(self, name: str, word: str = "bin") -> str:
        """The message for the bin of a record (``word``) of the class with this name."""
        if not self.path:
            return f"{name}: {self.message}"
        first, *inner = self.path
        place = "".join(f"[{it!r}]" for it in inner)
        return f"{word} {first!r} of {name}{place and f', at {place},'} {self.message}"


def article(name: str) -> str:
    """A name with its indefinite article."""
    return f"{'an' if name[:1] in 'AEIOaeio' else 'a'} {name}"


def describe(value: object) -> str:
    """The type of a value and the value, for a message."""
    if value is None:
        return "None"
    text = repr(value)
    return f"{type(value).__qualname__} ({text if len(text) <= 40 else text[:39] + '…'})"

"""Elements of a chart, and the bounding boxes of its texts, with which a test finds overlaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

SMALL, USUAL = 11.5, 12.5
"""Font sizes in pixels: of ticks, and elsewhere."""
_NARROW, _WIDE = frozenset(" .,:;'|!()[]ijlftI-"), frozenset("mwMW@%—")


def text_width(text: str, size: float) -> float:
    """The approximate width of a text; an overestimate, as fonts differ."""
    return sum(map(_em, text)) * size


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.38
    if character in _WIDE:
        return 0.95
    if ord(character) > 0x2E80:
        return 1.05
    return 0.7 if character.isupper() else 0.61


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Lines no wider than that; a word that is too long is broken."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while text_width(word, size) > width and len(word) > 1:
            cut = next(
                (at for at in range(len(word) - 1, 1, -1) if text_width(word[:at], size) <= width),
                1,
            )
            lines += [line] if line else []
            lines.append(word[:cut])
            line, word = "", word[cut:]
        joined = f"{line} {word}" if line else word
        if text_width(joined, size) <= width:
            line = joined
        else:
            lines.append(line)
            line = word
    return [*lines, line] if line else lines or [""]


@dataclass(frozen=True)
class Box:
    """The bounding box of a text."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@dataclass
class Canvas:
    """A chart that grows downwards."""

    width: float
    height: float = 0.0
    boxes: list[Box] = field(default_factory=list[Box])
    _parts: list[str] = field(default_factory=list[str])

    def add(self, name: str, title: str = "", **attributes: str | float) -> None:
        """Adds an element; `title` is its tooltip."""
        written = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
            for key, value in attributes.items()
            if value != ""
        )
        inside = f"<title>{escape(title)}</title></{name}>" if title else f"</{name}>"
        self._parts.append(f"<{name}{written}>{inside}")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        size: float = USUAL,
        class_: str = "",
    ) -> Box:
        """Adds one line of text on the base line `y`; returns its box."""
        wide = text_width(text, size)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        box = Box(text, left, y - 0.8 * size, left + wide, y + 0.22 * size)
        self.boxes.append(box)
        classes = f' class="{class_}"' if class_ else ""
        anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._parts.append(
            f'<text x="{_value(x)}" y="{_value(y)}" font-size="{size:g}"{anchored}{classes}>'
            f"{escape(text)}</text>"
        )
        return box

    def svg(self, name: str, title: str, about: str, class_: str) -> str:
        """The whole element; `name` is the prefix of its ids, unique within a page."""
        size = f"{_value(self.width)} {_value(self.height)}"
        return (
            f'<svg class="{class_}" viewBox="0 0 {size}"'
            f' role="img" aria-labelledby="{escape(name)}-t {escape(name)}-d">'
            f'<title id="{escape(name)}-t">{escape(title)}</title>'
            f'<desc id="{escape(name)}-d">{escape(about)}</desc>'
            f"{''.join(self._parts)}</svg>"
        )


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 1):g}"

"""Parsing of TOML and YAML, with the line of each key."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spikewire._imports import import_late
from spikewire.aerospike.profiles.profile import ProfileError

if TYPE_CHECKING:
    from spikewire.aerospike.profiles.kinds import Path

__all__ = ["FORMATS", "Document", "read"]

#: Formats by file extension.
FORMATS = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
#: Deeper than any valid profile.
_DEEPEST = 8


@dataclass
class Document:
    """The contents of a file, with the lines of its keys."""

    name: str
    content: dict[Any, Any]
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int | None:
        """The line of a key, or of the nearest enclosing key whose line is known."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return None

    def error(self, path: Path, message: str) -> ProfileError:
        """An error at a place."""
        return ProfileError(
            message, file=self.name, line=self.line(path), key=".".join(map(str, path))
        )


def read(text: str, kind: str, name: str) -> Document:
    """Parses a text. Raises ``ProfileError`` with file and line."""
    readers = {"toml": _toml, "yaml": _yaml}
    if kind in readers:
        try:
            return readers[kind](text, name)
        except RecursionError:
            raise ProfileError("it is nested too deeply", file=name) from None
    message = f'format must be "toml" or "yaml", not {kind!r}'
    raise ValueError(message)


def _library(module: str, package: str) -> Any:
    try:
        return import_late(module)
    except ImportError:
        message = f"this needs the module {module}: pip install {package}"
        raise ImportError(message) from None


def _toml(text: str, name: str) -> Document:
    toml = _library("tomllib" if sys.version_info >= (3, 11) else "tomli", "tomli")
    try:
        content = toml.loads(text)
    except toml.TOMLDecodeError as error:
        message = re.sub(r" \(at .*\)$", "", str(error))
        place = re.search(r"\(at line (\d+)", str(error))
        line = int(place[1]) if place else len(text.rstrip("\n").split("\n"))
        raise ProfileError(message, file=name, line=line) from None
    return Document(name, content, _toml_lines(text))


_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\\]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_PAIR = re.compile(rf"\s*({_DOTTED})\s*=")


def _toml_lines(text: str) -> dict[Path, int]:
    """The line of each table and key; if uncertain, that of the enclosing table."""
    lines: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.split("\n"), 1):
        if m := _TABLE.match(line):
            path = table = _parts(m[1])
        elif m := _PAIR.match(line):
            path = (*table, *_parts(m[1]))
        else:
            continue
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], number)
        lines[path] = number
    return lines


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def _yaml(text: str, name: str) -> Document:
    yaml = _library("yaml", "pyyaml")
    lines: dict[Path, int] = {}

    def value(node: Any, path: Path) -> Any:
        if not isinstance(node, yaml.MappingNode):
            try:
                return loader.construct_object(node, deep=True)
            except (
                ValueError,
                OverflowError,
            ) as error:  # For example an invalid date.
                line, place = node.start_mark.line + 1, ".".join(path)
                raise ProfileError(str(error), file=name, line=line, key=place) from None
        content: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            merges = key_node.tag == "tag:yaml.org,2002:merge"
            key = "<<" if merges else loader.construct_object(key_node, deep=True)
            here = (*path, str(key))
            line = key_node.start_mark.line + 1
            place = ".".join(here)
            if not isinstance(key, str) or len(here) > _DEEPEST:
                message = (
                    "keys must be strings" if len(here) <= _DEEPEST else "it is nested too deeply"
                )
                raise ProfileError(message, file=name, line=line, key=place)
            if merges:
                message = "merge keys are not supported: use `derives`"
                raise ProfileError(message, file=name, line=line, key=place)
            if key in content:
                raise ProfileError("the key occurs twice", file=name, line=line, key=place)
            lines[here] = line
            content[key] = value(value_node, here)
        return content

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        content: Any = {} if node is None else value(node, ())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = str(getattr(error, "problem", None) or getattr(error, "reason", error))
        line = None if mark is None else mark.line + 1
        if isinstance(error, yaml.reader.ReaderError):
            line = text.count("\n", 0, error.position) + 1
        raise ProfileError(message, file=name, line=line) from None
    if not isinstance(content, dict):
        raise ProfileError("the file must map profile names to profiles", file=name, line=1)
    return Document(name, content, lines)  # pyright: ignore[reportUnknownArgumentType]

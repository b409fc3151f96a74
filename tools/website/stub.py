"""Adjustments that griffe needs to read this package.

They cover functions that a stub only overloads, lists of keywords, and comments that describe
constants.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

#: Special methods, which need no description, and ``__slots__``.
_SPECIAL = re.compile(r"__(?!init__)\w+__$")
_KEYWORD = re.compile(r"^(`\w+`(?:, `\w+`)*: )", re.MULTILINE)


class Stub(griffe.Extension):
    """Adds an entry for functions that a stub only overloads, and a line for each described
    keyword."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Called by griffe with each class that it has read."""
        del kwargs
        for name, overloads in list(cls.overloads.items()):
            if name not in cls.members and overloads:
                last = overloads[-1]
                function = griffe.Function(
                    name,
                    lineno=overloads[0].lineno,
                    endlineno=last.endlineno,
                    parameters=last.parameters,
                    returns=last.returns,
                    decorators=last.decorators,
                    docstring=last.docstring,
                )
                function.overloads = list(overloads)
                cls.set_member(name, function)
        if "__init__" not in cls.members and "__new__" in cls.members:
            # Constructors are looked up under one name.
            cls.members["__init__"] = cls.members.pop("__new__")
        for name, member in list(cls.members.items()):
            if _SPECIAL.match(name) and member.docstring is None:
                del cls.members[name]
        in_order = sorted(cls.members.items(), key=lambda item: item[1].lineno or 0)
        cls.members.clear()
        cls.members.update(in_order)

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called by griffe when everything has been read."""
        del kwargs
        if obj.docstring is None and obj.is_attribute:
            obj.docstring = _comment(obj)
        if obj.docstring is not None:
            obj.docstring.value = _KEYWORD.sub(r"\n- \1", obj.docstring.value)


def _comment(obj: griffe.Object) -> griffe.Docstring | None:
    """The comment lines above a name that begin with ``#:``."""
    if not isinstance(obj.filepath, Path) or not obj.lineno:
        return None
    lines = obj.filepath.read_text(encoding="utf-8").splitlines()[: obj.lineno - 1]
    comments: list[str] = []
    while lines and (line := lines.pop().strip()).startswith("#:"):
        comments.insert(0, line.removeprefix("#:").strip())
    return griffe.Docstring("\n".join(comments), parent=obj) if comments else None

"""Whether each name that a program uses is supported, differs, or is missing."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from spikewire.compat.check.peers import class_at, module_at
from spikewire.compat.check.uses import uses_of
from spikewire.compat.difference_table import Missing

if TYPE_CHECKING:
    from spikewire.compat.check.peers import Peer
    from spikewire.compat.check.uses import Use
    from spikewire.compat.difference_table import Entry

__all__ = ["Finding", "Verdict", "check"]

Verdict: TypeAlias = Literal["same", "differs", "missing"]


class Finding(NamedTuple):
    """A finding about one name in one line of a program."""

    file: str
    line: int
    client: str
    """The distribution that the program is written for."""
    name: str
    verdict: Verdict
    text: str
    """What to use instead, or what differs; empty if nothing does."""


def check(source: str, filename: str = "<program>") -> list[Finding]:
    """Reports what a program uses of other clients. Raises ``SyntaxError`` or ``ValueError`` for
    invalid Python, and ``NotImportable`` if a drop-in for one of the clients cannot be imported.
    """
    findings: list[Finding] = []
    for use in uses_of(source, filename):
        verdict, text = _verdict_of(use)
        if verdict is not None:
            findings.append(Finding(filename, use.line, use.peer.name, use.name, verdict, text))
    return findings


def _verdict_of(use: Use) -> tuple[Verdict | None, str]:
    kind, _, rest = use.name.partition(".")
    if use.name.endswith(")"):
        return _parameter(use)
    if kind in ("policy", "config"):
        return _entry(use, kind, rest)
    entry = _known(use.peer, use.name)
    if entry is not None:
        return _of_entry(entry)
    if kind in use.peer.classes:
        if _has_attribute(use.peer, kind, rest):
            return "same", ""
        return _nothing(use.peer) if use.sure else (None, "")
    return ("same", "") if _is_there(use.peer, use.name) else _nothing(use.peer)


def _is_there(peer: Peer, path: str) -> bool:
    """Whether the drop-in has what the client has at a path."""
    place = peer.place(path)
    if place is None:
        return True
    value = module_at(place)
    if inspect.ismodule(value) and not peer.has_module(path):
        return False
    parent = path.rpartition(".")[0]
    return value is not None and (not parent or _is_there(peer, parent))


def _nothing(peer: Peer) -> tuple[Verdict, str]:
    return "missing", f"there is no such name in {peer.drop_in}"


def _of_entry(entry: Entry) -> tuple[Verdict, str]:
    if isinstance(entry, Missing):
        return "missing", entry.instead
    return "differs", entry.how


def _known(peer: Peer, name: str) -> Entry | None:
    """The table's entry for the name as it is used there."""
    table = peer.differences()
    parts = name.split(".")
    if parts[0] in peer.roots:
        parts = parts[1:]
    for at in range(len(parts)):
        entry = table.find(".".join(parts[at:]))
        if entry is not None:
            return entry
    # Names in a package may be listed with the package alone: expressions.base.LoopVarInt.
    return table.find(f"{parts[0]}.{parts[-1]}") if len(parts) > 2 else None


def _has_attribute(peer: Peer, kind: str, name: str) -> bool:
    of = class_at(peer.classes[kind])
    if hasattr(of, name.partition(".")[0]):
        return True
    try:
        text = inspect.getsource(inspect.getmodule(of) or of)
    except (OSError, TypeError):
        return True
    return f"self.{name.partition('.')[0]}" in text


def _entry(use: Use, kind: str, name: str) -> tuple[Verdict | None, str]:
    """An entry of a policy or configuration."""
    peer = use.peer
    entry = _known(peer, use.name)
    if entry is not None:
        if use.value is None or use.value is False or use.value == {}:
            return "same", ""
        return _of_entry(entry)
    known = peer.settings(kind)
    if not known or name in known:
        return "same", ""
    return "differs", "is ignored: there is no such setting"


def _parameter(use: Use) -> tuple[Verdict | None, str]:
    """A parameter. It is reported if it is in the table, or if there is no parameter with that
    name."""
    called, _, name = use.name[:-1].partition("(")
    of_all = use.peer.differences().entries.get(name)
    entry = _known(use.peer, use.name) or of_all
    if isinstance(_known(use.peer, called), Missing):
        return None, ""  # Reported for what is called.
    if entry is None:
        return (
            (None, "") if _takes(use, called, name) else ("missing", "there is no such parameter")
        )
    if use.value is None or use.value is False:
        return None, ""
    return _of_entry(entry)


def _takes(use: Use, called: str, name: str) -> bool:
    """Whether a method has a parameter. True if nothing is known about the method."""
    kind, _, method = called.partition(".")
    of = class_at(use.peer.classes[kind]) if kind in use.peer.classes else None
    try:
        parameters = inspect.signature(getattr(of, method)).parameters
    except (AttributeError, TypeError, ValueError):
        return True
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())

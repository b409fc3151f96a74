"""Whether a history of transactions on registers is serializable.

Every transaction that writes a register has read it before, and writes its own tag, which no other
has. So what was read tells the order of all versions, and the history is serializable if these
orders, and who read what, form no circle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The tag of a register that no transaction has written.
FIRST = 0


@dataclass(frozen=True)
class Done:
    """A transaction that is over, as its program knows it."""

    tag: int
    outcome: Literal["committed", "aborted", "unknown"]
    #: The tag that was read in each register.
    reads: Mapping[int, int]
    #: The registers that were written, all of which were read.
    writes: frozenset[int] = field(default_factory=frozenset)


def problems(history: Iterable[Done], final: Mapping[int, int]) -> list[str]:
    """What is wrong with a history after which the registers have these tags."""
    known = {done.tag: done for done in history}
    seen = {tag for done in known.values() for tag in done.reads.values()} | set(final.values())
    seen.discard(FIRST)
    wrong = [f"{tag} was read and never written" for tag in sorted(seen - known.keys())]
    wrong += [
        f"{tag} was read and is aborted"
        for tag in sorted(seen & known.keys())
        if known[tag].outcome == "aborted"
    ]
    # One that nobody knows of counts if somebody has seen it.
    committed = {
        tag: done
        for tag, done in known.items()
        if done.outcome == "committed" or (done.outcome == "unknown" and tag in seen)
    }
    next_of: dict[tuple[int, int], int] = {}
    for done in committed.values():
        for register in sorted(done.writes):
            version = (register, done.reads[register])
            if version in next_of:
                both = f"{next_of[version]} and {done.tag}"
                wrong.append(f"{both} both replaced {version[1]} of register {register}")
            next_of[version] = done.tag
    for register, last in final.items():
        writers = {tag for tag, done in committed.items() if register in done.writes}
        chain = _chain(register, next_of)
        if set(chain) != writers:
            wrong.append(f"register {register} lacks {sorted(writers - set(chain))}")
        if (chain or [FIRST])[-1] != last:
            wrong.append(f"register {register} ends with {last}, not {(chain or [FIRST])[-1]}")
    return wrong or _circle(committed, next_of)


def _chain(register: int, next_of: Mapping[tuple[int, int], int]) -> list[int]:
    """The versions of a register, in order."""
    chain: list[int] = []
    tag = FIRST
    while (tag := next_of.get((register, tag), FIRST)) != FIRST and tag not in chain:
        chain.append(tag)
    return chain


def _circle(committed: Mapping[int, Done], next_of: Mapping[tuple[int, int], int]) -> list[str]:
    """A circle of transactions each of which must come before the next."""
    before: dict[int, set[int]] = {tag: set() for tag in committed}
    for done in committed.values():
        for register, tag in done.reads.items():
            if tag in before and tag != done.tag:
                before[done.tag].add(tag)
            later = next_of.get((register, tag), done.tag)
            if later != done.tag:
                before[later].add(done.tag)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return [f"not serializable: {' < '.join(map(str, error.args[1]))}"]
    return []

"""Tick labels: short, with a prefix for large figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text import number

if TYPE_CHECKING:
    from collections.abc import Sequence

_TIMES = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))
_BYTES = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12))
_FAMILIES = (_TIMES, _BYTES)
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_SAME = {"us": "µs", "μs": "µs", "bytes": "B"}


def ticks(values: Sequence[float], unit: str, *, apart: bool = False) -> tuple[list[str], str]:
    """The text of each tick, and the unit for the title of the axis.

    `apart` gives each tick a unit of its own, which suits logarithmic axes: 100 µs, 1 ms, 10 ms.
    """
    unit = _SAME.get(unit, unit)
    family = next((one for one in _FAMILIES if any(unit == name for name, _ in one)), None)
    if family is None:
        return [short(value) for value in values], unit
    each = dict(family)[unit]
    if apart:
        return [_own(value * each, family) for value in values], ""
    most = max((abs(value) for value in values), default=0.0) * each
    name, much = _fitting(most, family)
    return [plain(value * each / much) for value in values], name


def _own(value: float, family: Sequence[tuple[str, float]]) -> str:
    name, much = _fitting(abs(value), family)
    return f"{plain(value / much)} {name}"


def _fitting(value: float, family: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """The largest unit in which the value is at least one."""
    return next((one for one in reversed(family) if value >= one[1] * (1 - 1e-9)), family[0])


def short(value: float) -> str:
    """With k, M or G from ten thousand on."""
    if abs(value) >= 10_000:
        for much, prefix in _PREFIXES:
            if abs(value) >= much:
                return f"{plain(value / much)}{prefix}"
    return plain(value)


def plain(value: float) -> str:
    """As many digits as the value needs, at most six."""
    text = f"{value:.6g}"
    return number(value) if "e" in text else text


def titled(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title

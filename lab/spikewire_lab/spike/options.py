"""The best options of each client, by scenario: the one place where these are listed.

An option is tried before it is used, if the client is ours: another build may not have it yet, or
not any more. What a build rejects is left out, and the results say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFAULTS, BEST, CACHE = "defaults", "best", "cache"
SETTINGS = {
    DEFAULTS: "default options",
    BEST: "best options",
    CACHE: "near cache alone",
}
OF_CLIENT, OF_BATCH = "client", "batch"
"""Where an option goes: to the client, or to each batch."""


@dataclass(frozen=True)
class OfTime:
    """A value that depends on the time that a call of the scenario may take."""

    times: float

    def seconds(self, spend: float) -> float:
        return self.times * spend


@dataclass(frozen=True)
class Choice:
    """An option, and values for it: the first one that the client accepts is used."""

    name: str
    values: tuple[object, ...]
    scenarios: str = ""
    """Letters of the scenarios that it is for; empty: all."""
    place: str = OF_CLIENT
    setting: str = BEST
    """`CACHE` for options that are also measured alone."""

    def fits(self, letter: str, setting: str) -> bool:
        return (not self.scenarios or letter in self.scenarios) and (
            setting == BEST or setting == self.setting
        )


SPENT = OfTime(1.0)
TRIED = OfTime(1 / 3)
"""Two more attempts fit into the deadline."""

_LIMITS = (
    Choice("total_timeout", (SPENT,)),
    Choice("socket_timeout", (TRIED,)),
    Choice("max_retries", (2,)),
)
"""Options that the other clients have: the limit of a call, and of an attempt."""

CHOICES: Mapping[str, tuple[Choice, ...]] = {
    "spikewire": (
        Choice("timeout", (SPENT,), "abcdef"),
        Choice("deadline", (SPENT,), "g", OF_BATCH),
        # Of three nodes one is in trouble, so that more than a tenth of the reads need another.
        Choice("hedge", ("p99",), "bceg"),
        Choice("hedge_percent", (50,), "bceg"),
        Choice("retry_budget", (0.5,), "bceg"),
        Choice("socket_timeout", (TRIED,), "c"),
        Choice("warm_connections", (2,), "abcdeg"),
        Choice("share_reads", ("in_flight",), "d"),
        Choice("near_cache", (16 << 20,), "d", setting=CACHE),
    ),
    "aerospike": _LIMITS,
    "aerospike-py": _LIMITS,
    "aerospike-sdk": _LIMITS,
    "aerospike-native": _LIMITS,
}
"""By client."""

STALENESS = 0.1
"""Seconds: how old an answer of the near cache may be by default, as its documentation states."""


def chosen(client: str, setting: str, letter: str) -> tuple[Choice, ...]:
    """The options of a client in a scenario."""
    if setting == DEFAULTS:
        return ()
    return tuple(one for one in CHOICES.get(client, ()) if one.fits(letter, setting))


def value_of(value: object, spend: float) -> Any:
    """A value with the time of the scenario filled in."""
    return value.seconds(spend) if isinstance(value, OfTime) else value


def accepted(
    choices: tuple[Choice, ...],
    spend: float,
    attempt: Callable[[Mapping[str, Any]], object],
) -> tuple[dict[str, Any], dict[str, str]]:
    """The options that a client takes, each tried together with those before it, and why it rejects
    the others. `attempt` raises `TypeError` or `ValueError` for options that it rejects."""
    used: dict[str, Any] = {}
    rejected: dict[str, str] = {}
    for choice in choices:
        for value in choice.values:
            options = {**used, choice.name: value_of(value, spend)}
            try:
                attempt(options)
            except (TypeError, ValueError) as error:
                rejected.setdefault(choice.name, _brief(error))
            else:
                used = options
                rejected.pop(choice.name, None)
                break
    return used, rejected


def _brief(error: Exception) -> str:
    """Without the list of everything that would be accepted."""
    return str(error).partition(";")[0]

"""Clients by name, and this package's by that of another build: `spikewire@NAME`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from typing_extensions import Self

PACKAGE = "spikewire"
AT = "@"


@dataclass(frozen=True)
class Named:
    """What a registry knows of a client."""

    name: str
    module: str
    distribution: str

    def as_build(self, name: str) -> Self:
        """The same client of another build."""
        return replace(self, name=name)


P = TypeVar("P", bound=Named)


def base_of(client: str) -> str:
    """The client that this is a build of, which most often is itself."""
    return client.partition(AT)[0]


def build_of(client: str) -> str:
    """The name of the build; empty for clients that are as they are installed."""
    return client.partition(AT)[2]


def of_build(client: str, build: str) -> str:
    """What a client is called in another build."""
    return f"{client}{AT}{build}"


class Registry(Mapping[str, P]):
    """The clients that a lab knows. Those of this package are found under the names of their
    builds, too, which are not among what it counts and goes through."""

    def __init__(self, known: Iterable[P]) -> None:
        self._known = {one.name: one for one in known}

    def __getitem__(self, name: str) -> P:
        one = self._known[base_of(name)]
        if name == one.name:
            return one
        if one.distribution != PACKAGE:
            raise KeyError(name)
        return one.as_build(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def in_order(known: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """The clients that are wanted as they are known, each followed by its builds."""
    every = dict.fromkeys(wanted)
    return [
        name
        for client in known
        for name in sorted(every, key=lambda one: bool(build_of(one)))
        if base_of(name) == client
    ]


def version_of(client: Named) -> str:
    """Of the installed distribution; of this package what it says itself, since another build may
    be imported from elsewhere."""
    import importlib
    import importlib.metadata

    module = PACKAGE if client.distribution == PACKAGE else client.module
    try:
        if client.distribution != PACKAGE:
            return importlib.metadata.version(client.distribution)
    except importlib.metadata.PackageNotFoundError:
        pass
    constants = cast("Mapping[str, Any]", vars(importlib.import_module(module)))
    return str(constants.get("__version__", "unknown"))

"""Clients by name; other builds of this package's clients are named `spikewire@NAME`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from typing_extensions import Self

PACKAGE = "spikewire"
AT = "@"


@dataclass(frozen=True)
class RegistryEntry:
    """What a registry has to know of a client."""

    name: str
    module: str
    distribution: str

    def as_build(self, name: str) -> Self:
        """The same client of another build."""
        return replace(self, name=name)


P = TypeVar("P", bound=RegistryEntry)


def base_of(client: str) -> str:
    """The client of which this is a build; usually itself."""
    return client.partition(AT)[0]


def build_of(client: str) -> str:
    """The name of the build; empty for clients as installed."""
    return client.partition(AT)[2]


def of_build(client: str, build: str) -> str:
    """The name of a client in another build."""
    return f"{client}{AT}{build}"


class Registry(Mapping[str, P]):
    """The clients that a lab knows. Lookups also find this package's clients by the names of other
    builds, which iteration and the length leave out."""

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


def in_order(known: Iterable[str], requested: Sequence[str]) -> list[str]:
    """The requested clients in the order of the registry, each followed by its builds."""
    every = dict.fromkeys(requested)
    return [
        name
        for client in known
        for name in sorted(every, key=lambda one: bool(build_of(one)))
        if base_of(name) == client
    ]


def version_of(client: RegistryEntry) -> str:
    """The version of the installed distribution. For this package its own `__version__`, since
    another build may be imported from elsewhere."""
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

"""Secondary indexes of the cluster: creating, listing, waiting, dropping.

    client.indexes.create("test", "users", "age", int)
    users.query(index=spikewire.between("age", 20, 30))

An index belongs to the whole cluster and has a name. Unless it is given one, that is made of set,
bin and what is indexed of a list or map: ``users_age``, ``users_tags_list``.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire._native import (
    Expression,
    GeoJSON,
    _index_subject,  # pyright: ignore[reportPrivateUsage]
)
from spikewire.errors import NamespaceNotFound, ServerError, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.client import AsyncClient, Client
    from spikewire.query import Of
    from spikewire.types import Path

__all__ = ["AsyncIndexes", "Index", "Indexes"]

#: What the values are.
Kind: TypeAlias = type[int] | type[str] | type[bytes] | type[GeoJSON]

#: Kinds as the server calls them.
KINDS: dict[Kind, str] = {int: "numeric", str: "string", bytes: "blob", GeoJSON: "geo2dsphere"}
#: Longest names, as servers limit them.
LONGEST = {"namespace": 31, "set": 63, "bin": 15, "name": 63}
#: How often a node is asked whether an index is ready, in seconds.
PAUSE = 0.02


class Index(NamedTuple):
    """A secondary index."""

    name: str
    namespace: str
    set: str | None
    """``None``: of all records of the namespace."""
    bin: str | None
    """``None``: of an expression, or of a set."""
    kind: str
    """``numeric``, ``string``, ``blob`` or ``geo2dsphere``; empty for an index of a set."""
    of: str
    """``default`` (the bin's value), ``list``, ``mapkeys`` or ``mapvalues``; ``set`` for one of all
    records of a set, which scans use."""
    ready: bool
    """Whether the node that was asked can be queried by it."""


class _Creation:
    """An index on its way to every node."""

    def __init__(
        self,
        namespace: str,
        set_name: str | None,
        subject: str | Expression,
        kind: Kind,
        of: Of | None,
        name: str | None,
        ctx: Path | None,
    ) -> None:
        if kind not in KINDS:
            message = f"kind must be int, str, bytes or spikewire.GeoJSON, not {kind!r}"
            raise TypeError(message)
        if of not in {None, "list", "mapkeys", "mapvalues"}:
            message = f"of must be 'list', 'mapkeys' or 'mapvalues', not {of!r}"
            raise ValueError(message)
        where = "" if set_name is None else f";set={_word('set', set_name)}"
        if not isinstance(subject, Expression):
            _word("bin", subject)
        what = f"{_index_subject(subject, ctx)};type={KINDS[kind]}"
        if of is not None:
            what += f";indextype={of}"
        if name is None:
            if isinstance(subject, Expression) or ctx:
                message = "an index on an expression or a nested value needs a name"
                raise ValueError(message)
            name = "_".join(part for part in (set_name, subject, of) if part)
        self.namespace, self.name = _word("namespace", namespace), _word("name", name)
        self.command = f"sindex-create:namespace={namespace}{where};indexname={name};{what}"

    def check(self, namespaces: str) -> None:
        """A node says yes to an index of a namespace that is not there."""
        if self.namespace not in namespaces.split(";"):
            message = f"namespace {self.namespace!r} is not in the cluster; it has: {namespaces}"
            raise NamespaceNotFound(message, code=20)


class _Waiting:
    """Waits for an index on every node."""

    def __init__(self, namespace: str, name: str, timeout: float) -> None:
        self.name, self.timeout = _word("name", name), timeout
        self.command = f"sindex-stat:namespace={_word('namespace', namespace)};indexname={name}"
        self.ends = time.monotonic() + timeout

    def arrived(self, stat: str | ServerError) -> bool:
        """Whether a node has built it; raises when that takes too long."""
        built = "0"
        if isinstance(stat, str):
            built = dict(_fields(stat, ";")).get("load_pct", "0")
        elif stat.code != 201:
            raise stat
        if built == "100":
            return True
        if time.monotonic() > self.ends:
            message = f"index {self.name} was not ready on every node within {self.timeout} s"
            raise Timeout(message)
        return False


class Indexes:
    """The secondary indexes of a client's cluster; ``client.indexes``."""

    __slots__ = ("_client",)

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(
        self,
        namespace: str,
        set: str | None,  # noqa: A002
        bin: str | Expression,  # noqa: A002
        kind: Kind,
        *,
        of: Of | None = None,
        name: str | None = None,
        ctx: Path | None = None,
        wait: bool = True,
        timeout: float = 60,
    ) -> str:
        """Creates an index on a bin and waits until every node has built it. Returns its name.

        ``set`` is ``None`` for all records of the namespace. ``kind`` is what is indexed: ``int``,
        ``str``, ``bytes`` or ``spikewire.GeoJSON``; values of other types are left out. ``of``:
        the elements of a list, or the keys or values of a map, instead of the bin's value.
        ``ctx``: the way to a nested list or map, of steps from ``spikewire.ctx``. ``bin`` may be an
        expression from ``spikewire.exp``, whose value is indexed then. These two need a ``name``.
        ``wait=False`` returns at once. ``timeout`` is how long to wait, in seconds.

        The same index again is no error. Raises ``ServerError`` with code 200 when there is
        another index of that name, ``NamespaceNotFound``, ``Timeout`` when a node is not ready in
        time, ``TypeError`` or ``ValueError`` for names and kinds that cannot be.
        """
        index = _Creation(namespace, set, bin, kind, of, name, ctx)
        index.check(self._client.info("namespaces"))
        self._client.info(index.command)
        if wait:
            self.wait(namespace, index.name, timeout=timeout)
        return index.name

    def wait(self, namespace: str, name: str, *, timeout: float = 60) -> None:
        """Waits until every node has built an index; raises ``Timeout`` if that takes longer."""
        waiting = _Waiting(namespace, name, timeout)
        for node in self._client.nodes():
            while not waiting.arrived(self._stat(waiting.command, node.name)):
                time.sleep(PAUSE)

    def _stat(self, command: str, node: str) -> str | ServerError:
        try:
            return self._client.info(command, node)
        except ServerError as error:
            return error

    def list(self, namespace: str) -> list[Index]:
        """The indexes of a namespace, sorted by name; raises ``ServerError`` if there is none."""
        return _listed(self._client.info(_listing(namespace)))

    def drop(self, namespace: str, set: str | None, name: str) -> None:  # noqa: A002
        """Drops an index; does nothing if there is none of that name."""
        self._client.info(_drop(namespace, set, name))


class AsyncIndexes:
    """The secondary indexes of an asyncio client's cluster; ``client.indexes``."""

    __slots__ = ("_client",)

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def create(
        self,
        namespace: str,
        set: str | None,  # noqa: A002
        bin: str | Expression,  # noqa: A002
        kind: Kind,
        *,
        of: Of | None = None,
        name: str | None = None,
        ctx: Path | None = None,
        wait: bool = True,
        timeout: float = 60,
    ) -> str:
        """As ``Indexes.create``."""
        index = _Creation(namespace, set, bin, kind, of, name, ctx)
        index.check(await self._client.info("namespaces"))
        await self._client.info(index.command)
        if wait:
            await self.wait(namespace, index.name, timeout=timeout)
        return index.name

    async def wait(self, namespace: str, name: str, *, timeout: float = 60) -> None:
        """As ``Indexes.wait``."""
        waiting = _Waiting(namespace, name, timeout)
        for node in self._client.nodes():
            while not waiting.arrived(await self._stat(waiting.command, node.name)):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE)

    async def _stat(self, command: str, node: str) -> str | ServerError:
        try:
            return await self._client.info(command, node)
        except ServerError as error:
            return error

    async def list(self, namespace: str) -> list[Index]:
        """As ``Indexes.list``."""
        return _listed(await self._client.info(_listing(namespace)))

    async def drop(self, namespace: str, set: str | None, name: str) -> None:  # noqa: A002
        """As ``Indexes.drop``."""
        await self._client.info(_drop(namespace, set, name))


def _word(what: str, value: str) -> str:
    if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"{what} must be str, not {type(value).__name__}"
        raise TypeError(message)
    size = len(value.encode(errors="replace"))
    if not 0 < size <= LONGEST[what] or set(value) & set(":;=,\n\0"):
        message = (
            f"{what} must have from 1 to {LONGEST[what]} bytes, none of : ; = , or a line break; "
            f"got {value!r}"
        )
        raise ValueError(message)
    return value


def _listing(namespace: str) -> str:
    return f"sindex-list:namespace={_word('namespace', namespace)}"


def _drop(namespace: str, set_name: str | None, name: str) -> str:
    where = "" if set_name is None else f";set={_word('set', set_name)}"
    namespace, name = _word("namespace", namespace), _word("name", name)
    return f"sindex-delete:namespace={namespace}{where};indexname={name}"


def _fields(answer: str, separator: str) -> Iterator[tuple[str, str]]:
    for part in answer.split(separator):
        name, equals, value = part.partition("=")
        if equals:
            yield name, value


def _listed(answer: str) -> list[Index]:
    found: list[Index] = []
    for entry in filter(None, answer.split(";")):
        fields = dict(_fields(entry, ":"))
        known = {name: None if value == "null" else value for name, value in fields.items()}
        index = Index(
            name=fields.get("indexname", ""),
            namespace=fields.get("ns", ""),
            set=known.get("set"),
            bin=known.get("bin"),
            kind=fields.get("type", ""),
            of=fields.get("indextype", "default"),
            # An index of a set has no state; a scan does without until it is there.
            ready=fields.get("state", "RW") == "RW",
        )
        found.append(index)
    return sorted(found)

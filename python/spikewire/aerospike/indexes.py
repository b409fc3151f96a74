"""Implements ``spikewire.indexes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire._native import Admin, GeoJSON
from spikewire.aerospike.admin import soon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Iterable

    from spikewire._native import Expression
    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.aerospike.query import Of
    from spikewire.types import Path, Seconds

__all__ = ["AsyncIndexes", "Index", "Indexes"]

#: The type of the indexed values.
Kind: TypeAlias = type[int] | type[str] | type[bytes] | type[GeoJSON]


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
    """Whether it is complete on the node that answered."""


class Indexes:
    """The secondary indexes of a client's cluster; ``client.indexes``."""

    __slots__ = ("_admin",)

    def __init__(self, client: Client) -> None:
        self._admin = Admin(client)

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
        timeout: Seconds = 60,
    ) -> str:
        """Creates an index on a bin and waits until every node has built it. Returns its name.

        ``set`` is ``None`` for all records of the namespace. ``kind`` is the type to index:
        ``int``, ``str``, ``bytes`` or ``spikewire.GeoJSON``; values of other types are not indexed.
        ``of``: the elements of a list, or the keys or values of a map, instead of the bin's value.
        ``ctx``: the path to a nested list or map, of steps from ``spikewire.ctx``. ``bin`` may be
        an expression from ``spikewire.exp`` whose value is indexed. ``ctx`` and expressions need a
        ``name``. ``wait=False`` returns at once. ``timeout`` is how long to wait, in seconds; 0: no
        limit.

        Creating the same index again is not an error. Raises ``ServerError`` with code 200 if
        another index has that name, ``NamespaceNotFound``, ``Timeout`` if a node is not ready in
        time, ``TypeError`` or ``ValueError`` for invalid names and kinds.
        """
        limit = timeout if wait else None
        task = self._admin.create_index(namespace, set, bin, kind, of, name, ctx, limit)
        return task.run()

    def create_on_set(
        self,
        namespace: str,
        set: str,  # noqa: A002
        *,
        name: str | None = None,
        wait: bool = True,
        timeout: Seconds = 60,
    ) -> str:
        """Creates an index of all records of a set, by which scans of the set find them without a
        look at other sets. Returns its name, by default ``users_set`` for the set ``users``.

        A query does not name it. The other arguments, and what is raised, as in ``create``.
        """
        limit = timeout if wait else None
        return self._admin.create_index_on_set(namespace, set, name, limit).run()

    def wait(self, namespace: str, name: str, *, timeout: Seconds = 60) -> None:
        """Waits until every node has built an index; raises ``Timeout`` if that takes longer.
        ``timeout`` 0: no limit."""
        self._admin.wait_for_index(namespace, name, timeout).run()

    def list(self, namespace: str) -> list[Index]:
        """The indexes of a namespace, sorted by name; raises ``ServerError`` if the namespace does
        not exist.
        """
        return [Index(*index) for index in self._admin.list_indexes(namespace).run()]

    def drop(self, namespace: str, set: str | None, name: str) -> None:  # noqa: A002
        """Drops an index; has no effect if it does not exist."""
        self._admin.drop_index(namespace, set, name).run()


class AsyncIndexes:
    """The secondary indexes of an asyncio client's cluster; ``client.indexes``."""

    __slots__ = ("_admin",)

    def __init__(self, client: AsyncClient) -> None:
        self._admin = Admin(client)

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
        timeout: Seconds = 60,
    ) -> Future[str]:
        """As ``Indexes.create``."""
        limit = timeout if wait else None
        task = self._admin.create_index(namespace, set, bin, kind, of, name, ctx, limit)
        return soon(task)

    def create_on_set(
        self,
        namespace: str,
        set: str,  # noqa: A002
        *,
        name: str | None = None,
        wait: bool = True,
        timeout: Seconds = 60,
    ) -> Future[str]:
        """As ``Indexes.create_on_set``."""
        limit = timeout if wait else None
        return soon(self._admin.create_index_on_set(namespace, set, name, limit))

    def wait(self, namespace: str, name: str, *, timeout: Seconds = 60) -> Future[None]:
        """As ``Indexes.wait``."""
        return soon(self._admin.wait_for_index(namespace, name, timeout))

    def list(self, namespace: str) -> Future[list[Index]]:
        """As ``Indexes.list``."""
        return soon(self._admin.list_indexes(namespace), _indexes)

    def drop(self, namespace: str, set: str | None, name: str) -> Future[None]:  # noqa: A002
        """As ``Indexes.drop``."""
        return soon(self._admin.drop_index(namespace, set, name))


def _indexes(
    indexes: Iterable[tuple[str, str, str | None, str | None, str, str, bool]],
) -> list[Index]:
    return [Index(*index) for index in indexes]

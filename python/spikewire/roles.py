"""Roles of a cluster with security: what their users may do, and from where.

    from spikewire.roles import Privilege

    client.roles.create("orders", [Privilege("read-write", "test", "orders"), "truncate"])
    client.users.grant("app", ["orders"])

Every cluster has a role for each kind of privilege: ``user-admin``, ``sys-admin``, ``data-admin``,
``udf-admin``, ``sindex-admin``, ``read``, ``read-write``, ``read-write-udf``, ``write``,
``truncate``. These cannot be changed. Calls take a client that logs in with the role
``user-admin``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire._native import Accounts
from spikewire.admin import soon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator, Iterable, Iterator

    from spikewire.client import AsyncClient, Client
    from spikewire.types import Seconds

__all__ = ["AsyncRoles", "Privilege", "Role", "Roles"]

#: A role as returned by the engine.
_Fields: TypeAlias = (
    "tuple[str, list[tuple[str, str | None, str | None]], tuple[str, ...], int, int]"
)


class Privilege(NamedTuple):
    """What a role permits, and where."""

    kind: str
    """Such as ``"read-write"``; a number where the client knows no name for it. Those that end in
    ``admin`` hold everywhere."""
    namespace: str | None = None
    """``None``: everywhere."""
    set: str | None = None
    """``None``: in the whole namespace."""


class Role(NamedTuple):
    """A role."""

    name: str
    privileges: tuple[Privilege, ...]
    """What its users may do."""
    allow: tuple[str, ...]
    """The addresses and networks that its users may come from; none: all."""
    read_quota: int
    """Records that a user may read in a second; 0: no limit."""
    write_quota: int
    """Records that a user may write in a second; 0: no limit."""


class Roles:
    """The roles of a client's cluster; ``client.roles``. Iterating over it gives them, sorted by
    name.

    ``privileges`` are of ``Privilege``, or names of those that hold everywhere. ``timeout`` is how
    long the node that is asked may take, in seconds; 0: no limit. Everything here raises
    ``PermissionDenied`` for a client that manages no users, ``ServerError`` with code 51 or 52
    where there is no security, ``Timeout``, ``ConnectionFailed``; a change that may have been made
    all the same is ``in_doubt``.
    """

    __slots__ = ("_accounts",)

    def __init__(self, client: Client) -> None:
        self._accounts = Accounts(client)

    def create(
        self,
        name: str,
        privileges: Iterable[Privilege | str] = (),
        *,
        allow: Iterable[str] = (),
        read_quota: int = 0,
        write_quota: int = 0,
        timeout: Seconds = 10,
    ) -> None:
        """Creates a role.

        ``allow`` are addresses and networks that its users may come from, such as
        ``"10.0.0.0/8"``; none: all. The quotas are records that a user may read and write in a
        second; 0: no limit. Servers take quotas if they are configured for them.

        Raises ``RoleExists``, ``ValueError`` for a privilege that there is not, ``ServerError``
        with code 73 for what is no address and 74 where there are no quotas.
        """
        task = self._accounts.create_role(name, privileges, allow, read_quota, write_quota, timeout)
        task.run()

    def drop(self, name: str, *, timeout: Seconds = 10) -> None:
        """Drops a role, which its users lose; raises ``RoleNotFound``."""
        self._accounts.drop_role(name, timeout).run()

    def grant(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> None:
        """Adds privileges to a role; raises ``RoleNotFound``, ``ValueError``."""
        self._accounts.grant_privileges(name, privileges, timeout).run()

    def revoke(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> None:
        """Takes privileges from a role: exactly these, so that one for a namespace stays when one
        for a set of it is taken. Raises ``RoleNotFound``, ``ValueError``."""
        self._accounts.revoke_privileges(name, privileges, timeout).run()

    def set_allowed(self, name: str, allow: Iterable[str], *, timeout: Seconds = 10) -> None:
        """Sets the addresses and networks that the users of a role may come from; none: all. Raises
        ``RoleNotFound``, ``ServerError`` with code 73 for what is no address."""
        self._accounts.set_allowed(name, allow, timeout).run()

    def set_quotas(
        self, name: str, *, read: int | None = None, write: int | None = None, timeout: Seconds = 10
    ) -> None:
        """Sets how many records a user of a role may read and write in a second; 0: no limit;
        ``None``: as until now. Raises ``RoleNotFound``, ``ServerError`` with code 74 where servers
        are not configured for quotas."""
        self._accounts.set_quotas(name, read, write, timeout).run()

    def get(self, name: str, *, timeout: Seconds = 10) -> Role:
        """The role of this name; raises ``RoleNotFound``."""
        return _role(self._accounts.get_role(name, timeout).run())

    def list(self, *, timeout: Seconds = 10) -> list[Role]:
        """The roles, sorted by name, those that every cluster has included."""
        return _roles(self._accounts.list_roles(timeout).run())

    def __iter__(self) -> Iterator[Role]:
        """The roles, sorted by name."""
        return iter(self.list())


class AsyncRoles:
    """The roles of an asyncio client's cluster; ``client.roles``. ``async for`` gives them, sorted
    by name. The rest is as with ``Roles``."""

    __slots__ = ("_accounts",)

    def __init__(self, client: AsyncClient) -> None:
        self._accounts = Accounts(client)

    def create(
        self,
        name: str,
        privileges: Iterable[Privilege | str] = (),
        *,
        allow: Iterable[str] = (),
        read_quota: int = 0,
        write_quota: int = 0,
        timeout: Seconds = 10,
    ) -> Future[None]:
        """As ``Roles.create``."""
        task = self._accounts.create_role(name, privileges, allow, read_quota, write_quota, timeout)
        return soon(task)

    def drop(self, name: str, *, timeout: Seconds = 10) -> Future[None]:
        """As ``Roles.drop``."""
        return soon(self._accounts.drop_role(name, timeout))

    def grant(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> Future[None]:
        """As ``Roles.grant``."""
        return soon(self._accounts.grant_privileges(name, privileges, timeout))

    def revoke(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> Future[None]:
        """As ``Roles.revoke``."""
        return soon(self._accounts.revoke_privileges(name, privileges, timeout))

    def set_allowed(
        self, name: str, allow: Iterable[str], *, timeout: Seconds = 10
    ) -> Future[None]:
        """As ``Roles.set_allowed``."""
        return soon(self._accounts.set_allowed(name, allow, timeout))

    def set_quotas(
        self, name: str, *, read: int | None = None, write: int | None = None, timeout: Seconds = 10
    ) -> Future[None]:
        """As ``Roles.set_quotas``."""
        return soon(self._accounts.set_quotas(name, read, write, timeout))

    def get(self, name: str, *, timeout: Seconds = 10) -> Future[Role]:
        """As ``Roles.get``."""
        return soon(self._accounts.get_role(name, timeout), _role)

    def list(self, *, timeout: Seconds = 10) -> Future[list[Role]]:
        """As ``Roles.list``."""
        return soon(self._accounts.list_roles(timeout), _roles)

    async def __aiter__(self) -> AsyncIterator[Role]:
        """The roles, sorted by name."""
        for role in await self.list():
            yield role


def _role(fields: _Fields) -> Role:
    name, privileges, allow, read_quota, write_quota = fields
    granted = tuple(Privilege(*privilege) for privilege in privileges)
    return Role(name, granted, allow, read_quota, write_quota)


def _roles(found: Iterable[_Fields]) -> list[Role]:
    return [_role(role) for role in found]

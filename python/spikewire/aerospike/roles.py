"""Implements ``spikewire.roles``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire._native import Accounts
from spikewire.aerospike.admin import soon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator, Iterable, Iterator

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.types import Seconds

__all__ = ["AsyncRoles", "Privilege", "Role", "Roles"]

#: A role as returned by the engine.
_Fields: TypeAlias = (
    "tuple[str, list[tuple[str, str | None, str | None]], tuple[str, ...], int, int]"
)


class Privilege(NamedTuple):
    """What a role permits, and where."""

    kind: str
    """Such as ``"read-write"``; a number if the client knows no name for it. Those that end in
    ``admin`` always apply everywhere."""
    namespace: str | None = None
    """``None``: every namespace."""
    set: str | None = None
    """``None``: the whole namespace."""


class Role(NamedTuple):
    """A role."""

    name: str
    privileges: tuple[Privilege, ...]
    """What its users may do."""
    allow: tuple[str, ...]
    """The addresses and networks that its users may connect from; empty: all."""
    read_quota: int
    """Records per second that a user may read; 0: no limit."""
    write_quota: int
    """Records per second that a user may write; 0: no limit."""


class Roles:
    """The roles of a client's cluster; ``client.roles``. Iterating yields them, sorted by name.

    ``privileges`` are ``Privilege`` objects, or names of privileges that apply everywhere.
    ``timeout`` limits the node's answer, in seconds; 0: no limit. Every method raises
    ``PermissionDenied`` if the client's user may not manage users, ``ServerError`` with code 51 or
    52 if the cluster has no security, ``Timeout`` and ``ConnectionFailed``. The error of a change
    that may have been applied has ``in_doubt`` set.
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

        ``allow`` lists the addresses and networks that its users may connect from, such as
        ``"10.0.0.0/8"``; empty: all. The quotas limit the records per second that a user may read
        and write; 0: no limit. Servers accept quotas only if configured for them.

        Raises ``RoleExists``, ``ValueError`` for an unknown privilege, ``ServerError`` with code 73
        for an invalid address and 74 if quotas are not enabled.
        """
        task = self._accounts.create_role(name, privileges, allow, read_quota, write_quota, timeout)
        task.run()

    def drop(self, name: str, *, timeout: Seconds = 10) -> None:
        """Drops a role; its users lose it. Raises ``RoleNotFound``."""
        self._accounts.drop_role(name, timeout).run()

    def grant(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> None:
        """Adds privileges to a role; raises ``RoleNotFound``, ``ValueError``."""
        self._accounts.grant_privileges(name, privileges, timeout).run()

    def revoke(
        self, name: str, privileges: Iterable[Privilege | str], *, timeout: Seconds = 10
    ) -> None:
        """Removes exactly these privileges from a role: one for a namespace remains if one for a
        set of it is removed. Raises ``RoleNotFound``, ``ValueError``."""
        self._accounts.revoke_privileges(name, privileges, timeout).run()

    def set_allowed(self, name: str, allow: Iterable[str], *, timeout: Seconds = 10) -> None:
        """Sets the addresses and networks that the users of a role may connect from; empty: all.
        Raises ``RoleNotFound``, ``ServerError`` with code 73 for an invalid address."""
        self._accounts.set_allowed(name, allow, timeout).run()

    def set_quotas(
        self, name: str, *, read: int | None = None, write: int | None = None, timeout: Seconds = 10
    ) -> None:
        """Sets how many records per second a user of a role may read and write; 0: no limit;
        ``None``: unchanged. Raises ``RoleNotFound``, ``ServerError`` with code 74 if quotas are not
        enabled on the servers."""
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


def _roles(roles: Iterable[_Fields]) -> list[Role]:
    return [_role(role) for role in roles]

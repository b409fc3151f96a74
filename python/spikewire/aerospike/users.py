"""Implements ``spikewire.users``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spikewire._native import Accounts, PasswordHash
from spikewire.aerospike.admin import soon
from spikewire.tasks import begun

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator, Iterable, Iterator

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.types import Seconds

__all__ = ["AsyncUsers", "User", "Users"]

#: A user as returned by the engine.
_Fields: TypeAlias = tuple[str, tuple[str, ...], tuple[int, ...], tuple[int, ...], int]


class User(NamedTuple):
    """A user, as one node knows it."""

    name: str
    roles: tuple[str, ...]
    """The names of its roles."""
    read_info: tuple[int, ...]
    """Read statistics of the node that answered: the quota in records per second (0: no limit),
    commands per second, query records per second, unlimited queries. Servers may report fewer or
    more values."""
    write_info: tuple[int, ...]
    """The same for writes."""
    connections: int
    """The user's open connections to the node that answered."""

    @property
    def read_quota(self) -> int:
        """Records per second that the user may read; 0: no limit."""
        return self.read_info[0] if self.read_info else 0

    @property
    def write_quota(self) -> int:
        """Records per second that the user may write; 0: no limit."""
        return self.write_info[0] if self.write_info else 0


class Users:
    """The users of a client's cluster; ``client.users``. Iterating yields them, sorted by name.

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
        password: str | None,
        roles: Iterable[str] = (),
        *,
        timeout: Seconds = 10,
    ) -> None:
        """Creates a user with these roles.

        ``password`` is ``None`` for a user who logs in with a certificate, which requires server
        version 8.1. Hashing a password takes about 50 ms.

        Raises ``UserExists``, ``RoleNotFound`` for an unknown role, ``ValueError`` for names and
        passwords that are too long.
        """
        self._accounts.create_user(name, PasswordHash(password), roles, timeout).run()

    def drop(self, name: str, *, timeout: Seconds = 10) -> None:
        """Drops a user and ends its connections; raises ``UserNotFound``."""
        self._accounts.drop_user(name, timeout).run()

    def set_password(self, name: str, password: str, *, timeout: Seconds = 10) -> None:
        """Sets the password of any user. If that is the client's own user, the client uses the new
        password from then on. Raises ``UserNotFound``, and ``ServerError`` with code 64 for a user
        who logs in with a certificate."""
        self._accounts.set_password(name, _hash(password), timeout).run()

    def change_password(self, password: str, *, timeout: Seconds = 10) -> None:
        """Changes the password of the client's own user, which requires no role; the client uses it
        from then on. Raises ``ValueError`` if the client does not log in with a password that the
        cluster stores."""
        self._accounts.change_password(_hash(password), timeout).run()

    def grant(self, name: str, roles: Iterable[str], *, timeout: Seconds = 10) -> None:
        """Gives a user more roles; raises ``UserNotFound``, ``RoleNotFound``."""
        self._accounts.grant_roles(name, roles, timeout).run()

    def revoke(self, name: str, roles: Iterable[str], *, timeout: Seconds = 10) -> None:
        """Revokes roles from a user, who need not have them; raises ``UserNotFound``,
        ``RoleNotFound``."""
        self._accounts.revoke_roles(name, roles, timeout).run()

    def get(self, name: str, *, timeout: Seconds = 10) -> User:
        """The user of this name; raises ``UserNotFound``."""
        return User(*self._accounts.get_user(name, timeout).run())

    def list(self, *, timeout: Seconds = 10) -> list[User]:
        """The users, sorted by name."""
        return _users(self._accounts.list_users(timeout).run())

    def __iter__(self) -> Iterator[User]:
        """The users, sorted by name."""
        return iter(self.list())


class AsyncUsers:
    """The users of an asyncio client's cluster; ``client.users``. ``async for`` yields them, sorted
    by name. Passwords are hashed in another thread. Everything else is as in ``Users``."""

    __slots__ = ("_accounts",)

    def __init__(self, client: AsyncClient) -> None:
        self._accounts = Accounts(client)

    def create(
        self,
        name: str,
        password: str | None,
        roles: Iterable[str] = (),
        *,
        timeout: Seconds = 10,
    ) -> Future[None]:
        """As ``Users.create``."""
        return begun(self._create(name, password, roles, timeout))

    async def _create(
        self, name: str, password: str | None, roles: Iterable[str], timeout: Seconds
    ) -> None:
        hashed = await _hashed(password)
        await soon(self._accounts.create_user(name, hashed, roles, timeout))

    def drop(self, name: str, *, timeout: Seconds = 10) -> Future[None]:
        """As ``Users.drop``."""
        return soon(self._accounts.drop_user(name, timeout))

    def set_password(self, name: str, password: str, *, timeout: Seconds = 10) -> Future[None]:
        """As ``Users.set_password``."""
        return begun(self._set_password(name, password, timeout))

    async def _set_password(self, name: str, password: str, timeout: Seconds) -> None:
        hashed = await _hashed(_required(password))
        await soon(self._accounts.set_password(name, hashed, timeout))

    def change_password(self, password: str, *, timeout: Seconds = 10) -> Future[None]:
        """As ``Users.change_password``."""
        return begun(self._change_password(password, timeout))

    async def _change_password(self, password: str, timeout: Seconds) -> None:
        hashed = await _hashed(_required(password))
        await soon(self._accounts.change_password(hashed, timeout))

    def grant(self, name: str, roles: Iterable[str], *, timeout: Seconds = 10) -> Future[None]:
        """As ``Users.grant``."""
        return soon(self._accounts.grant_roles(name, roles, timeout))

    def revoke(self, name: str, roles: Iterable[str], *, timeout: Seconds = 10) -> Future[None]:
        """As ``Users.revoke``."""
        return soon(self._accounts.revoke_roles(name, roles, timeout))

    def get(self, name: str, *, timeout: Seconds = 10) -> Future[User]:
        """As ``Users.get``."""
        return soon(self._accounts.get_user(name, timeout), _user)

    def list(self, *, timeout: Seconds = 10) -> Future[list[User]]:
        """As ``Users.list``."""
        return soon(self._accounts.list_users(timeout), _users)

    async def __aiter__(self) -> AsyncIterator[User]:
        """The users, sorted by name."""
        for user in await self.list():
            yield user


def _required(password: str | None) -> str:
    """A password, which is required."""
    if password is None:
        raise TypeError("password must be str, not NoneType")
    return password


def _hash(password: str) -> PasswordHash:
    return PasswordHash(_required(password))


async def _hashed(password: str | None) -> PasswordHash:
    return await asyncio.get_running_loop().run_in_executor(None, PasswordHash, password)


def _user(fields: _Fields) -> User:
    return User(*fields)


def _users(users: Iterable[_Fields]) -> list[User]:
    return [User(*user) for user in users]

"""What type checkers infer for users and roles."""

from __future__ import annotations

from typing_extensions import assert_type

from spikewire import AsyncClient, Client, errors
from spikewire.roles import AsyncRoles, Privilege, Role, Roles
from spikewire.users import AsyncUsers, User, Users


def users(client: Client) -> None:
    assert_type(client.users, Users)
    client.users.create("app", "secret", ["read"])
    client.users.set_password("app", "better")
    client.users.change_password("best", timeout=1)
    client.users.grant("app", ("write",))
    client.users.revoke("app", {"write"})
    assert_type(client.users.get("app"), User)
    assert_type(client.users.list(), list[User])
    assert_type(next(iter(client.users)), User)
    client.users.drop("app")


async def awaited_users(client: AsyncClient) -> None:
    assert_type(client.users, AsyncUsers)
    await client.users.create("app", None, ["read"])
    await client.users.set_password("app", "better")
    await client.users.change_password("best", timeout=1)
    await client.users.grant("app", ("write",))
    await client.users.revoke("app", {"write"})
    assert_type(await client.users.get("app"), User)
    assert_type(await client.users.list(), list[User])
    async for user in client.users:
        assert_type(user, User)
    await client.users.drop("app")


def roles(client: Client) -> None:
    assert_type(client.roles, Roles)
    client.roles.create("orders", [Privilege("read", "test"), "truncate"], allow=["10.0.0.0/8"])
    client.roles.grant("orders", ["write"])
    client.roles.revoke("orders", [Privilege("read", "test", "orders")])
    client.roles.set_allowed("orders", [])
    client.roles.set_quotas("orders", read=100)
    assert_type(client.roles.get("orders"), Role)
    assert_type(client.roles.list(), list[Role])
    assert_type(next(iter(client.roles)), Role)
    client.roles.drop("orders")


async def awaited_roles(client: AsyncClient) -> None:
    assert_type(client.roles, AsyncRoles)
    await client.roles.create("orders", ["read"], read_quota=1, write_quota=2)
    await client.roles.grant("orders", ["write"])
    await client.roles.revoke("orders", ["write"])
    await client.roles.set_allowed("orders", [])
    await client.roles.set_quotas("orders", read=100, write=None)
    assert_type(await client.roles.get("orders"), Role)
    assert_type(await client.roles.list(), list[Role])
    async for role in client.roles:
        assert_type(role, Role)
    await client.roles.drop("orders")


def results(user: User, role: Role) -> None:
    assert_type(user.name, str)
    assert_type(user.roles, tuple[str, ...])
    assert_type(user.read_info, tuple[int, ...])
    assert_type(user.write_info, tuple[int, ...])
    assert_type(user.read_quota, int)
    assert_type(user.write_quota, int)
    assert_type(user.connections, int)
    assert_type(role.name, str)
    assert_type(role.privileges, tuple[Privilege, ...])
    assert_type(role.allow, tuple[str, ...])
    assert_type(role.read_quota, int)
    assert_type(role.write_quota, int)
    privilege = role.privileges[0]
    assert_type(privilege.kind, str)
    assert_type(privilege.namespace, str | None)
    assert_type(privilege.set, str | None)


def denied(error: errors.PermissionDenied) -> None:
    assert_type(error.advice, str)

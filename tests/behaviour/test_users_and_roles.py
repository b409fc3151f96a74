"""Managing users and roles while clients are connected, on every API."""

from __future__ import annotations

import asyncio
import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.roles import Privilege, Role
from spikewire.testing import Cluster
from spikewire.users import User

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened

ADMIN: dict[str, Any] = {"user": "admin", "password": "of the house"}
#: The predefined roles of every cluster.
GIVEN = [
    "data-admin", "read", "read-write", "read-write-udf", "sindex-admin",
    "sys-admin", "truncate", "udf-admin", "user-admin", "write",
]  # fmt: skip


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2, users={ADMIN["user"]: ADMIN["password"]}, quotas=True) as cluster:
        assert cluster.wait_settled()
        yield cluster


class Accounts:
    """The users and roles of a client, called the same way on every API."""

    def __init__(self, client: Opened) -> None:
        self.client = client

    def users(self, verb: str, *args: Any, **options: Any) -> Any:
        return self._settle(getattr(self.client.raw.users, verb), args, options)

    def roles(self, verb: str, *args: Any, **options: Any) -> Any:
        return self._settle(getattr(self.client.raw.roles, verb), args, options)

    def _settle(self, method: Any, args: Any, options: Any) -> Any:
        return self.client.api.settle(lambda: method(*args, **options))


@pytest.fixture
def admin(api: Api, cluster: Cluster) -> Iterator[Accounts]:
    with api.open(cluster.seeds, timeout=10, **ADMIN) as client:
        yield Accounts(client)


def test_a_user_comes_changes_and_goes(
    api: Api, cluster: Cluster, admin: Accounts, set_name: str
) -> None:
    name = f"u-{set_name}"
    admin.users("create", name, "secret", ["read"])
    with pytest.raises(spikewire.UserExists):
        admin.users("create", name, "secret")
    assert admin.users("get", name) == User(name, ("read",), (0, 0, 0, 0), (0, 0, 0, 0), 0)
    with api.open(cluster.seeds, timeout=10, user=name, password="secret") as client:
        data = client.dataset("test", set_name)
        assert data.get("a", default=None) is None
        with pytest.raises(spikewire.PermissionDenied) as caught:
            data.put("a", {"n": 1})
        assert (caught.value.code, isinstance(caught.value, PermissionError)) == (81, True)
        # Grants and revocations take effect at once, on open connections.
        admin.users("grant", name, ["write", "udf-admin"])
        data.put("a", {"n": 1})
        assert admin.users("get", name).roles == ("read", "udf-admin", "write")
        assert admin.users("get", name).connections > 0
        admin.users("revoke", name, ["write"])
        with pytest.raises(spikewire.PermissionDenied):
            data.put("a", {"n": 2})
        assert data.get("a")["n"] == 1
        own = Accounts(client)
        assert own.users("get", name).name == name
        for call in (
            lambda: own.users("list"),
            lambda: own.users("grant", name, ["user-admin"]),
            lambda: own.roles("list"),
        ):
            with pytest.raises(spikewire.PermissionDenied):
                call()
        admin.users("drop", name)
        with pytest.raises(spikewire.Error, match=r"no such user|not logged in"):
            data.get("a")
    for gone in (
        lambda: admin.users("get", name),
        lambda: admin.users("drop", name),
        lambda: admin.users("grant", name, ["read"]),
        lambda: admin.users("set_password", name, "x"),
    ):
        with pytest.raises(spikewire.UserNotFound):
            gone()


def test_a_user_changes_its_own_password(
    api: Api, cluster: Cluster, admin: Accounts, set_name: str
) -> None:
    name = f"p-{set_name}"
    admin.users("create", name, "first", ["read-write"])
    with api.open(cluster.seeds, timeout=10, user=name, password="first") as client:
        own, data = Accounts(client), client.dataset("test", set_name)
        own.users("change_password", "second")
        own.users("change_password", "third")
        with pytest.raises(spikewire.Error, match="invalid credential"):
            api.open(cluster.seeds, user=name, password="first").__enter__()
        # The client logs in with the new password at a node that forgot the session.
        cluster.kill(1)
        cluster.restart(1)
        assert cluster.wait_settled()
        data.put_many({n: {"n": n} for n in range(100)}).raise_for_errors()
        admin.users("set_password", name, "fourth")
    with api.open(cluster.seeds, timeout=10, user=name, password="fourth") as client:
        assert client.dataset("test", set_name).get(7)["n"] == 7
    admin.users("drop", name)


def test_the_password_of_the_own_user_is_set(
    api: Api, cluster: Cluster, admin: Accounts, set_name: str
) -> None:
    name = f"o-{set_name}"
    admin.users("create", name, "first", ["user-admin"])
    with api.open(cluster.seeds, timeout=10, user=name, password="first") as client:
        own = Accounts(client)
        # The client knows the password that it has set for its own user.
        for old, new, verb in (
            ("first", "second", partial(own.users, "set_password", name)),
            ("second", "third", partial(own.users, "change_password")),
        ):
            verb(new)
            with pytest.raises(spikewire.Error, match="invalid credential"):
                api.open(cluster.seeds, user=name, password=old).__enter__()
            with api.open(cluster.seeds, timeout=10, user=name, password=new) as other:
                assert Accounts(other).users("get", name).name == name
        own.users("drop", name)
    with pytest.raises(spikewire.UserNotFound):
        admin.users("get", name)


def test_a_cluster_without_security_has_no_users(api: Api) -> None:
    with Cluster() as plain, api.open(plain.seeds) as client:
        accounts = Accounts(client)
        with pytest.raises(ValueError, match="only a client that logs in"):
            accounts.users("change_password", "x")
        for unsupported in (
            lambda: accounts.users("list"),
            lambda: accounts.users("create", "u", "p"),
            lambda: accounts.roles("get", "read"),
        ):
            with pytest.raises(spikewire.ServerError, match="no security") as caught:
                unsupported()
            assert caught.value.code == 51


def test_a_user_without_a_password_cannot_log_in_by_password(
    api: Api, cluster: Cluster, admin: Accounts, set_name: str
) -> None:
    name = f"c-{set_name}"
    admin.users("create", name, None, ["read"])
    with pytest.raises(spikewire.Error, match="refused"):
        api.open(cluster.seeds, user=name, password="nopassword").__enter__()
    with pytest.raises(spikewire.ServerError) as caught:
        admin.users("set_password", name, "x")
    assert caught.value.code == 64
    admin.users("drop", name)


def test_users_and_roles_are_listed(api: Api, admin: Accounts, set_name: str) -> None:
    names = [f"l{number:03}-{set_name}" for number in range(70)]
    for name in names:
        admin.users("create", name, None)
    try:
        values = [user.name for user in admin.users("list")]
        assert [name for name in values if name.endswith(set_name)] == names
        assert values == sorted(values)
        assert [role.name for role in admin.roles("list")] == GIVEN
        assert _through(api, admin.client.raw.users) == admin.users("list")
        assert _through(api, admin.client.raw.roles) == admin.roles("list")
    finally:
        for name in names:
            admin.users("drop", name)


def _through(api: Api, all_of: Any) -> list[Any]:
    """The items of an iteration."""
    if hasattr(all_of, "__iter__"):
        return list(all_of)

    async def every() -> list[Any]:
        return [one async for one in all_of]

    return api.settle(lambda: asyncio.ensure_future(every()))


def test_roles_are_created_changed_and_dropped(
    api: Api, cluster: Cluster, admin: Accounts, set_name: str
) -> None:
    role, name = f"r-{set_name}", f"ru-{set_name}"
    own = Privilege("read-write", "test", set_name)
    admin.roles("create", role, [own, "udf-admin"], read_quota=100_000)
    assert admin.roles("get", role) == Role(role, (own, Privilege("udf-admin")), (), 100_000, 0)
    with pytest.raises(spikewire.RoleExists):
        admin.roles("create", role)
    admin.users("create", name, "p", [role])
    with api.open(cluster.seeds, timeout=10, user=name, password="p") as client:
        data, other = client.dataset("test", set_name), client.dataset("test", "elsewhere")
        data.put("a", {"n": 1})
        with pytest.raises(spikewire.PermissionDenied):
            other.put("a", {"n": 1})
        with pytest.raises(spikewire.PermissionDenied):
            other.get("a")
        admin.roles("grant", role, [Privilege("read", "test"), Privilege("read", "test")])
        assert other.get("a", default=None) is None
        admin.roles("revoke", role, [own])
        with pytest.raises(spikewire.PermissionDenied):
            data.put("a", {"n": 2})
        assert data.get("a")["n"] == 1
        assert admin.roles("get", role).privileges == (
            Privilege("udf-admin"),
            Privilege("read", "test"),
        )
        assert admin.users("get", name).read_quota == 100_000
        admin.roles("set_allowed", role, ["10.0.0.0/8", "127.0.0.1"])
        assert admin.roles("get", role).allow == ("10.0.0.0/8", "127.0.0.1")
        assert data.get("a")["n"] == 1
        admin.roles("set_allowed", role, ["10.0.0.0/8"])
        with pytest.raises(spikewire.Error, match=r"not allowed to connect|not logged in"):
            data.get("a")
        admin.roles("set_allowed", role, [])
        admin.roles("set_quotas", role, read=5, write=6)
        result = admin.roles("get", role)
        assert (result.allow, result.read_quota, result.write_quota) == ((), 5, 6)
        admin.roles("set_quotas", role, write=0)
        result = admin.roles("get", role)
        assert (result.read_quota, result.write_quota) == (5, 0)
        admin.roles("set_quotas", role, read=0)
    admin.roles("drop", role)
    assert admin.users("get", name).roles == ()
    admin.users("drop", name)
    for gone in (
        lambda: admin.roles("get", role),
        lambda: admin.roles("drop", role),
        lambda: admin.roles("grant", role, ["read"]),
        lambda: admin.roles("set_allowed", role, []),
        lambda: admin.users("create", name, None, [role]),
    ):
        with pytest.raises(spikewire.RoleNotFound):
            gone()


def test_errors_of_the_server_raise(admin: Accounts, set_name: str) -> None:
    role = f"w-{set_name}"
    with pytest.raises(spikewire.ServerError) as caught:
        admin.roles("create", role, ["read"], allow=["bad_IP"])
    assert caught.value.code == 73
    with (
        Cluster(users={"a": "p"}) as other,
        spikewire.Client(other.seeds, user="a", password="p") as client,
    ):
        with pytest.raises(spikewire.ServerError, match="quotas are not enabled") as caught:
            client.roles.create(role, ["read"], read_quota=5)
        assert caught.value.code == 74


@pytest.mark.parametrize(
    ("of", "verb", "args", "options", "error", "message"),
    [
        ("users", "create", (5, "p"), {}, TypeError, "name must be str, not int"),
        ("users", "create", ("u", b"p"), {}, TypeError, "password must be str, not bytes"),
        ("users", "create", ("u", "p" * 73), {}, ValueError, "at most 72 bytes"),
        ("users", "create", ("u" * 64, "p"), {}, ValueError, "user must have at most 63"),
        ("users", "create", ("u", "p", "read"), {}, TypeError, "roles must be a list, not str"),
        ("users", "create", ("u", "p", [1]), {}, TypeError, "each of roles must be str, not int"),
        ("users", "set_password", ("u", None), {}, TypeError, "password must be str"),
        ("users", "change_password", (None,), {}, TypeError, "password must be str"),
        ("users", "grant", ("u", "read"), {}, TypeError, "roles must be a list"),
        ("users", "drop", ("u",), {"timeout": "x"}, TypeError, "timeout"),
        ("roles", "create", ("r", "read"), {}, TypeError, "privileges must be a list"),
        ("roles", "create", ("r", Privilege("read")), {}, TypeError, "not one privilege"),
        ("roles", "create", ("r", [5]), {}, TypeError, "must be str or spikewire.roles.Privilege"),
        ("roles", "create", ("r", ["reed"]), {}, ValueError, 'no privilege "reed"; there are'),
        ("roles", "grant", ("r", [Privilege("sys-admin", "t")]), {}, ValueError, "everywhere"),
        ("roles", "grant", ("r", [Privilege("read", None, "s")]), {}, ValueError, "namespace"),
        ("roles", "create", ("r", []), {"read_quota": -1}, ValueError, "read_quota must be from 0"),
        ("roles", "create", ("r", []), {"write_quota": "1"}, TypeError, "write_quota must be int"),
        ("roles", "set_allowed", ("r", "::1"), {}, TypeError, "allow must be a list"),
        ("roles", "set_allowed", ("r", ["::1,::2"]), {}, ValueError, "no address"),
    ],
)
def test_invalid_arguments_raise(
    admin: Accounts,
    of: str,
    verb: str,
    args: Any,
    options: Any,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error) as caught:
        getattr(admin, of)(verb, *args, **options)
    assert message in str(caught.value)
    assert "p" * 73 not in str(caught.value)


def test_concurrent_changes_succeed(api: Api, admin: Accounts, set_name: str) -> None:
    """On one client, as futures if the API has them."""
    names = [f"m{number}-{set_name}" for number in range(20)]
    raw = admin.client.raw
    if hasattr(raw.users, "__aiter__"):

        async def all_of() -> None:
            await asyncio.gather(*(raw.users.create(name, None, ["read"]) for name in names))
            results = await asyncio.gather(*(raw.users.get(name) for name in names))
            assert [user.name for user in results] == names
            await asyncio.gather(*(raw.users.drop(name) for name in names))

        api.settle(lambda: asyncio.ensure_future(all_of()))
    else:
        for name in names:
            raw.users.create(name, None, ["read"])
        assert {user.name for user in raw.users} >= set(names)
        for name in names:
            raw.users.drop(name)


def test_a_silent_node_is_not_waited_for_without_end(cluster: Cluster, admin: Accounts) -> None:
    for node in (0, 1):
        cluster.inject(node, delay=2)
    try:
        for verb, args in (("list", ()), ("drop", ("nobody",))):
            with pytest.raises((spikewire.Timeout, spikewire.ConnectionFailed)):
                admin.users(verb, *args, timeout=0.2)
    finally:
        for node in (0, 1):
            cluster.clear_faults(node)


def test_results_pickle() -> None:
    user = User("u", ("read",), (5, 1, 0, 0), (), 3)
    role = Role("r", (Privilege("read", "test", "s"),), ("::1",), 1, 0)
    assert (user.read_quota, user.write_quota) == (5, 0)
    assert pickle.loads(pickle.dumps((user, role))) == (user, role)

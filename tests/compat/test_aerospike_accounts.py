"""Users and roles with the official client and the drop-in: the same calls on separate clusters,
and each reads what the other wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.compat import aerospike as ours
from spikewire.roles import Privilege
from spikewire.testing import Cluster

real = pytest.importorskip("aerospike", reason="the official client is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ADMIN = {"user": "admin", "password": "of the house"}


def open_with(package: Any, cluster: Cluster, **login: str) -> Any:
    host, port = cluster.addresses[0].rsplit(":", 1)
    return package.client({"hosts": [(host, int(port))], **ADMIN, **login}).connect()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2, users={ADMIN["user"]: ADMIN["password"]}, quotas=True) as cluster:
        assert cluster.wait_settled()
        yield cluster


def outcome(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result of a call, or its failure as programs see it."""
    try:
        return call(*args)
    except TypeError as error:
        return type(error).__name__, str(error)
    except Exception as error:
        failure: Any = error
        return type(error).__name__, failure.code, failure.msg


def users(client: Any) -> Iterator[Any]:
    for args in (
        ("app", "secret", ["write", "read"]), ("app", "secret", ["read"]), ("two", "", []),
        ("", "p", ["read"]), ("x", "p", ["nothing"]), (5, "p", []), ("x", None, []),
        ("x", "p", ("read",)), ("x", "p", [5]), ("u" * 64, "p", []), ("x", "p" * 64, []),
        ("x", "p", ["r" * 64]), ("x", "p", [], 5), ("x", "p", [], {"timeout": 0.5}),
        ("three", "p", ["read"], {"timeout": 180000}),
    ):  # fmt: skip
        yield client.admin_create_user, args
    yield client.admin_create_user, ("x",)
    for args in (
        ("app", ["truncate"]),
        ("app", ["no"]),
        ("no", ["read"]),
        ("app", "read"),
        (5, []),
    ):
        yield client.admin_grant_roles, args
        yield client.admin_revoke_roles, args
    yield client.admin_revoke_roles, ("app", ["user-admin"])
    yield client.admin_query_user_info, ("app",)
    yield client.admin_query_user_info, ("nobody",)
    yield client.admin_query_user_info, (5,)
    yield client.admin_query_user_info, ("u" * 64,)
    yield client.admin_drop_user, ("u" * 64,)
    yield client.admin_query_users_info, ("policy",)
    for args in (("app", "new"), ("no", "new"), ("app", None), (None, "x"), ("app", "p" * 64)):
        yield client.admin_set_password, args
    yield client.admin_change_password, ("app", "newer")
    yield client.admin_change_password, ("nobody", "newer")
    yield client.admin_change_password, (5, "newer")
    yield client.admin_create_pki_user, ("cert", ["read"])
    yield client.admin_set_password, ("cert", "new")
    for args in (("two",), ("two",), (None,)):
        yield client.admin_drop_user, args


def roles(client: Any) -> Iterator[Any]:
    own = [{"code": 0}, {"code": 10, "ns": "test", "set": "demo"}, {"code": 13, "ns": "test"}]
    for args in (
        ("own", own), ("own", own), ("empty",),
        ("wide", [{"code": 14}], None, ["127.0.0.0/8"], 5, 6),
        ("x", [{"code": 10}], None, ["bad_IP"]), ("x", [{"code": 10}], None, "::1"),
        ("x", [{"code": 10}], None, ["1" * 64]), ("x", [{"code": 99}]), ("x", [{"ns": "test"}]),
        ("x", [{"code": 1, "ns": "test"}]), ("x", [{"code": 10, "set": "demo"}]), ("x", ({},)),
        ("", []), ("read", []), (5, []), ("less", [], None, [], -5),
    ):  # fmt: skip
        yield client.admin_create_role, args
    for name in ("own", "empty", "wide", "less", "read", "nothing", 5):
        yield client.admin_get_role, (name,)
        yield client.admin_query_role, (name,)
    more = [{"code": 11, "ns": "test"}, {"code": 4}]
    for args in (("own", more), ("no", more), ("read", more), ("own", "read"), (5, more)):
        yield client.admin_grant_privileges, args
        yield client.admin_get_role, ("own",)
        yield client.admin_revoke_privileges, args
    for args in (
        ("own", 3),
        ("own", -1, 4),
        ("own",),
        ("own", -20),
        ("own", "x"),
        (5,),
        ("no", 3),
    ):
        yield client.admin_set_quotas, args
    for args in (("own", ["10.0.0.0/8"]), ("own", ["x"]), ("own", "x"), (5, []), ("no", [])):
        yield client.admin_set_whitelist, args
    yield client.admin_get_role, ("own",)
    yield client.admin_set_whitelist, ("own", None)
    yield client.admin_create_role, ("r" * 64, [])
    yield client.admin_get_role, ("r" * 64,)
    yield client.admin_get_roles, ()
    yield client.admin_query_roles, ()
    for args in (("own",), ("own",), ("read",), (5,)):
        yield client.admin_drop_role, args


@pytest.mark.parametrize("calls", [users, roles], ids=lambda calls: calls.__name__)
def test_both_see_the_same(calls: Callable[[Any], Iterator[Any]]) -> None:
    seen = []
    for package in (real, ours):
        options: Any = {"users": {ADMIN["user"]: ADMIN["password"]}, "quotas": True}
        with Cluster(**options) as cluster:
            client = open_with(package, cluster)
            seen.append(
                [(call.__name__, args, outcome(call, args)) for call, args in calls(client)]
            )
            client.close()
    for theirs, own in zip(*seen, strict=True):
        assert own == theirs


def test_each_reads_what_the_other_wrote(cluster: Cluster) -> None:
    theirs, own = open_with(real, cluster), open_with(ours, cluster)
    for writer, reader in ((theirs, own), (own, theirs)):
        granted = [{"code": 1}, {"code": 11, "ns": "test", "set": "demo"}]
        writer.admin_create_role("r", granted, whitelist=["127.0.0.1"], read_quota=100_000)
        writer.admin_create_user("u", "first", ["r", "truncate"])
        assert reader.admin_get_role("r") == {
            "privileges": [{"ns": "", "set": "", "code": 1},
                           {"ns": "test", "set": "demo", "code": 11}],
            "whitelist": ["127.0.0.1"], "read_quota": 100_000, "write_quota": 0,
        }  # fmt: skip
        user = reader.admin_query_user_info("u")
        assert (user["roles"], user["read_info"]) == (["r", "truncate"], [100_000, 0, 0, 0])
        assert set(reader.admin_query_users_info()) == {"admin", "u"}
        with spikewire.Client(cluster.seeds, **ADMIN) as client:
            assert client.roles.get("r").privileges[1] == Privilege("read-write", "test", "demo")
        # Whichever set it, the others log in with the password.
        for package, setter in ((real, writer), (ours, reader)):
            setter.admin_set_password("u", f"by {setter.__class__.__module__}")
            user = open_with(
                package, cluster, user="u", password=f"by {setter.__class__.__module__}"
            )
            user.put(("test", "demo", 1), {"a": 1})
            with pytest.raises(package.exception.RoleViolation):
                user.put(("test", "other", 1), {"a": 1})
            with pytest.raises(package.exception.RoleViolation):
                user.admin_query_users_info()
            user.admin_change_password("u", "changed")
            user.close()
            open_with(package, cluster, user="u", password="changed").close()
        reader.admin_drop_user("u")
        reader.admin_drop_role("r")
        with pytest.raises((real.exception.InvalidUser, ours.exception.InvalidUser)):
            writer.admin_query_user_info("u")
    theirs.close()
    own.close()


@pytest.mark.parametrize("package", [real, ours])
def test_a_client_goes_on_after_its_password_was_changed(package: Any, cluster: Cluster) -> None:
    client = open_with(package, cluster)
    client.admin_change_password("admin", "changed")
    client.admin_change_password("admin", "again")
    assert client.admin_query_user_info("admin")["conns_in_use"] > 0
    with pytest.raises(package.exception.AerospikeError):
        open_with(package, cluster)
    client.close()
    open_with(package, cluster, password="again").close()


@pytest.mark.parametrize("package", [real, ours])
def test_a_password_is_that_of_who_is_logged_in(package: Any, cluster: Cluster) -> None:
    """A client that is connected stays with its user when ``connect`` names another one."""
    client = open_with(package, cluster)
    client.admin_create_user("app", "first", [])
    client.connect("app", "first")
    with pytest.raises(package.exception.InvalidPassword):
        client.admin_change_password("app", "second")
    client.close()
    for user, password in (("admin", ADMIN["password"]), ("app", "first")):
        open_with(package, cluster, user=user, password=password).close()


def test_users_need_a_server_with_security() -> None:
    with Cluster() as cluster:
        host, port = cluster.addresses[0].rsplit(":", 1)
        seen = []
        for package in (real, ours):
            client = package.client({"hosts": [(host, int(port))]}).connect()
            calls = ((client.admin_query_users_info, ()), (client.admin_drop_user, ("x",)))
            seen.append([outcome(call, args) for call, args in calls])
            client.close()
        assert seen[1] == seen[0]
        assert seen[0][0][1] == 51

"""Users and roles with aerospike-py and the drop-in: the same calls on separate clusters, and each
reads what the other wrote."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike_py as ours
from spikewire.testing import Cluster

real = pytest.importorskip("aerospike_py", reason="aerospike-py is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ADMIN = {"user": "admin", "password": "of the house"}
OPTIONS: Any = {"users": {ADMIN["user"]: ADMIN["password"]}, "quotas": True}


def config(cluster: Cluster, **login: str) -> dict[str, Any]:
    host, port = cluster.addresses[0].rsplit(":", 1)
    return {"hosts": [(host, int(port))], **ADMIN, **login}


def open_with(package: Any, cluster: Cluster, **login: str) -> Any:
    return package.client(config(cluster, **login)).connect()


def outcome(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result of a call, or its failure; for a server's, the code, since texts differ."""
    try:
        return call(*args)
    except (TypeError, OverflowError) as error:
        return type(error).__name__, str(error)
    except Exception as error:
        text = re.match(r"AEROSPIKE_ERR \(\d+\)", str(error))
        return type(error).__name__, text.group() if text else str(error)


def calls(client: Any) -> Iterator[Any]:
    """Without queries for missing users, which make the original lose its connections."""
    own = [{"code": 1}, {"code": 10, "ns": "test", "set": "demo"}, {"code": 13, "ns": "test"}]
    for args in (
        ("app", "secret", ["write", "read"]), ("app", "secret", ["read"]), ("x", "p", ["nothing"]),
        (5, "p", []), ("x", 5, []), ("x", "p", "read"), ("x", "p", [5]), ("x", "p", None),
        ("two", "p", ("read",)), ("x", "p", [], 5), ("x", "p", [], {"timeout": "x"}),
        ("three", "p", [], {"timeout": 5000}), ("", "p", []),
    ):  # fmt: skip
        yield client.admin_create_user, args
    for args in (("app", ["truncate"]), ("app", ["no"]), ("no", ["read"]), ("app", "read")):
        yield client.admin_grant_roles, args
        yield client.admin_revoke_roles, args
    yield client.admin_query_user_info, ("app",)
    yield client.admin_query_user_info, (5,)
    yield client.admin_change_password, ("app", "newer")
    yield client.admin_change_password, ("nobody", "newer")
    for args in (("two",), ("two",), (None,)):
        yield client.admin_drop_user, args
    for args in (
        ("own", own), ("own", own), ("wide", [{"code": 14}], None, ["127.0.0.0/8"], 5, 6),
        ("x", [{"code": 10}], None, ["bad_IP"]), ("x", [{"code": 10}], None, "::1"),
        ("x", [{"code": 99}]), ("x", [{"ns": "test"}]), ("x", [{"code": 1, "ns": "test"}]),
        ("x", ({},)), ("x", ["read"]), ("x", [], None, [], "5"), ("x", [], None, [], -1),
    ):  # fmt: skip
        yield client.admin_create_role, args
    for name in ("own", "wide", "read"):
        yield client.admin_query_role, (name,)
    yield client.admin_query_roles, ()
    more = [{"code": 11, "ns": "test"}, {"code": 4}]
    for args in (("own", more), ("no", more), ("read", more), ("own", "read")):
        yield client.admin_grant_privileges, args
        yield client.admin_query_role, ("own",)
        yield client.admin_revoke_privileges, args
    for args in (("own", 3), ("own", 0, 4), ("own",), ("own", "x"), (5,), ("no", 3)):
        yield client.admin_set_quotas, args
    for args in (("own", ["10.0.0.0/8"]), ("own", ["x"]), ("own", "x"), ("own", None)):
        yield client.admin_set_whitelist, args
    yield client.admin_query_role, ("own",)
    for args in (("own",), ("own",), ("read",)):
        yield client.admin_drop_role, args
    yield client.admin_query_users_info, ()


@pytest.mark.filterwarnings("ignore")
def test_both_see_the_same() -> None:
    seen = []
    for package in (real, ours):
        with Cluster(**OPTIONS) as cluster:
            client = open_with(package, cluster)
            seen.append(
                [(call.__name__, args, outcome(call, args)) for call, args in calls(client)]
            )
            client.close()
    for theirs, own in zip(*seen, strict=True):
        if "admin_query_users_info" in own:
            for users in (theirs[2], own[2]):
                for user in users:
                    user.pop("conns_in_use")  # which may differ
        assert own == theirs


def test_each_reads_what_the_other_wrote() -> None:
    with Cluster(nodes=2, **OPTIONS) as cluster:
        theirs, own = open_with(real, cluster), open_with(ours, cluster)
        for writer, reader in ((theirs, own), (own, theirs)):
            granted = [{"code": 1}, {"code": 11, "ns": "test", "set": "demo"}]
            writer.admin_create_role("r", granted, None, ["127.0.0.1"], 100_000, 0)
            writer.admin_create_user("u", "first", ["r", "truncate"])
            assert reader.admin_query_role("r") == {
                "name": "r", "privileges": granted, "allowlist": ["127.0.0.1"],
                "read_quota": 100_000, "write_quota": 0,
            }  # fmt: skip
            user = reader.admin_query_user_info("u")
            assert (user["roles"], user["read_info"]) == (["r", "truncate"], [100_000, 0, 0, 0])
            reader.admin_change_password("u", "second")
            for package in (real, ours):
                user = open_with(package, cluster, user="u", password="second")
                user.put(("test", "demo", 1), {"a": 1})
                with pytest.raises(package.AdminError, match="81"):
                    user.put(("test", "other", 1), {"a": 1})
                user.close()
            reader.admin_drop_user("u")
            writer.admin_drop_role("r")
        theirs.close()
        own.close()


def test_asyncio_has_the_same_methods() -> None:
    async def main(cluster: Cluster) -> None:
        client = await ours.AsyncClient(config(cluster)).connect()
        async with client:
            await client.admin_create_role("r", [{"code": 10, "ns": "test"}])
            await client.admin_grant_privileges("r", [{"code": 4}])
            await client.admin_revoke_privileges("r", [{"code": 10, "ns": "test"}])
            await client.admin_set_whitelist("r", ["127.0.0.1"])
            await client.admin_set_quotas("r", 5, 6)
            role = await client.admin_query_role("r")
            assert role == {
                "name": "r", "privileges": [{"code": 4}], "allowlist": ["127.0.0.1"],
                "read_quota": 5, "write_quota": 6,
            }  # fmt: skip
            assert role in await client.admin_query_roles()
            await client.admin_create_user("u", "p", ["r"])
            await client.admin_grant_roles("u", ["read"])
            await client.admin_revoke_roles("u", ["r"])
            assert (await client.admin_query_user_info("u"))["roles"] == ["read"]
            assert len(await client.admin_query_users_info()) == 2
            await client.admin_drop_role("r")
            await client.admin_drop_user("u")
            with pytest.raises(ours.AdminError, match=r"AEROSPIKE_ERR \(60\)"):
                await client.admin_drop_user("u")
            await client.admin_change_password("admin", "changed")
            await client.admin_change_password("admin", "again")

    with Cluster(**OPTIONS) as cluster:
        asyncio.run(main(cluster))
        open_with(ours, cluster, password="again").close()

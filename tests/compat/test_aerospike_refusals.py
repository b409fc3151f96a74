"""Unsupported features are named, with their replacements; `install` replaces the original's
modules."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike
from spikewire.compat.aerospike_helpers import cdt_ctx
from spikewire.compat.aerospike_helpers.operations import bitwise_operations, list_operations
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


#: An address without a node.
NOWHERE = {"hosts": [("127.0.0.1", 1)]}


@pytest.fixture(scope="module")
def config() -> Iterator[dict[str, Any]]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        yield {"hosts": [(host, int(port))]}


@pytest.mark.parametrize(
    "call",
    [
        lambda: bitwise_operations.bit_b64_encode("b", ctx=[cdt_ctx.cdt_ctx_list_index(0)]),
        lambda: aerospike.client({**NOWHERE, "tls": {"enable": True, "cert_blacklist": "/x"}}),
        lambda: aerospike.client({**NOWHERE, "tls": {"enable": True, "cipher_suite": "ALL"}}),
        lambda: aerospike.client({**NOWHERE, "tls": {"enable": True, "protocols": "TLSv1.1"}}),
        lambda: aerospike.client({**NOWHERE, "tls": {"enable": True, "for_login_only": True}}),
    ],
)
def test_missing_features_name_a_replacement(call: Callable[[], object]) -> None:
    with pytest.raises(
        NotImplementedError, match=r"is not supported by spikewire\.compat\.aerospike: \w"
    ) as caught:
        call()
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "more",
    [
        {"tls": {"enable": True, "cafile": "/nowhere.pem"}},
        {"tls": {"enable": True, "capath": "/nowhere"}},
        {"tls": {"enable": True, "certfile": "/nowhere.pem", "keyfile": "/nowhere.pem"}},
    ],
)
def test_files_of_tls_that_are_not_there(more: dict[str, Any]) -> None:
    with pytest.raises(aerospike.exception.TLSError, match="nowhere") as caught:
        aerospike.client(NOWHERE | more)
    assert caught.value.code == -9


@pytest.mark.parametrize("mode", [aerospike.AUTH_EXTERNAL, aerospike.AUTH_PKI])
def test_auth_modes_that_need_tls_raise(mode: int) -> None:
    more = {"user": "u", "password": "hidden", "policies": {"auth_mode": mode}}
    with pytest.raises(aerospike.exception.ClientError, match="TLS is required") as caught:
        aerospike.client(NOWHERE | more)
    assert caught.value.code == -1


def test_settings_of_tls_without_effect_warn() -> None:
    tls = {"enable": True, "protocols": "TLSv1.2", "log_session_info": True}
    with (
        pytest.warns(aerospike.CompatWarning) as caught,
        pytest.raises(aerospike.exception.ConnectionError),
    ):
        aerospike.client(NOWHERE | {"tls": tls})
    messages = " ".join(str(each.message) for each in caught)
    assert "TLS 1.3 is also used" in messages
    assert "log_session_info" in messages
    # Settings that are not enabled are ignored.
    with pytest.raises(aerospike.exception.ConnectionError):
        aerospike.client(NOWHERE | {"tls": {"enable": False, "cipher_suite": "ALL"}})


def test_methods_that_are_missing_name_a_replacement(config: dict[str, Any]) -> None:
    client = aerospike.client(config)
    query = client.query("test", "demo")
    try:
        with pytest.raises(NotImplementedError, match=r"policy.txn is not supported by .*: leave"):
            query.results({"txn": aerospike.Transaction()})
    finally:
        client.close()


@pytest.mark.parametrize(
    ("policy", "message"),
    [({"replica": 9}, "'replica' of 9"), ({"timeout_delay": 1}, "timeout_delay")],
)
def test_settings_without_effect_warn(
    config: dict[str, Any], policy: dict[str, Any], message: str
) -> None:
    client = aerospike.client(config)
    try:
        with pytest.warns(aerospike.CompatWarning, match=message):
            client.exists(("test", "demo", 1), policy)
    finally:
        client.close()


def test_installing_takes_the_names_over() -> None:
    program = (
        "import spikewire.compat.aerospike as ours\n"
        "ours.install()\n"
        "ours.install()\n"
        "import aerospike\n"
        "from aerospike import exception, predicates\n"
        "from aerospike_helpers.operations import map_operations\n"
        "from aerospike_helpers.expressions import GE\n"
        "assert aerospike is ours and GE.__module__.startswith('spikewire.')\n"
        "assert exception.RecordNotFound is ours.exception.RecordNotFound\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.parametrize("odd", ["s;lut=1", "s\ntruncate-namespace:namespace=test"])
def test_names_that_would_be_more_than_a_name_in_an_info_command(
    config: dict[str, Any], odd: str
) -> None:
    """A set's name must not add a parameter or a command to what it is put into."""
    client = aerospike.client(config).connect()
    client.put(("test", "s", 1), {"n": 1})
    calls: list[Callable[[], object]] = [
        lambda: client.truncate("test", odd, 0),
        lambda: client.truncate(odd, "s", 0),
        lambda: client.set_xdr_filter(odd, "test", None),
        lambda: client.set_xdr_filter("dc", odd, None),
    ]
    for call in calls:
        with pytest.raises(aerospike.exception.ParamError, match="must have no ';' and no line"):
            call()
    assert client.get(("test", "s", 1))[2] == {"n": 1}
    client.close()


def test_a_client_whose_nodes_are_gone_is_not_connected() -> None:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        client = aerospike.client({"hosts": [(host, int(port))], "tend_interval": 100}).connect()
        assert client.is_connected()
        cluster.kill(0)
        assert until(lambda: not client.is_connected())
        client.connect()  # has no effect, and does no harm
        client.close()


def test_a_bool_is_no_number_where_the_number_was_accepted(config: dict[str, Any]) -> None:
    """``True`` equals 1, whose meaning is remembered."""
    client = aerospike.client(config)
    key = ("test", "refusals", "bool")
    client.put(key, {"l": [1, 2]})
    by_index = list_operations.list_get_by_index("l", 0, aerospike.LIST_RETURN_INDEX)
    put = list_operations.list_append("l", 3, {"write_flags": 0, "list_order": 0})
    for _ in range(2):
        assert client.operate(key, [by_index])[2] == {"l": 0}
        client.operate(key, [put])
        for wrong in (
            by_index | {"return_type": True},
            by_index | {"index": False},
            put | {"pad": 1},
        ):
            with pytest.raises(aerospike.exception.ParamError):
                client.operate(key, [wrong])
    client.close()

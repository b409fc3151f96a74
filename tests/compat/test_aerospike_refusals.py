"""What the drop-in does not have says so and names what to use; installing takes the names over."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike
from spikewire.compat.aerospike_helpers import cdt_ctx
from spikewire.compat.aerospike_helpers.expressions import LoopVarInt
from spikewire.compat.aerospike_helpers.expressions.string import StrLen
from spikewire.compat.aerospike_helpers.operations import (
    list_operations,
    operations,
    string_operations,
)
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def config() -> Iterator[dict[str, Any]]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        yield {"hosts": [(host, int(port))]}


@pytest.mark.parametrize(
    "call",
    [
        cdt_ctx.cdt_ctx_all_children,
        lambda: LoopVarInt(0),
        lambda: StrLen("b"),
        lambda: string_operations.upper("b"),
        lambda: list_operations.list_join("l"),
        lambda: operations.select_by_path("b", [], 0),
        lambda: aerospike.client({"hosts": [("localhost", 1)], "user": "u", "password": "p"}),
        lambda: aerospike.client({"hosts": [("localhost", 1)], "tls": {"enable": True}}),
    ],
)
def test_what_is_missing_names_a_replacement(call: Callable[[], object]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not in spikewire\.compat\.aerospike: \w"):
        call()


@pytest.mark.parametrize("name", ["admin_query_users_info", "admin_get_roles"])
def test_methods_that_are_missing_name_a_replacement(config: dict[str, Any], name: str) -> None:
    client = aerospike.client(config)
    try:
        with pytest.raises(NotImplementedError, match=name):
            getattr(client, name)()
    finally:
        client.close()


@pytest.mark.parametrize(
    ("policy", "says"),
    [({"replica": 9}, "'replica' of 9"), ({"compress": True}, "compress")],
)
def test_settings_without_effect_warn(
    config: dict[str, Any], policy: dict[str, Any], says: str
) -> None:
    client = aerospike.client(config)
    try:
        with pytest.warns(aerospike.CompatWarning, match=says):
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

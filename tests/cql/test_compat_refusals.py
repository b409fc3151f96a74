"""Features of cassandra-driver that its drop-in does not support are refused by name."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.compat.cassandra import (
    CompatWarning,
    ConsistencyLevel,
    OperationTimedOut,
    policies,
    protocol,
)
from spikewire.compat.cassandra.cluster import (
    EXEC_PROFILE_DEFAULT,
    Cluster,
    ExecutionProfile,
    NoHostAvailable,
)
from spikewire.compat.cassandra.error_translation import translate_error
from spikewire.compat.cassandra.pool import Host, split
from spikewire.compat.cassandra.query import SimpleStatement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.cassandra.session import Session
    from spikewire.testing.cassandra import SharedCassandra


REFUSED: dict[str, Any] = {
    "metrics_enabled": True,
    "sockopts": [(1, 2, 3)],
    "cql_version": "3.4.5",
    "timestamp_generator": lambda: 0,
    "no_compact": True,
    "endpoint_factory": object(),
    "column_encryption_policy": object(),
    "allow_beta_protocol_version": True,
    "protocol_version": 3,
    "compression": "snappy",
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_settings_raise(name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        Cluster(**{name: REFUSED[name]})


@pytest.mark.parametrize(
    ("delay", "attempts", "error", "words"),
    [
        (-0.1, 1, ValueError, "delay"),
        (float("nan"), 1, ValueError, "delay"),
        (float("inf"), 1, ValueError, "delay"),
        (True, 1, TypeError, "delay"),
        ("1", 1, TypeError, "delay"),
        (0.1, -1, ValueError, "max_attempts"),
        (0.1, 33, ValueError, "max_attempts"),
        (0.1, 1.5, TypeError, "max_attempts"),
        (0.1, True, TypeError, "max_attempts"),
    ],
)
def test_speculations_that_make_no_sense(
    delay: Any, attempts: Any, error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        policies.ConstantSpeculativeExecutionPolicy(delay, attempts)


def test_policies_that_cannot_be_used() -> None:
    wrong: Any = object()
    with pytest.raises(TypeError, match="load_balancing_policy must be a LoadBalancingPolicy"):
        ExecutionProfile(load_balancing_policy=wrong)
    with pytest.raises(TypeError, match="retry_policy must be a RetryPolicy"):
        ExecutionProfile(retry_policy=wrong)
    with pytest.raises(TypeError, match="speculative_execution_policy must be a Speculative"):
        ExecutionProfile(speculative_execution_policy=wrong)
    with pytest.raises(TypeError, match="auth_provider"):
        Cluster(auth_provider=object())
    with pytest.raises(TypeError, match="address_translator"):
        Cluster(address_translator=object())
    with pytest.raises(NotImplementedError, match="lower consistency"):
        policies.DowngradingConsistencyRetryPolicy()
    with pytest.raises(NotImplementedError, match="one local datacenter"):
        Cluster(
            execution_profiles={
                EXEC_PROFILE_DEFAULT: ExecutionProfile(policies.DCAwareRoundRobinPolicy("dc1")),
                "far": ExecutionProfile(policies.DCAwareRoundRobinPolicy("dc2")),
            }
        )


def test_unknown_settings_are_no_settings() -> None:
    with pytest.raises(TypeError, match="nonsense"):
        Cluster(nonsense=1)


def test_settings_without_effect_are_warned_of() -> None:
    with pytest.warns(CompatWarning, match="executor_threads"):
        Cluster(executor_threads=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Cluster(executor_threads=2, prepare_on_all_hosts=True, ssl_context=None)


@pytest.fixture(scope="module")
def session(cassandra: SharedCassandra) -> Iterator[Session]:
    address, port = cassandra.addresses[0].split(":")
    with Cluster([address], port=int(port)) as cluster:
        yield cluster.connect()


def test_unsupported_session_features_raise(session: Session) -> None:
    with pytest.raises(NotImplementedError, match="execute_as"):
        session.execute("SELECT key FROM system.local", execute_as="somebody")
    for name in ("client_protocol_handler", "encoder", "timestamp_generator"):
        with pytest.raises(NotImplementedError, match=name):
            setattr(session, name, object())
    with pytest.raises(NotImplementedError, match="use_client_timestamp"):
        session.use_client_timestamp = False
    with pytest.raises(TypeError, match="int"):
        session.execute(5)
    with pytest.raises(ValueError, match="consistency_level"):
        session.execute(SimpleStatement("SELECT key FROM system.local", consistency_level=99))


def test_a_white_list_limits_the_nodes(cassandra: SharedCassandra) -> None:
    address, port = cassandra.addresses[0].split(":")
    only = policies.WhiteListRoundRobinPolicy(["192.0.2.1"])
    with Cluster([address], port=int(port), load_balancing_policy=only) as cluster:
        session = cluster.connect()
        with pytest.raises(NoHostAvailable, match=r"192\.0\.2\.1"):
            session.execute("SELECT key FROM system.local")
        with pytest.raises(NoHostAvailable):
            session.execute_async("SELECT key FROM system.local").result()


def test_install_replaces_the_module_name() -> None:
    program = """
        import spikewire.compat.cassandra as compat
        compat.install()
        compat.install()
        import cassandra
        from cassandra.cluster import Cluster, Session, NoHostAvailable
        from cassandra.query import SimpleStatement, dict_factory
        from cassandra.policies import DCAwareRoundRobinPolicy
        from cassandra import ConsistencyLevel, concurrent, util
        assert cassandra is compat
        assert Cluster.__module__ == "spikewire.compat.cassandra.cluster"
        assert ConsistencyLevel.LOCAL_QUORUM == 6
        try:
            import cassandra.io
        except ModuleNotFoundError:
            print("as it should")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stdout.strip(), done.stderr) == ("as it should", "")


def test_it_does_not_replace_what_is_imported() -> None:
    program = """
        import sys, types
        sys.modules["cassandra"] = types.ModuleType("cassandra")
        import spikewire.compat.cassandra as compat
        try:
            compat.install()
        except RuntimeError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "already imported" in done.stdout


def test_levels_have_the_numbers_of_the_protocol() -> None:
    assert ConsistencyLevel.name_to_value["LOCAL_ONE"] == 10


def test_errors_list_every_node_tried() -> None:
    attempts = [("127.0.0.1:9042", "reset"), ("127.0.0.2:9042", "late"), ("127.0.0.1:9042", "gone")]
    options: dict[str, Any] = {"node": "127.0.0.1:9042", "attempts": 3, "failed_attempts": attempts}

    def host_of(endpoint: str | None) -> Host | None:
        return None if endpoint is None else Host(*split(endpoint))

    lost = cql.errors.ConnectionFailed("gone", **options)
    seen = translate_error(lost, host_of)
    assert isinstance(seen, NoHostAvailable)
    assert isinstance(seen.errors, dict)
    assert {str(host): error.message for host, error in seen.errors.items()} == {
        "127.0.0.1:9042": "gone",
        "127.0.0.2:9042": "late",
    }
    assert seen.errors[Host("127.0.0.1", 9042)] is lost
    busy = translate_error(cql.errors.Overloaded("gone", code=0x1001, **options), host_of)
    assert isinstance(busy, NoHostAvailable)
    assert isinstance(busy.errors, dict)
    assert len(busy.errors) == 2
    assert isinstance(busy.errors[Host("127.0.0.1", 9042)], protocol.OverloadedErrorMessage)
    late = translate_error(cql.errors.Timeout("gone", **options), host_of)
    assert isinstance(late, OperationTimedOut)
    assert late.errors == {"127.0.0.1:9042": "gone", "127.0.0.2:9042": "late"}
    assert str(late.last_host) == "127.0.0.1:9042"


def test_a_failed_connect_lists_every_contact_point() -> None:
    points = ["127.0.0.1", "127.0.0.2"]
    with pytest.raises(NoHostAvailable, match="any servers") as caught:
        Cluster(points, port=1, connect_timeout=10).connect()
    assert isinstance(caught.value.errors, dict)
    assert [str(at) for at in caught.value.errors] == ["127.0.0.1:1", "127.0.0.2:1"]
    assert all("refused" in str(error) for error in caught.value.errors.values())

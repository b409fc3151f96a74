"""The configuration of a client, converted to the engine's options."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_py.constants import AUTH_EXTERNAL, AUTH_INTERNAL, AUTH_PKI
from spikewire.compat.aerospike_py.differences import CONFIG_NO_EFFECT
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import missing, without_effect

__all__ = ["CONFIG", "client_arguments", "limit_of"]

#: Milliseconds, seconds, counts and the like: the names here and in the engine, and the unit.
_NUMBERS = (
    ("timeout", "connect_timeout", 1000),
    ("idle_timeout", "idle_timeout", 1),
    ("max_conns_per_node", "connections_per_node", None),
    ("min_conns_per_node", "warm_connections", None),
    ("tend_interval", "tend_interval", 1000),
)
#: The engine's names for ``auth_mode``. Like aerospike-py, this has no TLS: passwords of external
#: directories are sent in clear text.
_AUTHS = {AUTH_INTERNAL: "internal", AUTH_EXTERNAL: "external-insecure"}
_MOST_CONNECTIONS = 64
_MOST_WARM = 16
_LEAST_TEND = 0.25
CONFIG = frozenset(
    {"hosts", "cluster_name", "use_services_alternate", "user", "password", "auth_mode",
     "max_concurrent_operations", "operation_queue_timeout_ms"}
    | {name for name, _, _ in _NUMBERS}
    | CONFIG_NO_EFFECT.keys()
)  # fmt: skip


def client_arguments(
    config: Any, username: Any = None, password: Any = None
) -> tuple[list[str], dict[str, Any]]:
    """Seeds and options of a client."""
    if not isinstance(config, dict):
        message = f"a configuration must be a dict, not {type(config).__name__}"
        raise TypeError(message)
    if username is not None and password is None:
        raise ClientError("Password is required when username is provided.")
    seeds = _seeds(config)
    options: dict[str, Any] = {"timeout": 1, **_login(config, username, password)}
    for name, value in config.items():
        if name in CONFIG_NO_EFFECT and value != CONFIG_NO_EFFECT[name]:
            without_effect(f"the setting {name!r}")
    for name, option, unit in _NUMBERS:
        if config.get(name) is None:
            continue
        number: Any = _integer(name, config[name])
        options[option] = number if unit in (None, 1) else number / unit
    if "connections_per_node" in options:  # More threads share.
        options["connections_per_node"] = max(
            1, min(options["connections_per_node"], _MOST_CONNECTIONS)
        )
    if "warm_connections" in options:
        options["warm_connections"] = max(0, min(options["warm_connections"], _MOST_WARM))
    if "tend_interval" in options:
        options["tend_interval"] = max(options["tend_interval"], _LEAST_TEND)
    if config.get("cluster_name") is not None:
        name = config["cluster_name"]
        if not isinstance(name, str):
            message = f"cluster_name must be a str, not {type(name).__name__}"
            raise TypeError(message)
        if name:
            options["cluster_name"] = name
    if config.get("use_services_alternate"):
        options["use_services_alternate"] = True
    limit_of(config)
    return seeds, options


def _login(config: dict[str, Any], username: Any, password: Any) -> dict[str, Any]:
    """The credentials, if there are any: from the arguments of ``connect``, or else from the
    configuration."""
    if username is None:
        username, password = config.get("user"), config.get("password")
    if username is None:
        return {}
    for name, value in (("user", username), ("password", password)):
        if value is not None and not isinstance(value, str):
            message = f"{name} must be a str, not {type(value).__name__}"
            raise TypeError(message)
    mode = _integer("auth_mode", config.get("auth_mode", AUTH_INTERNAL))
    if mode == AUTH_PKI:
        missing("AUTH_PKI")
    if mode not in _AUTHS:
        message = (
            f"auth_mode must be AUTH_INTERNAL (0), AUTH_EXTERNAL (1), or AUTH_PKI (2); got {mode}"
        )
        raise ValueError(message)
    return {"user": username, "password": password or "", "auth": _AUTHS[mode]}


def limit_of(config: dict[str, Any]) -> tuple[int, int]:
    """How many operations may be in progress, and how many milliseconds others wait; 0 means no
    limit."""
    most, wait = (
        _integer(name, config.get(name, 0))
        for name in ("max_concurrent_operations", "operation_queue_timeout_ms")
    )
    if most < 0 or wait < 0:
        message = "max_concurrent_operations and operation_queue_timeout_ms must not be negative"
        raise OverflowError(message)
    return most, wait


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"{name} must be an int, not {type(value).__name__}"
        raise TypeError(message)
    return value


def _seeds(config: dict[str, Any]) -> list[str]:
    if "hosts" not in config:
        message = "the configuration has no 'hosts'"
        raise ValueError(message)
    hosts = config["hosts"]
    if not isinstance(hosts, list):
        message = f"hosts must be a list, not {type(hosts).__name__}"
        raise TypeError(message)
    seeds: list[str] = []
    for host in hosts:
        if isinstance(host, str):
            _, colon, port = host.rpartition(":")
            if colon and "]" not in port and not port.isdigit():
                message = f"{port!r} is not a port: {host!r}"
                raise ValueError(message)
            seeds.append(host)
            continue
        if not isinstance(host, tuple) or not host or not isinstance(host[0], str):
            message = "a host must be a str or a tuple of host and port"
            raise TypeError(message)
        address, number = host[0], _integer("port", host[1]) if len(host) > 1 else 3000
        if not 0 <= number <= 0xFFFF:
            message = f"{number} is not a port"
            raise OverflowError(message)
        seeds.append(f"[{address}]:{number}" if ":" in address else f"{address}:{number}")
    if not seeds:
        message = "hosts must not be empty"
        raise ValueError(message)
    return seeds

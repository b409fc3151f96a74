"""The configuration of a client, converted to the engine's options."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.config_provider import provided
from spikewire.compat.aerospike.differences import CONFIG_NO_EFFECT
from spikewire.compat.aerospike.failures import refuse, without_effect
from spikewire.compat.aerospike.policies import Policies
from spikewire.compat.aerospike.security import login_of, security_of
from spikewire.compat.aerospike.valid_keys import CONFIGURATION, check_names
from spikewire.compat.aerospike.values import Serializers

__all__ = ["Configuration"]

_AS_INTEGER = 0
#: The key of the shared memory if the configuration has none.
_SHM_KEY = 0xA9000000
_LONGEST_PATH = 255
_BOOLS = ("rack_aware", "use_services_alternate", "force_single_node", "fail_if_not_connected")


class Configuration:
    """A parsed configuration."""

    def __init__(self, config: Any) -> None:
        if not isinstance(config, dict):
            refuse("Config must be a dict")
        given: dict[str, Any] = config
        strict = given.get("validate_keys", False)
        if not isinstance(strict, bool):
            refuse('config["validate_keys"] must be a boolean')
        self.strict = strict
        if strict:
            for part, known in CONFIGURATION.items():
                own = given.get(part) if part else given
                if isinstance(own, dict):
                    check_names(own, known, "client config")
        self.provided = provided(given.get("config_provider"))
        if self.provided is not None:
            given = {**given, **self.provided.said.config}
        _check_values(given)
        for name, value in given.items():
            if name in CONFIG_NO_EFFECT and value not in (None, False, {}):
                without_effect(f"the setting {name!r}")
        policies = given.get("policies")
        self.policies = Policies(policies if isinstance(policies, dict) else {}, strict=strict)
        self.strict_types = bool(given.get("strict_types", True))
        integers = given.get("send_bool_as") == _AS_INTEGER and "send_bool_as" in given
        self.serializers = _serializers(given.get("serialization"), bools_as_integers=integers)
        self.policies.serializers = self.serializers
        self.app_id = given.get("app_id")
        self.tend_interval = _seconds(given.get("tend_interval"))
        self.cluster_name = given.get("cluster_name")
        self.shm_key = _shm_key(given.get("shm"))
        security = security_of(given)
        self.seeds = _seeds(given.get("hosts"), named="tls" in security)
        self.options = self._options(given) | security

    def log_in(self, user: str | None, password: str | None) -> None:
        """Uses this user for the next connection."""
        self.options = login_of(self.options, user, password)

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        read = self.policies.of["read"]
        made: dict[str, Any] = {
            "timeout": 1,
            "socket_timeout": read["socket_timeout"] / 1000,
            "max_retries": read["max_retries"],
            "sleep_between_retries": read["sleep_between_retries"] / 1000,
            "submit_limit": 2048,
            "hedge_percent": 100,  # Only reads with a socket_timeout of their own use it.
        }
        for name, option, unit in (
            ("tend_interval", "tend_interval", 1000),
            ("max_socket_idle", "idle_timeout", 1),
            ("max_error_rate", "max_error_rate", None),
            ("error_rate_window", "error_rate_window", None),
            ("cluster_name", "cluster_name", None),
            ("use_services_alternate", "use_services_alternate", None),
            ("ip_map", "ip_map", None),
            ("max_conns_per_node", "connections_per_node", None),
        ):
            value = given.get(name)
            if value is None:
                continue
            if unit is not None:
                if not isinstance(value, int):
                    refuse(f"{name} must be an integer")
                value = max(value / unit, 0.25) if unit != 1 else value
                if not value:
                    continue
            made[option] = value
        if "connections_per_node" in made:  # The engine shares each of them among many commands.
            made["connections_per_node"] = min(int(made["connections_per_node"]), 16)
        racks = given.get("rack_ids") or ([given["rack_id"]] if "rack_id" in given else None)
        if racks:
            made["racks"] = list(racks)
        return made


def _check_values(given: dict[str, Any]) -> None:
    for name in _BOOLS:
        if name in given and not isinstance(given[name], bool):
            refuse(f"config[{name!r}] must be a boolean")
    lua = given.get("lua")
    if isinstance(lua, dict):
        for name in ("system_path", "user_path"):
            if isinstance(lua.get(name), str) and len(lua[name]) > _LONGEST_PATH:
                refuse(f"Lua {name.partition('_')[0]} path too long")
    rack = given.get("rack_id")
    if rack is not None and not _fits(rack):
        refuse("rack_id must be an integer that fits 32 bits")
    racks = given.get("rack_ids")
    if racks is not None and (not isinstance(racks, list) or not all(map(_fits, racks))):
        refuse("rack_ids must be a list of integers that fit 32 bits")
    threshold = given.get("compression_threshold")
    if isinstance(threshold, int) and threshold < 0:
        refuse("Compression value must not be negative")
    app = given.get("app_id")
    if app is not None and not isinstance(app, str):
        message = f"app_id must be str, not {type(app).__name__}"
        raise TypeError(message)


def _seconds(milliseconds: Any) -> float:
    return milliseconds / 1000 if isinstance(milliseconds, int) and milliseconds > 0 else 1.0


def _fits(value: Any) -> bool:
    return isinstance(value, int) and -(1 << 31) <= value < 1 << 31


def _shm_key(shm: Any) -> int | None:
    if not isinstance(shm, dict):
        return None
    key = shm.get("shm_key", _SHM_KEY)
    return key if isinstance(key, int) else _SHM_KEY


def _seeds(hosts: Any, *, named: bool) -> list[str]:
    """The hosts, with their TLS names if TLS is used."""
    if not isinstance(hosts, list):
        refuse("Hosts must be a list")
    made: list[str] = []
    for host in hosts:
        if isinstance(host, str):
            made.append(f"{host}:3000")
        elif isinstance(host, (tuple, list)) and host:
            address, port = host[0], host[1] if len(host) > 1 else 3000
            if not isinstance(address, str):
                refuse("Invalid host")
            if not isinstance(port, int):
                refuse("Invalid host -> The host port must be an integer")
            name = host[2] if named and len(host) > 2 else None
            place = f"[{address}]" if ":" in address else address
            made.append(f"{place}:{name}:{port}" if name else f"{place}:{port}")
        else:
            refuse("Invalid host")
    if not made:
        refuse("Hosts must not be empty")
    return made


def _serializers(given: Any, *, bools_as_integers: bool) -> Serializers | None:
    if given is None:
        return Serializers(bools_as_integers=True) if bools_as_integers else None
    if not isinstance(given, tuple) or len(given) != 2:
        refuse("serialization must be a tuple of two functions")
    for what, function in zip(("Serializer", "Deserializer"), given, strict=True):
        if function is not None and not callable(function):
            refuse(f"{what} must be callable")
    return Serializers(*given, bools_as_integers=bools_as_integers)

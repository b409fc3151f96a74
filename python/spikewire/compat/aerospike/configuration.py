"""The configuration of a client, converted to the engine's options."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import re
from typing import Any

from spikewire.compat.aerospike.config_provider import config_file_of
from spikewire.compat.aerospike.differences import CONFIG_NO_EFFECT
from spikewire.compat.aerospike.failures import reject, without_effect
from spikewire.compat.aerospike.policies import Policies
from spikewire.compat.aerospike.security import login_of, security_of
from spikewire.compat.aerospike.valid_keys import CONFIGURATION, check_names
from spikewire.compat.aerospike.values import Serializers

__all__ = ["Configuration"]

_AS_INTEGER = 0
#: The key of the shared memory if the configuration has none.
_SHM_KEY = 0xA9000000
_LONGEST_PATH = 255
#: The engine's limit for the name of a program.
_LONGEST_NAME = 40
#: The engine's limit for the size of a request.
_LARGEST = 128 << 20
_BOOLS = ("rack_aware", "use_services_alternate", "force_single_node", "fail_if_not_connected")


class Configuration:
    """A parsed configuration."""

    def __init__(self, config: Any) -> None:
        if not isinstance(config, dict):
            reject("Config must be a dict")
        settings: dict[str, Any] = config
        strict = settings.get("validate_keys", False)
        if not isinstance(strict, bool):
            reject('config["validate_keys"] must be a boolean')
        self.strict = strict
        if strict:
            for part, known in CONFIGURATION.items():
                own = settings.get(part) if part else settings
                if isinstance(own, dict):
                    check_names(own, known, "client config")
        self.config_file = config_file_of(settings.get("config_provider"))
        if self.config_file is not None:
            settings = {**settings, **self.config_file.settings.config}
        _check_values(settings)
        for name, value in settings.items():
            if name in CONFIG_NO_EFFECT and value not in (None, False, {}):
                without_effect(f"the setting {name!r}")
        policies = settings.get("policies")
        policies = policies if isinstance(policies, dict) else {}
        threshold = settings.get("compression_threshold")
        own = policies.get("write", {})
        if isinstance(threshold, int) and threshold and isinstance(own, dict):
            policies = {**policies, "write": {"compression_threshold": threshold, **own}}
        self.policies = Policies(policies, strict=strict)
        self.strict_types = bool(settings.get("strict_types", True))
        integers = settings.get("send_bool_as") == _AS_INTEGER and "send_bool_as" in settings
        self.serializers = _serializers(settings.get("serialization"), bools_as_integers=integers)
        self.policies.serializers = self.serializers
        self.app_id = settings.get("app_id")
        self.tend_interval = _seconds(settings.get("tend_interval"))
        self.cluster_name = settings.get("cluster_name")
        self.shm_key = _shm_key(settings.get("shm"))
        security = security_of(settings)
        self.seeds = _seeds(settings.get("hosts"), named="tls" in security)
        self.options = self._options(settings) | security

    def log_in(self, user: str | None, password: str | None) -> None:
        """Uses this user for the next connection."""
        self.options = login_of(self.options, user, password)

    def _options(self, settings: dict[str, Any]) -> dict[str, Any]:
        read = self.policies.of["read"]
        options: dict[str, Any] = {
            "timeout": 1,
            "socket_timeout": read["socket_timeout"] / 1000,
            "max_retries": read["max_retries"],
            "sleep_between_retries": read["sleep_between_retries"] / 1000,
            "submit_limit": 2048,
            "retry_budget": None,  # As many as the policies say.
            "protect_servers": False,  # The original sends everything.
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
            ("min_conns_per_node", "warm_connections", None),
            ("force_single_node", "seed_only", None),
            ("fail_if_not_connected", "fail_if_not_connected", None),
        ):
            value = settings.get(name)
            if value is None:
                continue
            if unit is not None:
                if not isinstance(value, int):
                    reject(f"{name} must be an integer")
                value = max(value / unit, 0.25) if unit != 1 else value
                if not value:
                    continue
            options[option] = value
        if "connections_per_node" in options:  # More threads share.
            options["connections_per_node"] = min(int(options["connections_per_node"]), 64)
        # More would be closed as soon as calls share fewer.
        if "warm_connections" in options:
            options["warm_connections"] = min(int(options["warm_connections"]), 16)
        if name := _application(self.app_id):
            options["application_id"] = name
        if threshold := self.policies.of["write"]["compression_threshold"]:
            options["compression_threshold"] = min(threshold, _LARGEST)
        racks = settings.get("rack_ids") or (
            [settings["rack_id"]] if "rack_id" in settings else None
        )
        if racks:
            options["racks"] = list(racks)
        return options


def _check_values(settings: dict[str, Any]) -> None:
    for name in _BOOLS:
        if name in settings and not isinstance(settings[name], bool):
            reject(f"config[{name!r}] must be a boolean")
    lua = settings.get("lua")
    if isinstance(lua, dict):
        for name in ("system_path", "user_path"):
            if isinstance(lua.get(name), str) and len(lua[name]) > _LONGEST_PATH:
                reject(f"Lua {name.partition('_')[0]} path too long")
    rack = settings.get("rack_id")
    if rack is not None and not _fits(rack):
        reject("rack_id must be an integer that fits 32 bits")
    racks = settings.get("rack_ids")
    if racks is not None and (not isinstance(racks, list) or not all(map(_fits, racks))):
        reject("rack_ids must be a list of integers that fit 32 bits")
    threshold = settings.get("compression_threshold")
    if isinstance(threshold, int) and threshold < 0:
        reject("Compression value must not be negative")
    app = settings.get("app_id")
    if app is not None and not isinstance(app, str):
        message = f"app_id must be str, not {type(app).__name__}"
        raise TypeError(message)


def _application(name: str | None) -> str:
    """The name as nodes take it: what they cannot show becomes an underscore."""
    return re.sub(r"[^!-+\--~]", "_", name or "")[:_LONGEST_NAME]


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
        reject("Hosts must be a list")
    seeds: list[str] = []
    for host in hosts:
        if isinstance(host, str):
            seeds.append(f"{host}:3000")
        elif isinstance(host, (tuple, list)) and host:
            address, port = host[0], host[1] if len(host) > 1 else 3000
            if not isinstance(address, str):
                reject("Invalid host")
            if not isinstance(port, int):
                reject("Invalid host -> The host port must be an integer")
            name = host[2] if named and len(host) > 2 else None
            place = f"[{address}]" if ":" in address else address
            seeds.append(f"{place}:{name}:{port}" if name else f"{place}:{port}")
        else:
            reject("Invalid host")
    if not seeds:
        reject("Hosts must not be empty")
    return seeds


def _serializers(functions: Any, *, bools_as_integers: bool) -> Serializers | None:
    if functions is None:
        return Serializers(bools_as_integers=True) if bools_as_integers else None
    if not isinstance(functions, tuple) or len(functions) != 2:
        reject("serialization must be a tuple of two functions")
    for what, function in zip(("Serializer", "Deserializer"), functions, strict=True):
        if function is not None and not callable(function):
            reject(f"{what} must be callable")
    return Serializers(*functions, bools_as_integers=bools_as_integers)

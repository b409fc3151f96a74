"""The configuration of a client, as options of the engine's."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.differences import CONFIG_NO_EFFECT
from spikewire.compat.aerospike.failures import missing, refuse, without_effect
from spikewire.compat.aerospike.policies import Policies
from spikewire.compat.aerospike.values import Serializers

__all__ = ["Configuration"]

_KNOWN = {
    "hosts", "policies", "rack_id", "rack_ids", "tend_interval", "cluster_name", "max_socket_idle",
    "max_conns_per_node", "max_error_rate", "error_rate_window", "use_services_alternate",
    "ip_map", "serialization", "validate_keys", "user", "password", "auth_mode", "tls",
    "force_single_node", "config_provider",
}  # fmt: skip


class Configuration:
    """What a dictionary says."""

    def __init__(self, config: Any) -> None:
        if not isinstance(config, dict):
            refuse("Config must be a dict")
        given: dict[str, Any] = config
        self.strict = bool(given.get("validate_keys", False))
        for name, value in given.items():
            if name in CONFIG_NO_EFFECT:
                if value not in (None, False, {}) and name not in ("lua", "strict_types"):
                    without_effect(f"the setting {name!r}")
            elif name not in _KNOWN and self.strict:
                refuse(f'"{name}" is an invalid client config dictionary key')
        _refuse_absent(given)
        self.seeds = _seeds(given.get("hosts"))
        policies = given.get("policies")
        if policies is not None and not isinstance(policies, dict):
            refuse("policies must be a dict")
        self.policies = Policies(policies or {}, strict=self.strict)
        self.serializers = _serializers(given.get("serialization"))
        self.options = self._options(given)

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        read = self.policies.of["read"]
        made: dict[str, Any] = {
            "timeout": 1,
            "socket_timeout": read["socket_timeout"] / 1000,
            "max_retries": read["max_retries"],
            "sleep_between_retries": read["sleep_between_retries"] / 1000,
            "submit_limit": 2048,
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
        if "connections_per_node" in made:  # the engine shares each of them among many commands
            made["connections_per_node"] = min(int(made["connections_per_node"]), 16)
        racks = given.get("rack_ids") or ([given["rack_id"]] if "rack_id" in given else None)
        if racks:
            made["racks"] = list(racks)
        return made


def _refuse_absent(given: dict[str, Any]) -> None:
    if given.get("user") is not None and given.get("password") is not None:
        missing("config.user")
    tls = given.get("tls")
    if isinstance(tls, dict) and tls.get("enable"):
        missing("config.tls")
    if given.get("config_provider") is not None:
        missing("config.config_provider")
    if given.get("force_single_node"):
        missing("config.force_single_node")


def _seeds(hosts: Any) -> list[str]:
    if not isinstance(hosts, list):
        refuse("Hosts must be a list")
    made: list[str] = []
    for host in hosts:
        if isinstance(host, str):
            made.append(f"{host}:3000")
        elif isinstance(host, (tuple, list)) and host:
            address, port = host[0], host[1] if len(host) > 1 else 3000
            if not isinstance(address, str) or not isinstance(port, int):
                refuse("Invalid host")
            made.append(f"[{address}]:{port}" if ":" in address else f"{address}:{port}")
        else:
            refuse("Invalid host")
    if not made:
        refuse("Hosts must not be empty")
    return made


def _serializers(given: Any) -> Serializers | None:
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2:
        refuse("serialization must be a tuple of two functions")
    return Serializers(*given)

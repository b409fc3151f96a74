"""The contents of a ``ConfigProvider`` file: settings that override those of the program."""

# Files contain values of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.aerospike.profiles.sources import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.aerospike.profiles.sources import Document

__all__ = ["FileSettings", "read_settings"]

_VERSIONS = ("1.0.0", "1.1.0")
_UINT32, _UINT8 = 1 << 32, 1 << 8

_REPLICAS = {"MASTER": 0, "MASTER_PROLES": 1, "SEQUENCE": 2, "PREFER_RACK": 3, "RANDOM": 4}
_AP = {"ONE": 0, "ALL": 1}
_SC = {"SESSION": 0, "LINEARIZE": 1, "ALLOW_REPLICA": 2, "ALLOW_UNAVAILABLE": 3}
_DURATIONS = {"LONG": 0, "SHORT": 1, "LONG_RELAX_AP": 2}
_WORDS = {
    "replica": _REPLICAS,
    "read_mode_ap": _AP,
    "read_mode_sc": _SC,
    "expected_duration": _DURATIONS,
}

_BASE = frozenset(
    {"connect_timeout", "socket_timeout", "total_timeout", "timeout_delay", "max_retries",
     "sleep_between_retries", "error_detail_verbosity", "replica"}
)  # fmt: skip
_MODES = frozenset({"read_mode_ap", "read_mode_sc"})
_ROWS = frozenset({"durable_delete", "send_key"})
_INLINE = frozenset({"allow_inline", "allow_inline_ssd", "respond_all_keys"})

#: The entries of sections, and the policies to which they apply.
_POLICIES: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "read": (_BASE | _MODES, ("read",)),
    "write": (_BASE | _ROWS, ("write", "operate", "apply", "remove")),
    "query": (_BASE | {"expected_duration"}, ("query",)),
    "scan": (_BASE, ("scan",)),
    "batch_read": (_BASE | _MODES | _INLINE, ("batch",)),
    "batch_write": (_ROWS, ("batch_write",)),
    "batch_udf": (_ROWS, ("batch_apply",)),
    "batch_delete": (_ROWS, ("batch_remove",)),
}
_BOOLS = _ROWS | _INLINE | {"enable", "fail_if_not_connected", "use_service_alternative",
                            "rack_aware"}  # fmt: skip
#: Names in files, and the official client's names in dictionaries.
_NAMES = {
    "send_key": "key",
    "max_connections_per_node": "max_conns_per_node",
    "min_connections_per_node": "min_conns_per_node",
    "use_service_alternative": "use_services_alternate",
}
_STATIC = frozenset(
    {"config_interval", "max_connections_per_node", "min_connections_per_node"}
)  # fmt: skip
_CLIENT = frozenset(
    {"app_id", "max_error_rate", "error_rate_window", "max_socket_idle", "tend_interval",
     "fail_if_not_connected", "use_service_alternative", "rack_aware", "rack_ids"}
)  # fmt: skip
_METRICS = frozenset({"enable", "latency_columns", "latency_shift", "labels"})


class FileSettings(NamedTuple):
    """The contents of a file."""

    policies: dict[str, dict[str, Any]]
    """By kind of policy."""
    config: dict[str, Any]
    """Entries of the configuration."""
    metrics: dict[str, Any]
    interval: int | None
    """Milliseconds between two looks at the file."""
    unused: list[str]
    """Places of entries that are ignored."""


def read_settings(path: str) -> FileSettings:
    """Reads the file at a path. Raises ``OSError``, and ``ProfileError`` with the position of a
    mistake."""
    document = read(Path(path).read_text(encoding="utf-8"), "yaml", path)
    unused: list[str] = []
    version = document.content.get("version")
    if version not in _VERSIONS:
        raise document.error(("version",), f"it must be one of {', '.join(_VERSIONS)}")
    settings = FileSettings({}, {}, {}, None, unused)
    for (part, section, name), value in _entries(document):
        place = (part, section, name)
        known = _entries_of(part, section)
        if name not in known:
            unused.append(".".join(place))
            continue
        checked = _checked(document, place, value)
        if name == "send_key" and not checked:
            # A file can only switch it on; switched off, what the program says applies.
            continue
        own = _NAMES.get(name, name)
        if section == "metrics":
            settings.metrics[own] = checked
        elif section == "client":
            settings.config[own] = checked
        else:
            for kind in _POLICIES[section][1]:
                settings.policies.setdefault(kind, {})[own] = checked
            if section == "read" and name in _MODES:
                settings.policies.setdefault("operate", {})[own] = checked
    return settings._replace(interval=settings.config.pop("config_interval", None))


def _entries(document: Document) -> Iterator[tuple[tuple[str, str, str], Any]]:
    """Every entry: part, section, name and value."""
    for part, sections in document.content.items():
        if part == "version":
            continue
        if sections is not None and not isinstance(sections, dict):
            raise document.error((part,), "it must hold sections")
        for section, entries in (sections or {}).items():
            if entries is not None and not isinstance(entries, dict):
                raise document.error((part, section), "it must hold entries by name")
            for name, value in (entries or {}).items():
                yield (part, section, name), value


def _entries_of(part: str, section: str) -> frozenset[str]:
    if part == "static":
        return _STATIC if section == "client" else frozenset()
    if part != "dynamic":
        return frozenset()
    if section in ("client", "metrics"):
        return _CLIENT if section == "client" else _METRICS
    return _POLICIES[section][0] if section in _POLICIES else frozenset()


def _checked(document: Document, place: tuple[str, str, str], value: Any) -> Any:
    name = place[2]
    words = _WORDS.get(name)
    if words is not None:
        if value not in words:
            raise document.error(place, f"it must be one of {', '.join(words)}, not {value!r}")
        return words[value]
    if name in _BOOLS:
        fits, kind = isinstance(value, bool), "true or false"
    elif name == "labels":
        fits = isinstance(value, dict) and all(
            isinstance(each, str) for pair in value.items() for each in pair
        )
        kind = "texts by name"
    elif name == "rack_ids":
        fits = isinstance(value, list) and all(_is_number(each, 1 << 31) for each in value)
        kind = "a list of integers"
    elif name == "app_id":
        fits, kind = isinstance(value, str), "a text"
    else:
        most = _UINT8 if name.startswith(("latency", "error_detail")) else _UINT32
        fits, kind = _is_number(value, most), f"an integer from 0 to {most - 1}"
    if not fits:
        raise document.error(place, f"it must be {kind}, not {value!r}")
    return value


def _is_number(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < most

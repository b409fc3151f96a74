"""Parsing of URLs: ``scheme://user:password@host:port,host2/path?option=value&...``. With the
suffix ``s``, the scheme means encrypted connections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

__all__ = ["Parts", "Scheme", "parse_url"]


@dataclass(frozen=True)
class Scheme:
    """The URL scheme of a database."""

    name: str
    prefix: str
    """What the environment variables begin with."""
    path: str
    """What stands behind the hosts."""
    port: int
    options: Mapping[str, Any]
    """The options by name, with their types."""
    probe: Callable[..., object]
    """Checks seeds and options and opens nothing."""
    seed: str = "a host, host:port"
    """What hosts are, but for addresses of IPv6."""
    together: frozenset[str] = frozenset(
        {"user", "password", "auth", "tls", "tls_certificate", "tls_private_key", "tls_system_ca",
         "tls_verify_hostname", "tls_server_name", "tls_private_key_password", "tls_crls",
         "tls_crl_check", "secure_connect_bundle"}
    )  # fmt: skip
    """Options that make sense together alone."""
    instead: frozenset[str] = frozenset()
    """Options that take the place of seeds."""
    passed_over: AbstractSet[str] = frozenset()
    """Options of the other client: a process that has both has variables for both."""

    @property
    def seeds(self) -> str:
        """The default seed."""
        return f"127.0.0.1:{self.port}"

    @property
    def encrypted(self) -> str:
        """The scheme of URLs with encrypted connections."""
        return f"{self.name}s"

    def variable(self, option: str) -> str:
        """The environment variable of an option."""
        return f"{self.prefix}{option.upper()}"


@dataclass(frozen=True)
class Parts:
    """The parts of a URL, decoded."""

    seeds: str | None
    path: str | None
    login: dict[str, str]
    options: dict[str, str]
    is_encrypted: bool = False
    """Whether the scheme says so."""


def parse_url(url: str, scheme: Scheme, source: str) -> Parts:
    """Parses a URL. Messages contain nothing that could be a password."""
    if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"the URL must be str, not {type(url).__name__}"
        raise TypeError(message)
    if m := re.search(r"[\x00-\x20\x7f]", url):
        message = f"{source} contains {m[0]!r}, which must be written %{ord(m[0]):02X}"
        raise ValueError(message)
    name = url.partition("://")[0].lower()
    if name not in (scheme.name, scheme.encrypted) or "://" not in url:
        message = (
            f"{source} must begin with {scheme.name}://, or with {scheme.encrypted}:// for "
            "encrypted connections"
        )
        raise ValueError(message)
    if "#" in url:
        message = f"{source} has a fragment, '#...': a '#' inside a part is written %23"
        raise ValueError(message)
    rest, _, query = url[len(f"{name}://") :].partition("?")
    authority, slash, path = rest.partition("/")
    login, at, hosts = authority.rpartition("@")
    if not at and "@" in url:
        message = (
            f"{source} has an '@' after its hosts: in a user or password, '/' is written %2F, "
            "'?' %3F and '@' %40"
        )
        raise ValueError(message)
    seeds = _seeds(hosts, scheme, source)
    return Parts(
        seeds,
        _path(path, scheme, source) if slash else None,
        _login(login, source) if at else {},
        _options(query, source) if "?" in url else {},
        name == scheme.encrypted,
    )


def _seeds(hosts: str, scheme: Scheme, source: str) -> str | None:
    if not hosts:
        return None
    seeds = _decoded(hosts, source, "hosts")
    for number, host in enumerate(seeds.split(","), 1):
        if not _is_host(host, scheme):
            # What looks like a port may be a password.
            name = host.split(":")[0]
            message = (
                f"{source}, host {number} ({name!r}): it must be {scheme.seed} or "
                "[IPv6 address]:port, with a port from 1 to 65535"
            )
            raise ValueError(message)
    return seeds


def _is_host(host: str, scheme: Scheme) -> bool:
    # What the engine would take for a TLS name may be a password without its '@', so a port must
    # follow.
    last = host.rpartition("]")[2].rpartition(":")
    if last[1] and not last[2].isdecimal():
        return False
    try:
        scheme.probe(host)
    except (TypeError, ValueError):
        return False
    return True


def _login(login: str, source: str) -> dict[str, str]:
    user, colon, password = login.partition(":")
    if not user:
        message = f"{source} has an '@' without a user before it"
        raise ValueError(message)
    options = {"user": _decoded(user, source, "user")}
    if colon:
        options["password"] = _decoded(password, source, "password")
    return options


def _path(path: str, scheme: Scheme, source: str) -> str | None:
    if not path:
        return None
    if "/" in path:
        message = f"{source}, path: it must be one {scheme.path}, not {path!r}"
        raise ValueError(message)
    return _decoded(path, source, scheme.path)


def _options(query: str, source: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for number, item in enumerate(query.split("&"), 1):
        name, equals, text = item.partition("=")
        name = _decoded(name, source, f"option {number}")
        if not name or not equals:
            message = f"{source}, option {number}: it must be name=value"
            raise ValueError(message)
        if name in options:
            message = f"{source}, option {name}: it is given twice"
            raise ValueError(message)
        options[name] = _decoded(text, source, f"option {name}")
    return options


def _decoded(text: str, source: str, part: str) -> str:
    problem = f"{source}, {part}: a '%' must be followed by two hexadecimal digits, of UTF-8"
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise ValueError(problem)
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(problem) from None

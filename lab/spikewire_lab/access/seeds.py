"""Seeds in flags: hosts, ports, and the TLS names of their certificates."""

from __future__ import annotations

import re

DEFAULT_PORT = 3000
Seed = tuple[str, int]
NamedSeed = tuple[str, int, str]
"""Host, port, and TLS name, which may be empty."""
_FORM = re.compile(
    r"""(?:\[(?P<address>[^\]]+)\]|(?P<host>[^:\s\[\]]+))
        (?::(?P<name>[^:\s]*[^:\s\d][^:\s]*))?
        (?::(?P<port>\d+))?""",
    re.VERBOSE,
)
"""A non-numeric part after the host is a TLS name."""


def parse_seeds(text: str, usual: int = DEFAULT_PORT) -> tuple[Seed, ...]:
    """Parses `host`, `host:port` or `[v6 address]:port`, and comma-separated lists of them."""
    parsed = parse_named_seeds(text, usual)
    for _, _, name in parsed:
        if name:
            raise ValueError(f"hosts {text!r}: {name!r} is not a port, and TLS names are not taken")
    return tuple((host, port) for host, port, _ in parsed)


def parse_named_seeds(text: str, usual: int = DEFAULT_PORT) -> tuple[NamedSeed, ...]:
    """The same with an optional TLS name after the host: `host:name:port`."""
    return tuple(_parse_seed(item.strip(), text, usual) for item in text.split(","))


def _parse_seed(item: str, text: str, usual: int) -> NamedSeed:
    parts = _FORM.fullmatch(item)
    if parts is None:
        forms = "host:port, host:tls-name:port or [address]:port"
        raise ValueError(f"hosts {text!r}: write {item!r} as {forms}")
    port = int(parts["port"] or usual)
    if not 0 < port < 1 << 16:
        raise ValueError(f"hosts {text!r}: {port} is not a port")
    return parts["address"] or parts["host"], port, parts["name"] or ""


def seed_text(seed: Seed, name: str = "") -> str:
    """A seed in the form that clients parse, with its TLS name if it has one."""
    host, port = seed
    where = f"[{host}]" if ":" in host else host
    return f"{where}:{name}:{port}" if name else f"{where}:{port}"

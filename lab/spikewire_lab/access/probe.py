"""What TLS negotiates with a node: one connection of the lab's own before anything is measured."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import Access, Tls
    from .seeds import Seed

SECONDS = 5.0


def context(tls: Tls) -> ssl.SSLContext:
    """An SSL context, for clients that take Python's."""
    ssl_context = ssl.create_default_context(cafile=tls.ca or None)
    if tls.certificate:
        ssl_context.load_cert_chain(tls.certificate, tls.key or None)
    return ssl_context


def negotiated(seed: Seed, access: Access) -> str | None:
    """Protocol version and cipher suite in words; None if no TLS connection can be made."""
    if access.tls is None:
        return None
    name = access.name(0) or seed[0]
    try:
        with (
            socket.create_connection(seed, SECONDS) as plain,
            context(access.tls).wrap_socket(plain, server_hostname=name) as over,
        ):
            cipher = over.cipher()
            return f"{over.version()}, {'' if cipher is None else cipher[0]}".rstrip(", ")
    except OSError:
        return None


def described(seed: Seed, access: Access) -> str:
    """Login and encryption as reports show them; empty without either."""
    parts: list[str] = []
    if access.tls is not None:
        protocol = negotiated(seed, access)
        parts.append("over TLS" + (f" (the lab's own connection: {protocol})" if protocol else ""))
    if access.auth:
        parts.append(f"with a login ({access.auth})")
    return " and ".join(parts)

"""Converts the other driver's TLS settings to those of sessions here.

The engine implements TLS itself, without Python's ``ssl``. Settings that it does not support are
rejected, so that no connection is less secure than it looks.
"""

from __future__ import annotations

import ssl
import warnings
from typing import Any, cast

from spikewire.compat.cassandra.errors import CompatWarning

__all__ = ["tls_of"]

#: Entries of ``ssl_options`` from which the other driver creates a context.
_OF_CONTEXT = (
    "ssl_version",
    "cert_reqs",
    "check_hostname",
    "keyfile",
    "certfile",
    "ca_certs",
    "ciphers",
)
#: Entries for wrapping a socket, and their defaults.
_OF_SOCKET = {
    "server_hostname": None,
    "server_side": False,
    "do_handshake_on_connect": True,
    "suppress_ragged_eofs": True,
}
#: Protocol versions that leave the choice to both sides.
_ANY = (ssl.PROTOCOL_TLS, ssl.PROTOCOL_TLS_CLIENT)


def tls_of(context: Any, options: Any) -> dict[str, Any] | None:
    """The entries of ``tls`` for ``ssl_context`` and ``ssl_options``. ``None`` means no
    encryption."""
    if options is not None and not isinstance(options, dict):
        message = f"ssl_options must be a dict, not {type(options).__name__}"
        raise TypeError(message)
    named = cast("dict[str, Any]", options or {})
    settings = {name: value for name, value in named.items() if value is not None}
    if context is None and not settings:
        return None
    for name, value in settings.items():
        if name not in _OF_CONTEXT and name not in _OF_SOCKET:
            message = f"ssl_options: {name!r} is not supported"
            raise NotImplementedError(message)
        if name in _OF_SOCKET and name != "server_hostname" and value != _OF_SOCKET[name]:
            message = f"ssl_options: {name}={value!r} is not supported"
            raise NotImplementedError(message)
    tls = _of_options(settings) if context is None else _of_context(context)
    # Next to a context, the other driver ignores these two; they cannot be read from a context.
    certificate, key = settings.get("certfile"), settings.get("keyfile")
    if certificate is not None:
        # The key may be in the same file.
        tls |= {"certificate": certificate, "private_key": key or certificate}
    elif key is not None:
        message = "ssl_options: keyfile without certfile"
        raise ValueError(message)
    if "server_hostname" in settings:
        tls["server_name"] = settings["server_hostname"]
    return tls


def _of_options(options: dict[str, Any]) -> dict[str, Any]:
    if "ciphers" in options:
        message = "ssl_options: ciphers is not supported: only secure cipher suites are offered"
        raise NotImplementedError(message)
    version = options.get("ssl_version", ssl.PROTOCOL_TLS_CLIENT)
    if version == ssl.PROTOCOL_TLSv1_2:
        _also_newer("ssl_options: ssl_version")
    elif version not in _ANY:
        message = f"ssl_options: ssl_version={version!r} is not supported; use TLS 1.2 or 1.3"
        raise NotImplementedError(message)
    if options.get("cert_reqs", ssl.CERT_REQUIRED) == ssl.CERT_NONE:
        return {"verify": False}
    if "ca_certs" not in options:
        message = "ssl_options: ca_certs is missing: no certificate would be trusted"
        raise ValueError(message)
    checks = bool(options.get("check_hostname", False))
    return {"ca": options["ca_certs"], "verify_hostname": checks}


def _of_context(context: Any) -> dict[str, Any]:
    if not isinstance(context, ssl.SSLContext):
        message = f"ssl_context must be an ssl.SSLContext, not {type(context).__name__}"
        raise TypeError(message)
    if context.verify_flags & (ssl.VERIFY_CRL_CHECK_LEAF | ssl.VERIFY_CRL_CHECK_CHAIN):
        message = "ssl_context: revocation lists are not supported"
        raise NotImplementedError(message)
    if context.get_ciphers() != ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).get_ciphers():
        message = "ssl_context: its ciphers cannot be used: only secure cipher suites are offered"
        raise NotImplementedError(message)
    # None if there is none, whatever its type says.
    if getattr(context, "keylog_filename", None) is not None:
        message = "ssl_context: keylog_filename is not supported: no keys are written"
        raise NotImplementedError(message)
    oldest, newest = context.minimum_version, context.maximum_version
    versions = ssl.TLSVersion
    if oldest == versions.TLSv1_3:
        message = "ssl_context: minimum_version=TLSv1_3 is not supported; use TLS 1.2 or 1.3"
        raise NotImplementedError(message)
    if newest == versions.TLSv1_2 or context.options & ssl.OP_NO_TLSv1_3:
        _also_newer("ssl_context: maximum_version")
    elif newest not in (versions.MAXIMUM_SUPPORTED, versions.TLSv1_3):
        message = f"ssl_context: maximum_version={newest.name} is not supported; use TLS 1.2 or 1.3"
        raise NotImplementedError(message)
    if context.verify_mode == ssl.CERT_NONE:
        return {"verify": False}
    kinds = context.cert_store_stats()
    if kinds["x509"] != kinds["x509_ca"] or kinds["crl"]:
        message = (
            "ssl_context contains certificates that are not authorities, or a revocation list, "
            "which cannot be read from it: use ssl_options={'ca_certs': ...} instead"
        )
        raise NotImplementedError(message)
    authorities = context.get_ca_certs(binary_form=True)
    if not authorities:
        message = (
            "ssl_context: no authority can be read from it: load one with load_verify_locations, "
            "or use ssl_options={'ca_certs': ...} instead"
        )
        raise NotImplementedError(message)
    pem = "".join(ssl.DER_cert_to_PEM_cert(der) for der in authorities)
    return {"ca": pem.encode(), "verify_hostname": context.check_hostname}


def _also_newer(what: str) -> None:
    message = f"{what}: TLS 1.3 is also used if the server supports it"
    warnings.warn(message, CompatWarning, stacklevel=5)

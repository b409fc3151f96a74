"""Settings of a cluster as options of the engine's sessions."""

from __future__ import annotations

import os
import warnings
from typing import Any, cast

from spikewire.compat.cassandra.auth import PlainTextAuthProvider, ProviderLogins
from spikewire.compat.cassandra.differences import DIFFERENCES, TUNING, UNSUPPORTED
from spikewire.compat.cassandra.encryption import tls_of
from spikewire.compat.cassandra.errors import CompatWarning
from spikewire.compat.cassandra.policies import IdentityTranslator
from spikewire.compat.cassandra.profiles import NOT_SET

__all__ = [
    "application_of",
    "bundle_of",
    "check_unsupported",
    "compression_of",
    "encryption_of",
    "endpoint_text",
    "login_of",
    "protocol_version_of",
    "translation_of",
]


def check_unsupported(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in UNSUPPORTED:
            if value is not UNSUPPORTED[name] and value != UNSUPPORTED[name]:
                DIFFERENCES.missing(f"Cluster({name})")
        elif name not in TUNING:
            message = f"Cluster() got an unexpected keyword argument {name!r}"
            raise TypeError(message)
        elif value is not TUNING[name] and value != TUNING[name]:
            message = f"Cluster: {name} has no effect: the engine handles this itself"
            warnings.warn(message, CompatWarning, stacklevel=3)


def endpoint_text(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def encryption_of(context: Any, options: Any) -> dict[str, Any]:
    tls = tls_of(context, options)
    return {} if tls is None else {"tls": tls}


def login_of(provider: Any) -> dict[str, Any]:
    if provider is None:
        return {}
    if isinstance(provider, PlainTextAuthProvider) and type(provider) is PlainTextAuthProvider:
        return {"user": provider.username, "password": provider.password}
    if not hasattr(provider, "new_authenticator"):
        message = "auth_provider must implement the cassandra.auth.AuthProvider interface"
        raise TypeError(message)
    return {"authenticator": ProviderLogins(provider)}


def translation_of(translator: Any) -> dict[str, Any]:
    """The function of addresses for an ``AddressTranslator``, which knows no ports."""
    if translator is None or type(translator) is IdentityTranslator:
        return {}
    if not hasattr(translator, "translate"):
        message = "address_translator must have a method translate(addr)"
        raise TypeError(message)

    def translate(advertised: str) -> str:
        host, _, port = advertised.rpartition(":")
        return endpoint_text(translator.translate(host.strip("[]")), int(port))

    return {"address_translator": translate}


def compression_of(compression: bool | str | None) -> dict[str, Any]:
    if compression is True or not compression:
        # Left to the driver, or not wanted.
        return {}
    if compression == "lz4":
        return {"compression": "lz4"}
    message = f"compression: {compression!r} is not supported; use 'lz4'"
    raise NotImplementedError(message)


def protocol_version_of(version: Any) -> dict[str, Any]:
    if version is NOT_SET:
        return {}
    if version in (4, 5):
        return {"protocol_version": version}
    message = f"protocol_version: {version!r} is not supported; use 4 or 5"
    raise NotImplementedError(message)


def application_of(name: str | None, version: str | None, client: Any) -> dict[str, Any]:
    options = {"APPLICATION_NAME": name, "APPLICATION_VERSION": version}
    if client is not None:
        options["CLIENT_ID"] = str(client)
    options = {key: value for key, value in options.items() if value}
    return {"application": options} if options else {}


def bundle_of(cloud: Any, *, is_alone: bool) -> dict[str, Any]:
    """The options of a managed cluster. ``is_alone``: whether there are no contact points nor
    settings of encryption besides."""
    if cloud is None:
        return {}
    if not is_alone:
        message = (
            "contact_points, endpoint_factory, ssl_context, and ssl_options cannot be specified "
            "with a cloud configuration"
        )
        raise ValueError(message)
    if not isinstance(cloud, dict) or "secure_connect_bundle" not in cloud:
        message = "The cloud config doesn't have a secure_connect_bundle specified."
        raise ValueError(message)
    settings = cast("dict[str, Any]", cloud)
    known = ("secure_connect_bundle", "connect_timeout", "use_default_tempdir")
    for name in settings:
        if name not in known:
            message = f"cloud: {name!r} is not supported"
            raise NotImplementedError(message)
    return {"secure_connect_bundle": os.fspath(settings["secure_connect_bundle"])}

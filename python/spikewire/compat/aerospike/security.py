"""Authentication and TLS settings of a configuration, converted to the engine's options."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from spikewire import _native
from spikewire.compat.aerospike.constants import AUTH_EXTERNAL, AUTH_INTERNAL, AUTH_PKI
from spikewire.compat.aerospike.failures import CompatWarning, missing, of_code, without_effect

__all__ = ["login_of", "security_of"]

#: The engine's names for ``auth_mode``.
_AUTHS = ("internal", "external", "external-insecure", "pki")
#: Settings of ``tls`` that the engine does not have.
_ABSENT = ("cipher_suite", "cert_blacklist", "for_login_only")
#: Lists of protocols that are accepted, with a warning that TLS 1.3 is used as well.
_OLDER = ("TLSv1.2", "+TLSv1.2", "-all +TLSv1.2")
_TLS_ERROR, _CLIENT_ERROR = -9, -1


def security_of(settings: dict[str, Any]) -> dict[str, Any]:
    """The security options of a configuration."""
    tls = _tls(settings.get("tls"))
    options: dict[str, Any] = {} if tls is None else {"tls": tls or True}
    if tls is not None:
        try:
            _native.Client("127.0.0.1", **options)  # Only checks the options; nothing is sent.
        except (TypeError, ValueError) as error:
            raise of_code(_TLS_ERROR, str(error)) from None
    policies = settings.get("policies")
    mode = policies.get("auth_mode") if isinstance(policies, dict) else None
    if not isinstance(mode, int):
        mode = AUTH_INTERNAL
    if mode in (AUTH_EXTERNAL, AUTH_PKI) and tls is None:
        text = "TLS is required for external or PKI authentication"
        raise of_code(_CLIENT_ERROR, text)
    if mode != AUTH_INTERNAL:
        options["auth"] = _AUTHS[mode]
    return login_of(options, settings.get("user"), settings.get("password"))


def login_of(options: dict[str, Any], user: Any, password: Any) -> dict[str, Any]:
    """The options with this user. Unchanged if there is none, or if a certificate identifies the
    user."""
    named = isinstance(user, str) and isinstance(password, str) and bool(user)
    if options.get("auth") == "pki":
        return options
    if named:
        return {**options, "user": user, "password": password}
    return {name: value for name, value in options.items() if name != "auth"}


def _tls(settings: Any) -> dict[str, Any] | None:
    """The engine's ``tls``. ``None`` means that connections are not encrypted."""
    if not isinstance(settings, dict) or not settings.get("enable"):
        return None
    for name in _ABSENT:
        if settings.get(name):
            missing(f"config.tls.{name}")
    protocols = settings.get("protocols")
    if isinstance(protocols, str):
        if protocols.strip() not in _OLDER:
            missing("config.tls.protocols")
        text = "tls: TLS 1.3 is also used if the server supports it"
        warnings.warn(text, CompatWarning, stacklevel=6)
    if settings.get("log_session_info"):
        without_effect("the setting 'log_session_info'")
    options: dict[str, Any] = {}
    for name, entry in (("certfile", "certificate"), ("keyfile", "private_key")):
        if isinstance(settings.get(name), str):
            options[entry] = settings[name]
    if isinstance(password := settings.get("keyfile_pw"), str) and "private_key" in options:
        options["private_key_password"] = _password(password)
    file, folder = settings.get("cafile"), settings.get("capath")
    if isinstance(folder, str):
        options["ca"] = _authorities(folder) + (_read(Path(file)) if isinstance(file, str) else b"")
    elif isinstance(file, str):
        options["ca"] = file
    if settings.get("crl_check") or settings.get("crl_check_all"):
        options |= _revocation(file, folder, whole=bool(settings.get("crl_check_all")))
    return options


def _password(text: str) -> str:
    """The password of a key: ``env:NAME`` and ``file:PATH`` say where it is."""
    kind, colon, place = text.partition(":")
    if colon and kind == "env":
        if place not in os.environ:
            raise of_code(_TLS_ERROR, f"keyfile_pw: there is no environment variable {place}")
        return os.environ[place]
    if colon and kind == "file":
        try:
            return Path(place).read_text().rstrip("\r\n")
        except OSError as error:
            raise of_code(_TLS_ERROR, f"keyfile_pw: {error}") from None
    return text


def _revocation(file: Any, folder: Any, *, whole: bool) -> dict[str, Any]:
    """Lists of revoked certificates, which stand where the authorities do."""
    paths = [Path(file)] if isinstance(file, str) else []
    if isinstance(folder, str):
        paths += sorted(each for each in Path(folder).iterdir() if each.is_file())
    lists = [text for path in paths if b"-----BEGIN X509 CRL-----" in (text := _read(path))]
    if not lists:
        why = "crl_check: there is no list of revoked certificates in cafile and capath"
        raise of_code(_TLS_ERROR, why)
    return {"crls": lists, "crl_check": "chain" if whole else "leaf"}


def _authorities(folder: str) -> bytes:
    """The certificates in all files of a directory."""
    try:
        files = sorted(each for each in Path(folder).iterdir() if each.is_file())
    except OSError as error:
        raise of_code(_TLS_ERROR, f"Failed to load CAPath: {error}") from None
    read = [text for each in files if b"-----BEGIN CERTIFICATE-----" in (text := _read(each))]
    if not read:
        raise of_code(_TLS_ERROR, f"Failed to load CAPath: no certificates in {folder}")
    return b"\n".join([*read, b""])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise of_code(_TLS_ERROR, f"Failed to load CAFile: {error}") from None

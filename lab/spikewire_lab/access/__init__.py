"""User credentials and TLS settings, the same for every client and never shown.

A job carries them as plain data, which goes to a worker through its standard input. Reports, saved
files and logs contain only what `Access.as_json` returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERNAL, EXTERNAL, EXTERNAL_INSECURE, PKI = AUTHS = (
    *("internal", "external"),
    *("external-insecure", "pki"),
)


HIDDEN = "***"
"""Shown in place of a password."""


class Secret:
    """Text that is never shown or saved; `text()` returns it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def text(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Secret()"


NOTHING = Secret("")


@dataclass(frozen=True)
class Tls:
    """TLS settings: paths of PEM files, empty if unset."""

    ca: str = ""
    """File of the trusted authorities; empty: those of the system."""
    certificate: str = ""
    key: str = ""
    names: tuple[str, ...] = ()
    """The name in the certificate of each seed, in the order of the seeds; empty: the seed's
    host."""

    @staticmethod
    def of(fields: Mapping[str, Any]) -> Tls:
        """Read from a job."""
        return Tls(fields["ca"], fields["certificate"], fields["key"], tuple(fields["names"]))


@dataclass(frozen=True)
class Access:
    """Who logs in, and how connections are encrypted."""

    user: str = ""
    password: Secret = NOTHING
    auth: str = ""
    """One of `AUTHS`; empty without a login."""
    tls: Tls | None = None

    def __bool__(self) -> bool:
        return bool(self.auth) or self.tls is not None

    def name(self, number: int) -> str:
        """The name that a seed's certificate must have, if it is not the seed's own host."""
        names = () if self.tls is None else self.tls.names
        return names[number] if number < len(names) else ""

    def job(self) -> dict[str, Any]:
        """Plain data for a worker, password included; `of_job` reads it."""
        fields: dict[str, Any] = {
            "user": self.user,
            "password": self.password.text(),
            "auth": self.auth,
        }
        if self.tls is not None:
            fields["tls"] = {**vars(self.tls), "names": list(self.tls.names)}
        return fields

    @staticmethod
    def of_job(job: Mapping[str, Any]) -> Access:
        """The settings of a job; `OPEN` if it has none."""
        fields: Mapping[str, Any] | None = job.get("access")
        if fields is None:
            return OPEN
        tls: Mapping[str, Any] | None = fields.get("tls")
        return Access(
            fields["user"],
            Secret(fields["password"]),
            fields["auth"],
            None if tls is None else Tls.of(tls),
        )

    def as_json(self) -> dict[str, object] | None:
        """What a saved file may contain; None without a login or TLS."""
        if not self:
            return None
        tls = self.tls
        return {
            "auth": self.auth or None,
            "tls": None if tls is None else {"client_certificate": bool(tls.certificate)},
        }

    def options(self) -> dict[str, Any]:
        """The options of our own client in Python."""
        options: dict[str, Any] = {}
        if self.user:
            options |= {"user": self.user, "password": self.password.text()}
        if self.auth:
            options["auth"] = self.auth
        if self.tls is not None:
            named = {
                "ca": self.tls.ca,
                "certificate": self.tls.certificate,
                "private_key": self.tls.key,
            }
            options["tls"] = {name: path for name, path in named.items() if path} or True
        return options


def cql_options(access: Access) -> dict[str, Any]:
    """The options of our own Cassandra sessions, which have no choice of login methods."""
    options = access.options()
    options.pop("auth", None)
    if access.name(0):
        named: dict[str, Any] | bool = options["tls"]
        files = named if isinstance(named, dict) else {}
        options["tls"] = {**files, "server_name": access.name(0)}
    return options


OPEN = Access()
"""No login, no TLS."""

"""The flags of the lab for users and TLS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import HIDDEN, INTERNAL, OPEN, PKI, Access, Secret, Tls

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_OF_CLUSTERS = ("tls_ca", "tls_certificate", "tls_key", "tls_name")
"""Flags that an embedded cluster does not take, since it creates these itself."""


def add_flags(parser: argparse.ArgumentParser, *, cassandra: bool = False) -> None:
    """Adds the flags that every command has which opens clients."""
    # Not at the top: workers of other clients must not load ours.
    from spikewire.opening import flags

    flags.add_flags(parser, cassandra=cassandra)


def access_of(args: argparse.Namespace, names: Sequence[str]) -> Access:
    """The settings that valid flags ask for; `names` are the TLS names of the seeds, empty for
    seeds without one."""
    from spikewire.opening import flags

    options: dict[str, Any] = flags.client_options(args)
    user: str = options.get("user", "")
    auth: str = options.get("auth", INTERNAL if user else "")
    tls: dict[str, str] | bool | None = options.get("tls")
    if not auth and tls is None:
        return OPEN
    encryption = None
    if tls is not None:
        named: dict[str, str] = tls if isinstance(tls, dict) else {}
        usual = named.get("server_name", "")
        encryption = Tls(
            named.get("ca", ""),
            named.get("certificate", ""),
            named.get("private_key", ""),
            tuple(name or usual for name in names),
        )
    return Access(user, Secret(options.get("password", "")), auth, encryption)


def problem(args: argparse.Namespace, names: Sequence[str]) -> str | None:
    """Why these flags cannot be combined, or None; without seeds the server is the lab's own."""
    from spikewire.opening import flags

    reason = flags.problem(args)
    if reason is not None:
        return reason
    access = access_of(args, names)
    named = next(filter(None, names), None)
    if named is not None and access.tls is None:
        return f"-H has the TLS name {named}: it needs --tls"
    if names:
        return None
    for name in _OF_CLUSTERS:
        if getattr(args, name) is not None:
            flag = f"--{name.replace('_', '-')}"
            return f"{flag} is for a cluster given by -H: the lab's own has its own certificates"
    if access.auth == PKI:
        return f"--auth {PKI} is for a cluster given by -H: the embedded one has passwords"
    return None


def without_secrets(command_line: Sequence[str]) -> list[str]:
    """A command line as reports show it, without passwords."""
    return list(_hidden(command_line))


def _hidden(command_line: Sequence[str]) -> Iterator[str]:
    behind = False
    for word in command_line:
        # Without a value the password is prompted for, and another flag may follow.
        if behind and not word.startswith("--"):
            yield HIDDEN
        elif word.startswith("--password="):
            yield f"--password={HIDDEN}"
        else:
            yield word
        behind = word == "--password"

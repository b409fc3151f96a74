"""Command line flags for users and TLS."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

__all__ = [
    "AUTHS",
    "PASSWORD",
    "PASSWORD_CQL",
    "add_flags",
    "client_options",
    "problem",
    "reject",
]

#: The authentication modes.
AUTHS = ("internal", "external", "external-insecure", "pki")
#: The environment variable for the password, as read by ``from_url``.
PASSWORD = "SPIKEWIRE_AEROSPIKE_PASSWORD"  # noqa: S105
#: The same for Cassandra.
PASSWORD_CQL = "SPIKEWIRE_CQL_PASSWORD"  # noqa: S105
_FILES = {"tls_ca": "--tls-ca", "tls_certificate": "--tls-certificate", "tls_key": "--tls-key"}


class _Password(argparse.Action):
    """The action for a password, which prompts if the flag has no value."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if values is None:
            if not sys.stdin.isatty():
                reject(parser, f"{option_string} without a text asks for it: that takes a terminal")
            values = getpass.getpass("Password: ")
        setattr(namespace, self.dest, values)


def reject(parser: argparse.ArgumentParser, reason: str) -> NoReturn:
    """Ends the program as for a wrong flag, without the usage, which would hide the reason."""
    parser.exit(2, f"{parser.prog}: error: {reason}\n")


def add_flags(
    parser: argparse.ArgumentParser, *, cassandra: bool = False, any_name: bool = False
) -> None:
    """Adds the flags as a group. Cassandra has no ``--auth``; ``any_name`` adds
    ``--no-tls-verify-hostname``, which not every client has.
    """
    variable = PASSWORD_CQL if cassandra else PASSWORD
    parser.set_defaults(password_variable=variable)
    group = parser.add_argument_group("users and TLS")
    group.add_argument("--user", metavar="NAME", help="log in as this user")
    group.add_argument(
        "--password",
        nargs="?",
        action=_Password,
        metavar="TEXT",
        help="password of the user; without a value it is prompted for, and without the flag it is"
        f" taken from the variable {variable}: other users of the machine can see values of flags",
    )
    if not cassandra:
        group.add_argument(
            "--auth",
            choices=AUTHS,
            help="how the nodes authenticate the user; external sends the password over TLS, "
            "external-insecure also without TLS, pki sends none but needs --tls-certificate; "
            "default: internal",
        )
    group.add_argument(
        "--tls",
        action="store_true",
        help="encrypt all connections, and verify the nodes' certificates; implied by flags that "
        "begin with --tls-",
    )
    group.add_argument(
        "--tls-ca",
        metavar="PATH",
        help="PEM file of the authorities to trust; default: the system's",
    )
    group.add_argument(
        "--tls-certificate", metavar="PATH", help="PEM file of the client's certificate"
    )
    group.add_argument("--tls-key", metavar="PATH", help="PEM file of its private key")
    group.add_argument(
        "--tls-name",
        metavar="NAME",
        help="the name in the nodes' certificates; default: the TLS name of a seed, or its host "
        "name or address",
    )
    if any_name:
        group.add_argument(
            "--no-tls-verify-hostname",
            action="store_false",
            dest="tls_verify_hostname",
            help="accept certificates for other names, too: anyone with a certificate from a "
            "trusted authority can then impersonate a node",
        )


def client_options(
    args: argparse.Namespace, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The client options for the flags; ``tls`` is True or a dict."""
    environment = os.environ if environment is None else environment
    options: dict[str, Any] = {}
    password: str | None = args.password
    if args.user is not None:
        options["user"] = args.user
        if password is None:
            password = environment.get(args.password_variable, "")
        options["password"] = password
    auth: str | None = getattr(args, "auth", None)
    if auth is not None:
        options["auth"] = auth
    named = {"ca": args.tls_ca, "certificate": args.tls_certificate, "private_key": args.tls_key}
    named["server_name"] = args.tls_name
    tls = {name: value for name, value in named.items() if value is not None}
    if not getattr(args, "tls_verify_hostname", True):
        tls["verify_hostname"] = False
    if args.tls or tls:
        options["tls"] = tls or True
    return options


def problem(args: argparse.Namespace, environment: Mapping[str, str] | None = None) -> str | None:
    """Why the flags are invalid, or None. Checks that files exist but does not read them."""
    options = client_options(args, environment)
    auth = options.get("auth")
    for name, flag in _FILES.items():
        path: str | None = getattr(args, name)
        if path is not None and not Path(path).is_file():
            return f"{flag} {path}: no such file"
    for one, other in (("certificate", "key"), ("key", "certificate")):
        if getattr(args, f"tls_{one}") is not None and getattr(args, f"tls_{other}") is None:
            return f"--tls-{one} needs --tls-{other}"
    if args.user is None and args.password is not None:
        return "--password needs --user"
    if auth == "pki":
        if args.user is not None:
            return "--auth pki takes no --user: the certificate says who it is"
        return None if args.tls_certificate is not None else "--auth pki needs --tls-certificate"
    if args.user is None:
        return None if auth is None else f"--auth {auth} needs --user"
    if not options["password"]:
        variable: str = args.password_variable
        return f"--user {args.user} needs --password, or the variable {variable}"
    if auth == "external" and "tls" not in options:
        return "--auth external sends the password as it is: it needs --tls"
    return None

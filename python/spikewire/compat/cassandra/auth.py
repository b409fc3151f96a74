"""Authentication."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spikewire.compat.cassandra.missing_errors import resolve_name

__all__ = [
    "AuthProvider",
    "Authenticator",
    "PlainTextAuthProvider",
    "PlainTextAuthenticator",
    "SaslAuthProvider",
    "SaslAuthenticator",
]

_DSE = "com.datastax.bdp.cassandra.auth.DseAuthenticator"


class Authenticator:
    """The base class of authenticators, one for each connection."""

    #: The class of the server's authenticator.
    server_authenticator_class: str | None = None

    def initial_response(self) -> bytes | None:
        """The first message to the server; ``None`` for an empty one."""
        return None

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """The answer to a challenge of the server; ``None`` for an empty one."""
        raise NotImplementedError

    def on_authentication_success(self, token: bytes | None) -> None:
        """The server's last message."""


class PlainTextAuthenticator(Authenticator):
    """Answers with a user name and a password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def initial_response(self) -> bytes | None:
        """The first message to the server."""
        if self.server_authenticator_class == _DSE:
            return b"PLAIN"
        return self.evaluate_challenge(b"PLAIN-START")

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """The answer to a challenge of the server."""
        if challenge != b"PLAIN-START":
            message = "Did not receive a valid challenge response from server"
            raise ValueError(message)
        return f"\0{self.username}\0{self.password}".encode()


class AuthProvider:
    """The base class of authentication providers."""

    def new_authenticator(self, host: str) -> Authenticator:
        """An authenticator for a connection to the node with this address."""
        raise NotImplementedError


class PlainTextAuthProvider(AuthProvider):
    """Authenticates with a user name and a password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def new_authenticator(self, host: str) -> Authenticator:  # noqa: ARG002
        """An authenticator for a connection."""
        return PlainTextAuthenticator(self.username, self.password)


class SaslAuthProvider(AuthProvider):
    """Authenticates by a mechanism of SASL, such as ``GSSAPI`` (Kerberos); needs the package
    ``pure-sasl``. Takes the arguments of its ``SASLClient`` but ``host``."""

    def __init__(self, **sasl_kwargs: Any) -> None:
        _sasl_client()
        if "host" in sasl_kwargs:
            message = "kwargs should not contain 'host' since it is passed dynamically"
            raise ValueError(message)
        self.sasl_kwargs = sasl_kwargs

    def new_authenticator(self, host: str) -> Authenticator:
        """An authenticator for a connection to this node."""
        return SaslAuthenticator(host, **self.sasl_kwargs)


class SaslAuthenticator(Authenticator):
    """Answers as a ``SASLClient`` of ``pure-sasl`` does."""

    def __init__(
        self, host: str, service: str, mechanism: str = "GSSAPI", **sasl_kwargs: Any
    ) -> None:
        self.sasl = _sasl_client()(host, service, mechanism, **sasl_kwargs)

    def initial_response(self) -> bytes | None:
        """The first message to the server."""
        response: bytes | None = self.sasl.process()
        return response

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """The answer to a challenge of the server."""
        response: bytes | None = self.sasl.process(challenge)
        return response


def _sasl_client() -> Any:
    try:
        return import_module("puresasl.client").SASLClient
    except ImportError as error:
        message = "The puresasl library has not been installed"
        raise ImportError(message) from error


class ProviderLogins:
    """A provider of the program as an authenticator of sessions."""

    def __init__(self, provider: AuthProvider) -> None:
        self._provider = provider

    def begin_at(self, class_name: str, node: str) -> _Login:
        """Starts a login."""
        host = node.rpartition(":")[0].strip("[]")
        authenticator = self._provider.new_authenticator(host)
        authenticator.server_authenticator_class = class_name
        return _Login(authenticator)


class _Login:
    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    def answer(self, challenge: bytes | None) -> bytes:
        if challenge is None:
            response = self._authenticator.initial_response()
        else:
            response = self._authenticator.evaluate_challenge(challenge)
        return b"" if response is None else _as_bytes(response)

    def succeeded(self, token: bytes | None) -> None:
        self._authenticator.on_authentication_success(token)


def _as_bytes(response: Any) -> bytes:
    return response.encode() if isinstance(response, str) else bytes(response)


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)

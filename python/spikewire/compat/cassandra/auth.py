"""Authentication."""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.missing_errors import resolve_name

__all__ = ["AuthProvider", "Authenticator", "PlainTextAuthProvider", "PlainTextAuthenticator"]


class Authenticator:
    """The base class of authenticators, one for each connection."""

    server_authenticator_class: str | None = None

    def initial_response(self) -> bytes | None:
        """The first message to the server."""
        return None

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:  # noqa: ARG002
        """The answer to a challenge of the server."""
        return None

    def on_authentication_success(self, token: bytes) -> None:
        """The server's last message."""


class PlainTextAuthenticator(Authenticator):
    """Answers with a user name and a password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """The answer to a challenge of the server."""
        if challenge != b"PLAIN-START":
            message = "Did not receive a valid challenge response from server"
            raise ValueError(message)
        return f"\0{self.username}\0{self.password}".encode()


class AuthProvider:
    """The base class of authentication providers. Only ``PlainTextAuthProvider`` is supported."""


class PlainTextAuthProvider(AuthProvider):
    """Authenticates with a user name and a password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

    def new_authenticator(self, host: Any) -> PlainTextAuthenticator:  # noqa: ARG002
        """An authenticator for a connection."""
        return PlainTextAuthenticator(self.username, self.password)


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)

"""Authentication."""

from __future__ import annotations

__all__ = ["AuthProvider", "PlainTextAuthProvider"]


class AuthProvider:
    """The base class of authentication providers. Only ``PlainTextAuthProvider`` is supported."""


class PlainTextAuthProvider(AuthProvider):
    """Authenticates with a user name and a password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

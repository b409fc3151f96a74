"""Authentication."""

from __future__ import annotations

__all__ = ["AuthProvider", "PlainTextAuthProvider"]


class AuthProvider:
    """The base of what logs in. Only ``PlainTextAuthProvider`` is taken."""


class PlainTextAuthProvider(AuthProvider):
    """Logs in with a user's name and password."""

    def __init__(self, username: str, password: str) -> None:
        self.username = username
        self.password = password

"""The client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.admin import Admin
from spikewire.compat.aerospike.failures import missing

__all__ = ["Client", "client"]


class Client(Admin):
    """A client, by the names of the official one. It connects when it is made."""

    def connect(self, username: str | None = None, password: str | None = None) -> Client:
        """This client, connected."""
        if username is not None or password is not None:
            missing("config.user")
        if not self._client.is_connected:
            self._connect()
        return self

    def get_policies(self) -> dict[str, dict[str, Any]]:
        """The client's policies."""
        return {name: dict(own) for name, own in self._policies.of.items()}

    def shm_key(self) -> int | None:
        """``None``: there is no shared memory."""
        return None


def client(config: Any) -> Client:
    """A client of a configuration."""
    return Client(config)

"""The client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.failures import missing, refuse
from spikewire.compat.aerospike.log import trace
from spikewire.compat.aerospike.users import Users
from spikewire.compat.aerospike.wording import worded_class

__all__ = ["Client", "client"]


class Client(Users):
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
        """The key of the configuration's ``shm``; there is no shared memory."""
        return self._configuration.shm_key


worded_class(Client)


def client(*given: Any, **named: Any) -> Client:
    """A client of a configuration, ``config``."""
    try:
        config = _config(*given, **named)
    except TypeError:
        refuse("No config argument")  # with the TypeError as its context
    trace("client", "a client is made")
    return Client(config)


def _config(config: Any) -> Any:
    return config

"""The client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.failures import refuse
from spikewire.compat.aerospike.log import trace
from spikewire.compat.aerospike.users import Users
from spikewire.compat.aerospike.wording import worded_class

if TYPE_CHECKING:
    from spikewire.compat.aerospike.config_file import Said

__all__ = ["Client", "client"]


class Client(Users):
    """A client with the API of the official one. It connects when it is created."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._said_of_metrics: dict[str, Any] = {}
        self._watch()

    def _watch(self) -> None:
        provided = self._configuration.provided
        if provided is not None:
            provided.watch(self)

    def _follow(self, said: Said) -> None:
        """Applies the settings in the file of a ``ConfigProvider``."""
        self._policies.follow(said.policies)
        self._keeps_key = self._policies.sends_key("read", None)
        self._read, self._write = self._policies.plain["read"], self._policies.plain["write"]
        if said.metrics != self._said_of_metrics:
            self._said_of_metrics = said.metrics
            self._measure_as(said.metrics)

    def connect(self, username: str | None = None, password: str | None = None) -> Client:
        """Connects and returns this client. If it is connected already, the user is used the next
        time."""
        if username is not None and password is not None:
            self._configuration.log_in(username, password)
        if not self._client._holds_connections:
            self._connect()
            self._said_of_metrics = {}
            self._watch()
        return self

    def close(self) -> None:
        """Closes all connections; later calls raise ``ClusterError``."""
        if self._configuration.provided is not None:
            self._configuration.provided.end()
        super().close()

    def get_policies(self) -> dict[str, dict[str, Any]]:
        """The client's policies."""
        return {name: dict(own) for name, own in self._policies.of.items()}

    def shm_key(self) -> int | None:
        """The key in the configuration's ``shm``. There is no shared memory."""
        return self._configuration.shm_key


worded_class(Client)


def client(*given: Any, **named: Any) -> Client:
    """Creates a client from a configuration."""
    try:
        config = _config(*given, **named)
    except TypeError:
        refuse("No config argument")  # With the TypeError as its context.
    trace("client", "a client is made")
    return Client(config)


def _config(config: Any) -> Any:
    return config

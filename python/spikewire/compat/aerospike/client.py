"""The client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.c_errors import with_c_errors_on_methods
from spikewire.compat.aerospike.failures import reject
from spikewire.compat.aerospike.log import trace
from spikewire.compat.aerospike.users import Users

if TYPE_CHECKING:
    from spikewire.compat.aerospike.config_file import FileSettings

__all__ = ["Client", "client"]


class Client(Users):
    """A client with the API of the official one. It connects when it is created."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._file_metrics: dict[str, Any] = {}
        self._watch()

    def _watch(self) -> None:
        file = self._configuration.config_file
        if file is not None:
            file.watch(self)

    def _follow(self, settings: FileSettings) -> None:
        """Applies the settings in the file of a ``ConfigProvider``."""
        self._policies.follow(settings.policies)
        self._keeps_key = self._policies.sends_key("read", None)
        self._read, self._write = self._policies.plain["read"], self._policies.plain["write"]
        if settings.metrics != self._file_metrics:
            self._file_metrics = settings.metrics
            self._apply_metrics_settings(settings.metrics)

    def connect(self, username: str | None = None, password: str | None = None) -> Client:
        """Connects and returns this client. If it is connected already, the user is used the next
        time."""
        if username is not None and password is not None:
            self._configuration.log_in(username, password)
        if not self._client._holds_connections:
            self._connect()
            self._file_metrics = {}
            self._watch()
        return self

    def close(self) -> None:
        """Closes all connections; later calls raise ``ClusterError``."""
        if self._configuration.config_file is not None:
            self._configuration.config_file.end()
        super().close()

    def get_policies(self) -> dict[str, dict[str, Any]]:
        """The client's policies."""
        return {name: dict(own) for name, own in self._policies.of.items()}

    def shm_key(self) -> int | None:
        """The key in the configuration's ``shm``. There is no shared memory."""
        return self._configuration.shm_key


with_c_errors_on_methods(Client)


def client(*args: Any, **named: Any) -> Client:
    """Creates a client from a configuration."""
    try:
        config = _config(*args, **named)
    except TypeError:
        reject("No config argument")  # With the TypeError as its context.
    trace("client", "client created")
    return Client(config)


def _config(config: Any) -> Any:
    return config

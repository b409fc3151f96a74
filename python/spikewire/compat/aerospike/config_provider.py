"""Settings in a file, which is reread while a client is running."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import os
import sys
import threading
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.config_file import Said, said_by
from spikewire.compat.aerospike.failures import CompatWarning, refuse
from spikewire.profiles import ProfileError

if TYPE_CHECKING:
    from spikewire.compat.aerospike.client import Client

__all__ = ["ConfigProvider", "Provided", "provided"]

_VARIABLE = "AEROSPIKE_CLIENT_CONFIG_URL"
_INTERVAL = 5000
_SHORTEST = 0.25


class ConfigProvider:
    """The path of the file, and the interval in milliseconds at which it is checked."""

    __slots__ = ("_interval", "_path")

    def __init__(self, path: str, interval: int = _INTERVAL) -> None:
        if not isinstance(path, str):
            message = f"argument 1 must be str, not {type(path).__name__}"
            raise TypeError(message)
        if not isinstance(interval, int):
            message = f"an integer is required, not {type(interval).__name__}"
            raise TypeError(message)
        if not 0 <= interval < 1 << 32:
            message = f"{interval} is no unsigned 32-bit integer"
            raise OverflowError(message) if interval < 0 else ValueError(message)
        self._path, self._interval = path, interval

    @property
    def path(self) -> str:
        """The path of a YAML file."""
        return self._path

    @property
    def interval(self) -> int:
        """The interval in milliseconds."""
        return self._interval


class Provided:
    """The file of a client, and the settings in effect."""

    def __init__(self, provider: ConfigProvider) -> None:
        self.path, self.interval = provider.path, provider.interval
        self.said = Said({}, {}, {}, None, [])
        self._seen: tuple[int, int] | None = None
        self._stop = threading.Event()
        self.changed()
        if self.said.interval is not None:
            self.interval = self.said.interval

    def changed(self) -> bool:
        """Reads the file if it has changed, and returns whether its contents have. If there is a
        mistake in it, the previous settings stay in effect, and a ``CompatWarning`` names the
        mistake."""
        try:
            state = Path(self.path).stat()
            seen = state.st_mtime_ns, state.st_size
            if seen == self._seen:
                return False
            self._seen = seen
            said = said_by(self.path)
        except (OSError, ProfileError, UnicodeDecodeError) as error:
            self._warn(f"the configuration file {self.path!r} is not used: {error}")
            return False
        if said.unused:
            self._warn(f"{self.path!r}: {', '.join(said.unused)} has no effect with Spikewire")
        before, self.said = self.said, said
        return before != said

    @staticmethod
    def _warn(text: str) -> None:
        warnings.warn(text, CompatWarning, stacklevel=6)

    def watch(self, client: Client) -> None:
        """Applies the file, and applies it again whenever it changes."""
        client._follow(self.said)
        self._stop = stop = threading.Event()
        threading.Thread(
            target=_watching,
            args=(self, weakref.ref(client, lambda _: stop.set()), stop),
            name="aerospike config",
            daemon=True,
        ).start()

    def end(self) -> None:
        """Stops watching."""
        self._stop.set()


def _watching(provided: Provided, client: weakref.ref[Client], stop: threading.Event) -> None:
    config = provided.said.config
    while not stop.wait(max(provided.interval / 1000, _SHORTEST)):
        found = client()
        if found is None:
            return
        try:
            if provided.changed():
                found._follow(provided.said)
                if provided.said.config != config:
                    provided._warn(f"{provided.path!r}: what it says of clients holds for new ones")
        except Exception as error:  # noqa: BLE001
            # Warnings may be errors, and listeners of metrics may fail. The next change may
            # succeed.
            sys.excepthook(type(error), error, error.__traceback__)
        del found


def provided(given: Any) -> Provided | None:
    """The file named by a configuration's ``config_provider``, or by the environment."""
    url = os.environ.get(_VARIABLE)
    if given is not None and not isinstance(given, ConfigProvider):
        refuse(
            "config_provider must be an aerospike.ConfigProvider class instance. "
            f"But a {type(given).__name__} was received instead"
        )
    if url:
        interval = _INTERVAL if given is None else given.interval
        given = ConfigProvider(url.removeprefix("file://"), interval)
    return None if given is None else Provided(given)

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

from spikewire.compat.aerospike.config_file import FileSettings, read_settings
from spikewire.compat.aerospike.failures import CompatWarning, reject
from spikewire.profiles import ProfileError

if TYPE_CHECKING:
    from spikewire.compat.aerospike.client import Client

__all__ = ["ConfigFile", "ConfigProvider", "config_file_of"]

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
            message = f"{interval} is not an unsigned 32-bit integer"
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


class ConfigFile:
    """The file of a client, and the settings in effect."""

    def __init__(self, provider: ConfigProvider) -> None:
        self.path, self.interval = provider.path, provider.interval
        self.settings = FileSettings({}, {}, {}, None, [])
        self._file_state: tuple[int, int] | None = None
        self._stop = threading.Event()
        self.changed()
        if self.settings.interval is not None:
            self.interval = self.settings.interval

    def changed(self) -> bool:
        """Reads the file if it has changed, and returns whether its contents have. If there is a
        mistake in it, the previous settings stay in effect, and a ``CompatWarning`` names the
        mistake."""
        try:
            state = Path(self.path).stat()
            file_state = state.st_mtime_ns, state.st_size
            if file_state == self._file_state:
                return False
            self._file_state = file_state
            settings = read_settings(self.path)
        except (OSError, ProfileError, UnicodeDecodeError) as error:
            self._warn(f"the configuration file {self.path!r} is not used: {error}")
            return False
        if settings.unused:
            self._warn(f"settings in {self.path!r} without effect: {', '.join(settings.unused)}")
        before, self.settings = self.settings, settings
        return before != settings

    @staticmethod
    def _warn(text: str) -> None:
        warnings.warn(text, CompatWarning, stacklevel=6)

    def watch(self, client: Client) -> None:
        """Applies the file, and applies it again whenever it changes."""
        client._follow(self.settings)
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


def _watching(file: ConfigFile, reference: weakref.ref[Client], stop: threading.Event) -> None:
    config = file.settings.config
    while not stop.wait(max(file.interval / 1000, _SHORTEST)):
        client = reference()
        if client is None:
            return
        try:
            if file.changed():
                client._follow(file.settings)
                if file.settings.config != config:
                    file._warn(
                        f"{file.path!r}: changes to client settings only apply to new clients"
                    )
        except Exception as error:  # noqa: BLE001
            # Warnings may be errors, and listeners of metrics may fail. The next change may
            # succeed.
            sys.excepthook(type(error), error, error.__traceback__)
        del client


def config_file_of(provider: Any) -> ConfigFile | None:
    """The file named by a configuration's ``config_provider``, or by the environment."""
    url = os.environ.get(_VARIABLE)
    if provider is not None and not isinstance(provider, ConfigProvider):
        reject(
            "config_provider must be an aerospike.ConfigProvider class instance. "
            f"But a {type(provider).__name__} was received instead"
        )
    if url:
        interval = _INTERVAL if provider is None else provider.interval
        provider = ConfigProvider(url.removeprefix("file://"), interval)
    return None if provider is None else ConfigFile(provider)

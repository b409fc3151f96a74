"""Profiles by name, from a file that may change while they are in use."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spikewire.aerospike.profiles.profile import Profile, ProfileError, State, compiled
from spikewire.aerospike.profiles.sources import FORMATS, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from types import TracebackType

    from typing_extensions import Self

    from spikewire.aerospike.profiles.sources import Document

__all__ = ["Profiles", "Watch"]

_log = logging.getLogger("spikewire.profiles")

#: How long a file must be unchanged before it is read, in seconds.
_SETTLED = 0.1


class Profiles(Mapping[str, Profile]):
    """Profiles by name, from a TOML or YAML file: a mapping.

    Each is a table with options and sections as in ``Profile``; ``derives`` names the profile it is
    based on. ``reload()`` and ``watch()`` update profiles in use, and with them every view.

    Raises ``ProfileError`` with file, line and key for mistakes, ``ImportError`` for YAML without
    PyYAML (``pip install pyyaml``), and ``OSError`` if the file cannot be read.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = Path(path)
        kind = FORMATS.get(self._path.suffix.lower())
        if kind is None:
            message = f"{self._path.name!r} must end in {', '.join(FORMATS)}"
            raise ValueError(message)
        self._kind = kind
        # Reentrant, because a signal handler may reload while its thread does so.
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._round = 0
        self._text = b""
        self._profiles: dict[str, Profile] = {}
        self.reload()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def reload(self) -> bool:
        """Reads the file again. Returns whether it has changed.

        The new profiles are applied only if all of them are valid and none is missing; each call
        sees either the old options or the new ones. If reading raises, the old profiles stay in
        effect.
        """
        if self._process != os.getpid():  # Another thread of the parent may have held the lock.
            self._process, self._lock = os.getpid(), threading.RLock()
        with self._lock:
            changed = False
            while True:
                self._round = mine = self._round + 1
                changed |= self._read_again()
                if self._round == mine:  # No signal handler has reloaded meanwhile.
                    return changed

    def _read_again(self) -> bool:
        text = self._path.read_bytes()
        if text == self._text and self._profiles:
            return False
        states = _states(_document(text, self._kind, self._path.name))
        for name in sorted(self._profiles.keys() - states.keys()):
            message = "the profile was removed from the file, but may be in use"
            raise ProfileError(message, file=self._path.name, key=name)
        profiles = {
            name: self._profiles.get(name) or Profile.with_state(name, state)
            for name, state in states.items()
        }
        for name, profile in self._profiles.items():
            profile.replace(states[name])
        self._profiles, self._text = profiles, text
        return True

    def is_of(self, text: bytes) -> bool:
        """Whether this is the text read last."""
        return text == self._text

    def watch(
        self, *, every: float = 1.0, on_error: Callable[[Exception], object] | None = None
    ) -> Watch:
        """Reloads when the file changes; a thread checks it ``every`` so many seconds.

        Mistakes in a file are logged once (logger ``spikewire.profiles``) and passed to
        ``on_error``; the old profiles stay in effect. Stop watching with ``stop()`` of the returned
        object, or use it in a ``with`` block.
        """
        if isinstance(every, bool) or not isinstance(every, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = f"every must be a number of seconds, not {type(every).__name__}"
            raise TypeError(message)
        if not 0 < every < threading.TIMEOUT_MAX:
            message = f"every must be a number of seconds above 0, not {every!r}"
            raise ValueError(message)
        if on_error is not None and not callable(on_error):
            message = f"on_error must be a function, not {type(on_error).__name__}"
            raise TypeError(message)
        return Watch(self, every, on_error)

    def __getitem__(self, name: str) -> Profile:
        try:
            return self._profiles[name]
        except KeyError:
            known = ", ".join(self._profiles)
            message = f"there is no profile {name!r} in {self._path.name}; there are: {known}"
            raise KeyError(message) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)

    def __repr__(self) -> str:
        return f"<Profiles of {self._path.name}: {', '.join(self._profiles)}>"


class Watch:
    """A thread that reloads profiles when their file changes."""

    def __init__(
        self, profiles: Profiles, every: float, on_error: Callable[[Exception], object] | None
    ) -> None:
        self._profiles = profiles
        self._every = every
        self._on_error = on_error
        self._last_error = ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="spikewire-profiles", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops watching; the profiles stay as they are. Stopping again has no effect."""
        self._stopped.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._every):
            self._look()

    def _look(self) -> None:
        try:
            if self._is_being_written():
                return
            if self._profiles.reload():
                _log.info("%s: reloaded", self._profiles.path)
            self._last_error = ""
        except Exception as error:  # noqa: BLE001
            self._report(error)

    def _is_being_written(self) -> bool:
        """Whether the file is being changed right now, as a half-written file may be valid."""
        text = self._profiles.path.read_bytes()
        if self._profiles.is_of(text):
            return False
        self._stopped.wait(min(self._every, _SETTLED))
        return self._profiles.path.read_bytes() != text

    def _report(self, error: Exception) -> None:
        if str(error) == self._last_error:
            return
        self._last_error = str(error)
        _log.error("%s: not reloaded: %s", self._profiles.path, error)
        if self._on_error is not None:
            try:
                self._on_error(error)
            except Exception:  # noqa: BLE001
                _log.exception("on_error failed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


def _document(text: bytes, kind: str, name: str) -> Document:
    try:
        return read(text.decode("utf-8-sig"), kind, name)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        message = "the file is not UTF-8"
        raise ProfileError(message, file=name, line=line) from None


def _states(document: Document) -> dict[str, State]:
    """The settings of every profile of a file, including inherited ones."""
    bases: dict[str, str] = {}
    own: dict[str, State] = {}
    for name, table in document.content.items():
        sections: Any = {} if table is None else table
        if isinstance(table, dict) and "derives" in table:
            sections = table.copy()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            bases[name] = _base(document, name, sections.pop("derives"))

        def wrong(path: tuple[str, ...], text: str, name: str = name) -> ProfileError:
            return document.error((name, *path), text)

        def origin(path: tuple[str, ...], name: str = name) -> str:
            return f" ({document.name}, line {document.line((name, *path))})"

        own[name] = compiled(sections, name, wrong, origin)
    done: dict[str, State] = {}
    for name in own:
        _derive(document, name, bases, own, done)
    return done


def _base(document: Document, name: str, base: object) -> str:
    if not isinstance(base, str) or base not in document.content:
        message = f"there is no profile {base!r} in this file"
        raise document.error((name, "derives"), message)
    return base


def _derive(
    document: Document,
    name: str,
    bases: dict[str, str],
    own: dict[str, State],
    done: dict[str, State],
) -> None:
    """Computes the settings of a profile from those of its bases, the furthest first."""
    chain = [name]
    while chain[-1] in bases and chain[-1] not in done:
        base = bases[chain[-1]]
        if base in chain:
            message = f"it derives from itself: {' -> '.join([*chain, base])}"
            raise document.error((name, "derives"), message)
        chain.append(base)
    for each in reversed(chain):
        if each not in done:
            done[each] = own[each].over(done[bases[each]]) if each in bases else own[each]

"""A profile: a named set of options by kind of operation."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from spikewire.aerospike.profiles.kinds import (
    MODES,
    SECTIONS,
    VERBS,
    check,
    holds,
    moded,
    options_of,
    takers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self, Unpack

    from spikewire.aerospike.profiles.kinds import Path
    from spikewire.aerospike.profiles.modes import Mode
    from spikewire.aerospike.profiles.sections import ProfileOptions

__all__ = ["Profile", "ProfileError", "Setting", "State", "compiled"]


class _SharedState:
    """State shared by all profiles."""

    def __init__(self) -> None:
        self.renew_lock()

    def renew_lock(self) -> None:
        """Called in a forked child, since another thread of the parent may have held the lock."""
        # Reentrant, because a signal handler may reload profiles at any time.
        self.lock = threading.RLock()


_shared = _SharedState()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared.renew_lock)


class ProfileError(ValueError):
    """A mistake in a profile; for a file, with its position."""

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, key: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        """The file, if there is one."""
        self.line = line
        """The line in the file."""
        self.key = key
        """The option or section, such as ``"fast.read.timeout"``."""

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.key:
            place.append(self.key)
        return ": ".join([", ".join(place), self.message] if place else [self.message])

    def __reduce__(self) -> tuple[Any, ...]:
        return _error, (self.message, self.file, self.line, self.key)


def _error(message: str, file: str | None, line: int | None, key: str) -> ProfileError:
    return ProfileError(message, file=file, line=line, key=key)


class Setting(NamedTuple):
    """The value of an option, and its source."""

    value: Any
    origin: str


@dataclass(frozen=True)
class State:
    """The validated settings of a profile."""

    settings: dict[tuple[Path, str], Setting]
    #: The options of each verb, by whether operations write and by the mode of the namespace.
    calls: dict[tuple[str, bool, Mode | None], dict[str, Setting]] = field(init=False)
    #: The verbs whose options depend on the mode.
    by_mode: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        calls: dict[tuple[str, bool, Mode | None], dict[str, Setting]] = {}
        by_mode: set[str] = set()
        for verb, routes in VERBS.items():
            for number, route in enumerate(routes):
                writing = bool(number)
                for mode in (None, *MODES):
                    calls[verb, writing, mode] = {
                        name: self.settings[path, name]
                        for path in moded(route, mode)
                        for name in options_of(verb, writing=writing)
                        if (path, name) in self.settings and holds(path, name, verb)
                    }
                    if calls[verb, writing, mode] != calls[verb, writing, None]:
                        by_mode.add(verb)
        object.__setattr__(self, "calls", calls)
        object.__setattr__(self, "by_mode", frozenset(by_mode))

    def over(self, base: State) -> State:
        """These settings, completed with those of ``base``."""
        return State(base.settings | self.settings)


def compiled(
    sections: Mapping[str, Any],
    name: str,
    wrong: Callable[[Path, str], ProfileError],
    origin: Callable[[Path], str],
) -> State:
    """Validates a profile's sections. ``wrong`` creates the error for a place."""
    settings: dict[tuple[Path, str], Setting] = {}

    def read(path: Path, section: object) -> None:
        if not isinstance(section, Mapping):
            raise wrong(path, f"it must be a section of options, not {type(section).__name__}")
        for key, value in cast("Mapping[object, object]", section).items():
            here = (*path, str(key))
            if here in SECTIONS:
                read(here, value)
            elif not isinstance(key, str) or not takers(path, key):
                raise wrong(here, _unknown(path, key))
            else:
                try:
                    check(path, key, value)
                except (TypeError, ValueError, OverflowError) as error:
                    raise wrong(here, str(error)) from None
                where = f"profile {name!r}, {'.'.join(here)}{origin(here)}"
                settings[path, key] = Setting(value, where)

    read((), sections)
    return State(settings)


def _unknown(path: Path, key: object) -> str:
    options = {name for verb in VERBS for name in options_of(verb) | options_of(verb, writing=True)}
    known = sorted(name for name in options if takers(path, name))
    parts = sorted(it[-1] for it in SECTIONS if it and it[:-1] == path)
    sections = f"; sections: {', '.join(parts)}" if parts else ""
    return f"there is no option or section {key!r} here; options: {', '.join(known)}{sections}"


class _Dependent(Protocol):
    def profile_changed(self) -> None: ...


class Profile:
    """Options by kind of operation, for ``client.with_profile(profile)``.

    Keywords are options, for all verbs that take them, and sections of options: ``read`` and
    ``write``, each with ``point`` and ``many``; ``write`` also with ``retryable`` and
    ``not_retryable``; ``batch``, ``query`` and ``job``; and each of these with ``strong`` and
    ``available``, for namespaces with and without strong consistency. The most specific section
    wins, and an option of the call itself takes precedence over all of them. ``None`` stands for
    the client's own option.

    Raises ``ProfileError`` that names section and option; the values are checked by the verbs.
    """

    __slots__ = ("__weakref__", "_base", "_dependents", "_name", "_own", "state")

    def __init__(self, name: str = "profile", /, **options: Unpack[ProfileOptions]) -> None:
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = f"a profile's name must be str, not {type(name).__name__}"
            raise TypeError(message)
        self._name = name
        self._base: Profile | None = None
        # By identity, because equal views are distinct.
        self._dependents: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._own = compiled(
            options, name, lambda path, text: ProfileError(text, key=".".join((name, *path))), _no
        )
        self.state = self._own
        """What it says, with what it derives from."""

    @property
    def name(self) -> str:
        """Its name, for messages."""
        return self._name

    def derive(self, name: str, /, **options: Unpack[ProfileOptions]) -> Profile:
        """A profile based on this one, with further or different options. It is updated when this
        one is reloaded.
        """
        derived = Profile(name, **options)
        derived._base = self
        self.attach(derived)
        derived.profile_changed()
        return derived

    @property
    def options(self) -> dict[str, Any]:
        """Its options, including inherited ones, by place: ``{"read.timeout": 0.1}``."""
        settings = self.state.settings.items()
        return {".".join((*path, name)): setting.value for (path, name), setting in settings}

    def attach(self, dependent: _Dependent) -> None:
        """Registers a view or a derived profile to be told of changes."""
        with _shared.lock:
            self._dependents[id(dependent)] = dependent

    def replace(self, state: State) -> None:
        """Replaces the profile's own settings."""
        self._own = state
        self.profile_changed()

    def profile_changed(self) -> None:
        """Recomputes the settings from the base profile, and notifies dependents."""
        base = self._base
        with _shared.lock:
            self.state = self._own if base is None else self._own.over(base.state)
            # All at once, because a signal handler may attach another one meanwhile.
            dependents = self._dependents.valuerefs()
        for reference in dependents:
            dependent = reference()
            if dependent is not None:
                dependent.profile_changed()

    @classmethod
    def with_state(cls, name: str, state: State) -> Self:
        """A profile with these settings."""
        profile = cls(name)
        profile._own = profile.state = state
        return profile

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles the current settings, without their sources.
        return _unpickled, (self._name, self.state.settings)

    def __repr__(self) -> str:
        summary = ", ".join(f"{place}={value!r}" for place, value in self.options.items())
        return f"<Profile {self._name!r}: {summary or 'the options of the client'}>"


def _no(_: Path) -> str:
    return ""


def _unpickled(name: str, settings: dict[tuple[Path, str], Setting]) -> Profile:
    return Profile.with_state(name, State(settings))

"""``tls`` in URLs and variables: each entry is an option, ``tls_ca`` for ``tls["ca"]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from spikewire.options import TlsOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TLS", "alone", "entry", "merge_options", "texts"]

#: The option that the entries belong to.
TLS = "tls"
_PREFIX = f"{TLS}_"
_TYPES = {f"{_PREFIX}{name}": kind for name, kind in TlsOptions.__annotations__.items()}


def texts(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that can be set by text, with their types."""
    return {**options, **_TYPES} if TLS in options else dict(options)


def entry(name: str) -> str | None:
    """The entry of ``tls`` that an option sets, or ``None``."""
    return name.removeprefix(_PREFIX) if name in _TYPES else None


def alone(name: str, value: object) -> dict[str, Any]:
    """The client's keyword for an option, by itself."""
    of_tls = entry(name)
    return {name: value} if of_tls is None else {TLS: {of_tls: value}}


def merge_options(
    levels: Sequence[tuple[dict[str, Any], dict[str, str]]],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Merges several sets of options, with the source of each; later sets take precedence.

    Entries of ``tls`` are collected in it and imply it. ``tls=False`` discards earlier entries,
    ``tls=True`` keeps them, and a dict replaces them.
    """
    options: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for values, origins in levels:
        plain = {name: value for name, value in values.items() if entry(name) is None}
        entries = {name: value for name, value in values.items() if entry(name) is not None}
        if entries and TLS in plain and plain[TLS] is False:
            name = min(entries)
            message = f"{origins[name]}, option {name}: connections are not encrypted (tls=false)"
            raise ValueError(message)
        before, since = options.get(TLS), sources.get(TLS)
        options |= plain
        sources |= {name: origins[name] for name in plain}
        if entries or plain.get(TLS) is True:
            goes_on = isinstance(before, dict)
            named = cast("dict[str, Any]", before) if goes_on else {}
            named = named | {str(entry(name)): value for name, value in entries.items()}
            options[TLS] = named or True
            own = [origins[name] for name in (TLS, *entries) if name in origins]
            former = [since] if goes_on and since is not None else []
            sources[TLS] = ", ".join(dict.fromkeys([*former, *own]))
    return options, sources

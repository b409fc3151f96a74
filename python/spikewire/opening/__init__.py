"""Opening clients from URLs, environment variables and keywords.

``Client.from_url`` and ``AsyncClient.from_url`` open clients; ``read`` returns what they would use,
and from where. ``docs/opening.md`` has the rules.

| module | what it holds |
|---|---|
| here | the order of precedence: what is used, and where each option comes from |
| ``url`` | the parts of a URL |
| ``encryption`` | the entries of ``tls``, each an option of its own |
| ``flags`` | flags of commands: a user, TLS |
| ``values`` | the text of an option as a value of its type |
| ``default_seeds`` | clients without seeds, and errors that say where seeds came from |
| ``in_thread`` | opening that blocks, in a thread beside an event loop |
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import Client as NativeClient
from spikewire.opening.encryption import TLS, alone, entry, merge_options, texts
from spikewire.opening.url import Scheme, parse_url
from spikewire.opening.values import convert_option, display
from spikewire.options import AsyncOptions, BlockingOptions, ClientOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["AEROSPIKE", "Opening", "read", "read_for", "require_namespace"]

#: The scheme of ``from_url`` for clients of the Aerospike protocol.
AEROSPIKE = Scheme(
    name="aerospike",
    prefix="SPIKEWIRE_AEROSPIKE_",
    path="namespace",
    port=3000,
    options=BlockingOptions.__annotations__,
    probe=NativeClient,
    seed="a host, host:port, host:tls-name:port",
    passed_over=AsyncOptions.__annotations__.keys() - ClientOptions.__annotations__.keys(),
)
_AEROSPIKE_ASYNC = Scheme(
    name=AEROSPIKE.name,
    prefix=AEROSPIKE.prefix,
    path=AEROSPIKE.path,
    port=AEROSPIKE.port,
    options=AsyncOptions.__annotations__,
    probe=NativeAsyncClient,
    seed=AEROSPIKE.seed,
    passed_over=BlockingOptions.__annotations__.keys() - ClientOptions.__annotations__.keys(),
)


@dataclass(frozen=True)
class Opening:
    """The settings that a client is opened with. Its ``repr`` shows no secrets."""

    seeds: str
    """The seeds."""
    namespace: str | None
    """The path of the URL: the namespace, or the keyspace in Cassandra URLs."""
    options: dict[str, Any]
    """The options that differ from their defaults."""
    sources: dict[str, str] = field(default_factory=dict)
    """The sources of the seeds and of each option, in words."""

    def __repr__(self) -> str:
        options = ", ".join(f"{name!r}: {display(name, it)}" for name, it in self.options.items())
        return f"Opening(seeds={self.seeds!r}, namespace={self.namespace!r}, options={{{options}}})"

    def explain(self) -> str:
        """The settings and their sources, one option per line, without secrets."""
        rows = [("seeds", self.seeds, self.sources["seeds"])]
        if self.namespace is not None:
            rows.append(("namespace", self.namespace, self.sources["namespace"]))
        for name, value in sorted(self.options.items()):
            rows.append((name, display(name, value), self.sources[name]))
        return "\n".join(f"{name} = {value}  ({source})" for name, value, source in rows)


def read(
    url: str | None = None,
    *,
    scheme: Scheme = AEROSPIKE,
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> Opening:
    """The settings of a client opened with these arguments.

    Keywords take precedence over the URL, then come environment variables, then defaults. Every
    option is validated, including those that another source overrides.

    Raises ``ValueError`` or ``TypeError`` that names the keyword, the part of the URL, or the
    variable.
    """
    environment = os.environ if environment is None else environment
    source = "the URL"
    if url is None:
        name = f"{scheme.prefix}URL"
        url, source = environment.get(name) or None, f"the variable {name}"
    seeds, namespace = scheme.seeds, None
    sources = {"seeds": "the default"}
    variables = _from_environment(scheme, environment)
    levels = [(variables, {name: f"the variable {scheme.variable(name)}" for name in variables})]
    if url is not None:
        parts = parse_url(url, scheme, source)
        if parts.seeds is not None:
            seeds, sources["seeds"] = parts.seeds, source
        namespace = parts.path
        if namespace is not None:
            sources["namespace"] = source
        checked = {
            name: convert_option(name, text, texts(scheme.options), f"{source}, option {name}")
            for name, text in parts.options.items()
        }
        _check(scheme, checked, lambda name: f"{source}, option {name}")
        rest = parts.login | _of_path(scheme, namespace, source)
        if parts.is_encrypted and checked.get(TLS) is not True:
            rest[TLS] = True
        for name in checked.keys() & rest.keys():
            message = f"{source}, option {name}: another part of the URL sets it, too"
            raise ValueError(message)
        checked |= rest
        levels.append((checked, dict.fromkeys(checked, source)))
    for name in filter(entry, options):
        scheme.probe(seeds, **{name: options[name]})  # The keyword is `tls`, with entries.
    levels.append((options, dict.fromkeys(options, "a keyword")))
    used, option_sources = merge_options(levels)
    if not scheme.instead.isdisjoint(used) and sources["seeds"] == "the default":
        seeds = ""
    # Validates the keywords, and options that must be checked together.
    scheme.probe(seeds, **used)
    return Opening(seeds, namespace, used, sources | option_sources)


def read_for(client: type, url: str | None, options: Mapping[str, Any]) -> Opening:
    """``read`` for a class of clients; asyncio clients have fewer options."""
    is_async = issubclass(client, NativeAsyncClient)
    return read(url, scheme=_AEROSPIKE_ASYNC if is_async else AEROSPIKE, **options)


def require_namespace(own: str | None, explicit: str | None) -> str:
    """The namespace of a dataset: the given one, or the client's default."""
    namespace = own if explicit is None else explicit
    if namespace is None:
        message = (
            "dataset() needs a namespace: this client was opened without one "
            '(Client.from_url("aerospike://host/namespace"))'
        )
        raise TypeError(message)
    return namespace


def _from_environment(scheme: Scheme, environment: Mapping[str, str]) -> dict[str, Any]:
    """The options set by environment variables; an empty variable counts as missing."""
    values: dict[str, Any] = {}
    for variable, text in environment.items():
        if not variable.startswith(scheme.prefix) or not text:
            continue
        name = variable.removeprefix(scheme.prefix).lower()
        if name != "url" and name not in scheme.passed_over:
            values[name] = convert_option(
                name, text, texts(scheme.options), f"the variable {variable}"
            )
    _check(scheme, values, lambda name: f"the variable {scheme.variable(name)}")
    return values


def _of_path(scheme: Scheme, name: str | None, source: str) -> dict[str, Any]:
    """The option set by the URL's path, if any; otherwise the path is a namespace."""
    if name is None:
        return {}
    if scheme.path in scheme.options:
        return {scheme.path: name}
    try:
        NativeClient(scheme.seeds).dataset(name)
    except ValueError as error:
        message = f"{source}, {scheme.path}: {error}"
        raise ValueError(message) from None
    return {}


def _check(scheme: Scheme, options: Mapping[str, Any], where: Callable[[str], str]) -> None:
    """Runs the client's own checks on each option, so that the message can name its source."""
    for name, value in options.items():
        if name in scheme.together:
            continue
        try:
            scheme.probe(scheme.seeds, **alone(name, value))
        except (TypeError, ValueError, OverflowError) as error:
            message = f"{where(name)}: {error}"
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(message) from None

"""Opening clients from URLs, environment variables and keywords.

``Client.from_url`` and ``AsyncClient.from_url`` open clients; ``read`` returns what they would use,
and from where. ``docs/opening.md`` has the rules.

| module | what it holds |
|---|---|
| here | what is used, and where each option comes from; the rules are the engine's |
| ``scheme`` | what URLs and variables of a database look like |
| ``values`` | values for display |
| ``flags`` | flags of commands: a user, TLS |
| ``default_seeds`` | clients without seeds, and errors that say where seeds came from |
| ``in_thread`` | opening that blocks, in a thread beside an event loop |
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spikewire._native import AsyncClient as NativeAsyncClient
from spikewire._native import Client as NativeClient
from spikewire._native import read_opening
from spikewire.opening.scheme import Scheme
from spikewire.opening.values import display

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AEROSPIKE", "Opening", "read", "read_for", "require_namespace"]

#: The scheme of ``from_url`` for clients of the Aerospike protocol.
AEROSPIKE = Scheme(
    name="aerospike",
    prefix="SPIKEWIRE_AEROSPIKE_",
    kind="blocking",
    port=3000,
    probe=NativeClient,
)
_AEROSPIKE_ASYNC = replace(AEROSPIKE, kind="asynchronous", probe=NativeAsyncClient)


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
        if self.namespace is not None and "keyspace" not in self.options:
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
    if url is not None and not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        message = f"the URL must be str, not {type(url).__name__}"
        raise TypeError(message)
    environment = os.environ if environment is None else environment
    variables = [it for it in environment.items() if it[0].startswith(scheme.prefix)]
    for name in options:
        if name.startswith("tls_"):  # The keyword is `tls`, with entries.
            scheme.probe(scheme.seeds, **{name: options[name]})
    seeds, source, namespace, used, sources = read_opening(scheme.kind, url, variables, options)
    if source == "the default" and seeds:
        seeds = scheme.seeds
    # Validates the keywords, and options that must be checked together.
    scheme.probe(seeds, **used)
    return Opening(seeds, namespace, used, {"seeds": source, **sources})


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

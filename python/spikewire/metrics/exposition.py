"""Statistics in the text format of Prometheus, and small applications that serve it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spikewire.metrics.sources import Sources
from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from spikewire.metrics.families import Family, Labels
    from spikewire.metrics.sources import Clients

    Message: TypeAlias = dict[str, Any]
    Scope: TypeAlias = dict[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    StartResponse: TypeAlias = Callable[[str, list[tuple[str, str]]], object]

#: The media type of the text.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_UNAVAILABLE = "503 Service Unavailable"


def prometheus(client: Clients, *, labels: Mapping[str, str] | None = None) -> str:
    """The statistics of a client in the text format of Prometheus.

    For several clients in one text, pass a dict of names to clients: the format requires each
    metric in one place, with a label ``client`` to tell them apart. ``labels`` are added to every
    sample. Closed clients are left out; if none is left, ``ClientClosed`` is raised.
    """
    return _text(Sources(client, labels))


def wsgi_app(
    client: Clients, *, labels: Mapping[str, str] | None = None
) -> Callable[[Mapping[str, Any], StartResponse], Iterable[bytes]]:
    """A WSGI application that answers every request with ``prometheus(client)``."""
    sources = Sources(client, labels)

    def app(environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:  # noqa: ARG001
        status, body = _page(sources)
        headers = [("Content-Type", CONTENT_TYPE), ("Content-Length", str(len(body)))]
        start_response(status, headers)
        return [body]

    return app


def asgi_app(
    client: Clients, *, labels: Mapping[str, str] | None = None
) -> Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]:
    """An ASGI application that answers every HTTP request with ``prometheus(client)``, to be
    mounted in another application. It does not handle lifespan events.
    """
    sources = Sources(client, labels)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        if scope["type"] != "http":
            raise RuntimeError(f"metrics are served over http, not {scope['type']}")
        status, body = _page(sources)
        headers = [
            (b"content-type", CONTENT_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        start = {"type": "http.response.start", "status": int(status[:3]), "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    return app


def _page(sources: Sources) -> tuple[str, bytes]:
    try:
        return "200 OK", _text(sources).encode()
    except closed_errors() as error:
        return _UNAVAILABLE, f"# {error}\n".encode()


def _text(sources: Sources) -> str:
    return "".join(line for family in sources.families() for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    name = f"{family.name}_total" if family.kind == "counter" else family.name
    yield f"# HELP {name} {family.help}\n# TYPE {name} {family.kind}\n"
    if family.kind != "histogram":
        for labels, value in family.samples:
            yield _line(name, labels, value)
        return
    for (labels, total), buckets in zip(family.samples, family.buckets, strict=True):
        for bound, count in buckets:
            limit = "+Inf" if bound == math.inf else repr(bound)
            yield _line(f"{name}_bucket", {**labels, "le": limit}, count)
        yield _line(f"{name}_sum", labels, total)
        yield _line(f"{name}_count", labels, buckets[-1][1])


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    number = repr(float(value)) if value != int(value) else str(int(value))
    return f"{name}{{{inside}}} {number}\n" if inside else f"{name} {number}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

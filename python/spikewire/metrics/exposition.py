"""Statistics in the text format of Prometheus, and small applications that serve it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from spikewire.metrics.families import families
from spikewire.metrics.stats import ERRORS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from spikewire.metrics.families import Family, Labels
    from spikewire.metrics.stats import Stats

    Message: TypeAlias = dict[str, Any]
    Scope: TypeAlias = dict[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    StartResponse: TypeAlias = Callable[[str, list[tuple[str, str]]], object]

#: The media type of the text.
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_UNAVAILABLE = "503 Service Unavailable"


class HasStats(Protocol):
    """A client of either kind."""

    def stats(self) -> Stats:
        """What it counted."""
        ...


def prometheus(client: HasStats, *, labels: Mapping[str, str] | None = None) -> str:
    """The statistics of a client in the text format of Prometheus.

    ``labels`` are added to every sample, to tell several clients of a program apart.
    """
    more = dict(labels or {})
    return "".join(line for family in families(client.stats()) for line in _lines(family, more))


def wsgi_app(
    client: HasStats, *, labels: Mapping[str, str] | None = None
) -> Callable[[Mapping[str, Any], StartResponse], Iterable[bytes]]:
    """A WSGI application that answers every request with ``prometheus(client)``."""

    def app(environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:  # noqa: ARG001
        status, body = _page(client, labels)
        headers = [("Content-Type", CONTENT_TYPE), ("Content-Length", str(len(body)))]
        start_response(status, headers)
        return [body]

    return app


def asgi_app(
    client: HasStats, *, labels: Mapping[str, str] | None = None
) -> Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]:
    """An ASGI application that answers every HTTP request with ``prometheus(client)``; to be
    mounted in another one. Without a server's lifespan events of its own.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        if scope["type"] != "http":
            raise RuntimeError(f"metrics are served over http, not {scope['type']}")
        status, body = _page(client, labels)
        headers = [
            (b"content-type", CONTENT_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        start = {"type": "http.response.start", "status": int(status[:3]), "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    return app


def _page(client: HasStats, labels: Mapping[str, str] | None) -> tuple[str, bytes]:
    try:
        return "200 OK", prometheus(client, labels=labels).encode()
    except ERRORS as error:
        return _UNAVAILABLE, f"# {error}\n".encode()


def _lines(family: Family, more: Labels) -> Iterator[str]:
    name = f"{family.name}_total" if family.kind == "counter" else family.name
    yield f"# HELP {name} {family.help}\n# TYPE {name} {family.kind}\n"
    if family.kind != "histogram":
        for labels, value in family.samples:
            yield _line(name, {**more, **labels}, value)
        return
    for (labels, total), buckets in zip(family.samples, family.buckets, strict=True):
        whole = {**more, **labels}
        for bound, count in buckets:
            shown = "+Inf" if bound == math.inf else repr(bound)
            yield _line(f"{name}_bucket", {**whole, "le": shown}, count)
        yield _line(f"{name}_sum", whole, total)
        yield _line(f"{name}_count", whole, buckets[-1][1])


def _line(name: str, labels: Labels, value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    shown = repr(float(value)) if value != int(value) else str(int(value))
    return f"{name}{{{inside}}} {shown}\n" if inside else f"{name} {shown}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

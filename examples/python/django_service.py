"""Django with its cache and its sessions in a cluster.

A project has ``CACHES`` and ``SESSION_ENGINE`` in its settings; here one module is the whole
project. Run as a script, it answers a few requests from Django's test client, without a socket. A
process has one client, shared by its threads and tasks and opened by the first request, also under
gunicorn with ``--preload`` and under ASGI servers.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import seeds
from django import setup
from django.conf import settings
from django.core.cache import cache
from django.http import JsonResponse
from django.test import AsyncClient, Client
from django.urls import path

if TYPE_CHECKING:
    from django.http import HttpRequest


def configure(where: str) -> None:
    """The contents of ``settings.py``."""
    settings.configure(
        ALLOWED_HOSTS=["testserver"],
        ROOT_URLCONF=__name__,
        SECRET_KEY="of this example",
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"],
        CACHES={
            "default": {
                "BACKEND": "spikewire.contrib.django.SpikewireCache",
                "LOCATION": f"aerospike://{where}/test?timeout=5s",
                "OPTIONS": {"set": "cache"},
                "KEY_PREFIX": "shop",
            },
            "sessions": {
                "BACKEND": "spikewire.contrib.django.SpikewireCache",
                "LOCATION": f"aerospike://{where}/test?timeout=5s",
                "OPTIONS": {"set": "sessions"},
            },
        },
        SESSION_ENGINE="django.contrib.sessions.backends.cache",
        SESSION_CACHE_ALIAS="sessions",
    )
    setup()


def basket(request: HttpRequest, item: str) -> JsonResponse:
    """A view with a session, which is one record."""
    items = [*request.session.get("items", []), item]
    request.session["items"] = items
    return JsonResponse({"items": items})


async def popular(request: HttpRequest, item: str) -> JsonResponse:  # noqa: ARG001
    """An asynchronous view: all requests of the loop share writes and reads."""
    await cache.aadd(item, 0, timeout=86_400)
    return JsonResponse({"views": await cache.aincr(item)})


urlpatterns = [path("basket/<item>", basket), path("popular/<item>", popular)]


async def crowd() -> list[Any]:
    """Many requests at once."""
    user = AsyncClient()
    answers = await asyncio.gather(*(user.get("/popular/tea") for _ in range(50)))
    return sorted(answer.json()["views"] for answer in answers)


def main(where: str) -> None:
    """Two users with a session each, and a crowd."""
    configure(where)
    alice, bob = Client(), Client()
    for user, item in ((alice, "tea"), (bob, "milk"), (alice, "sugar")):
        print(user.get(f"/basket/{item}").json())
    print("views counted", asyncio.run(crowd()) == list(range(1, 51)))
    print("popular", cache.get_many(["tea", "milk"]))


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)

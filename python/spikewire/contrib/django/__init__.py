"""A cache for Django in any cluster that speaks the Aerospike protocol.

    CACHES = {
        "default": {
            "BACKEND": "spikewire.contrib.django.SpikewireCache",
            "LOCATION": "aerospike://db1:3000,db2/cache?timeout=250ms",
        }
    }
    SESSION_ENGINE = "django.contrib.sessions.backends.cache"

``docs/frameworks.md`` has the details.

| module | what it holds |
|---|---|
| ``cache`` | the backend |
| ``clients`` | one client for all threads and tasks of a process |
"""

# pyright: basic, reportMissingImports=false

try:
    import django as _django
except ImportError as error:
    message = "spikewire.contrib.django needs Django: pip install django"
    raise ImportError(message) from error

from spikewire.contrib.django.cache import SpikewireCache
from spikewire.contrib.django.clients import close_clients

__all__ = ["SpikewireCache", "close_clients"]

del _django

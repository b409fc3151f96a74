"""Profiles: named sets of options by kind of operation, for views of a client.

    fast = spikewire.Profile("fast", timeout=0.5, read={"timeout": 0.05, "replica": "any"})
    view = client.with_profile(fast)

Profiles can be in a TOML or YAML file, which is read again while in use.
"""

from spikewire.aerospike.profiles.explain import Explanation, Used
from spikewire.aerospike.profiles.modes import Mode
from spikewire.aerospike.profiles.profile import Profile, ProfileError
from spikewire.aerospike.profiles.store import Profiles, Watch
from spikewire.aerospike.views import (
    AsyncClientView,
    AsyncDatasetView,
    ClientView,
    DatasetView,
)

# The function: importing the module of its name later would replace it.
from spikewire.profiles.view import view

__all__ = [
    "AsyncClientView",
    "AsyncDatasetView",
    "ClientView",
    "DatasetView",
    "Explanation",
    "Mode",
    "Profile",
    "ProfileError",
    "Profiles",
    "Used",
    "Watch",
    "view",
]

"""Profiles: named sets of options by kind of operation, for views of a client.

    fast = spikewire.Profile("fast", timeout=0.5, read={"timeout": 0.05, "replica": "any"})
    view = client.with_profile(fast)

| module | what it holds |
|---|---|
| ``kinds`` | kinds of operations, and which options a profile may set for them |
| ``sections`` | a profile's keywords, for type checkers |
| ``profile`` | ``Profile``, what it derives from, what it makes of a call |
| ``modes`` | the consistency mode of a call's namespace |
| ``sources``, ``store`` | ``Profiles``: those of a TOML or YAML file, reloaded while in use |
| ``view`` | clients and datasets with a profile |
| ``explain`` | what a call would use, and from where |
"""

from spikewire.profiles.explain import Explanation, Used
from spikewire.profiles.modes import Mode
from spikewire.profiles.profile import Profile, ProfileError
from spikewire.profiles.store import Profiles, Watch
from spikewire.profiles.view import (
    AsyncClientView,
    AsyncDatasetView,
    ClientView,
    DatasetView,
    view,
)

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

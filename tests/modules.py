"""The folder in which the C client keeps its copies of Lua modules: one for each process.

Its queries look into the folder that the first client of the process named, whatever later clients
name; if it named none, as the lab's clients do, that is the working directory.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import shutil
import tempfile

from spikewire.testing import Cluster


@functools.cache
def folder() -> str:
    """Each client of a test that runs functions names it."""
    result = tempfile.mkdtemp(prefix="modules-")
    atexit.register(shutil.rmtree, result, ignore_errors=True)
    return result


def name_it_first() -> None:
    """Opens the first C client of this process, if the library is installed."""
    if importlib.util.find_spec("aerospike") is None:
        return
    import aerospike

    with Cluster(nodes=1) as cluster:
        host, _, port = cluster.seeds.partition(":")
        config = {"hosts": [(host, int(port))], "lua": {"user_path": folder()}}
        aerospike.client(config).close()

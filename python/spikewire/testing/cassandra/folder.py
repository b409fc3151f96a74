"""The folder of a cluster: a temporary one, or one that keeps data."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.locks import take

if TYPE_CHECKING:
    from spikewire.testing.cassandra.options import Settings

__all__ = ["Folder"]

LOCK, KIND = "cluster.lock", "cluster.json"


class Folder:
    """The folder for a cluster's files.

    Raises ``ValueError`` if it has data of a different kind of cluster, ``OSError`` if another
    cluster uses it.
    """

    def __init__(self, settings: Settings) -> None:
        self.temporary = settings.data is None
        self._lock = None
        if settings.data is None:
            self.path = Path(tempfile.mkdtemp(prefix="spikewire-cassandra-"))
            return
        self.path = Path(settings.data).absolute()
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = take(self.path / LOCK, 0)
        except OSError:
            message = f"{self.path} is in use by another cluster"
            raise OSError(message) from None
        try:
            self._check(settings)
        except BaseException:
            self._lock.close()
            raise

    def node(self, number: int) -> Path:
        """The folder of a node."""
        return self.path / f"node-{number}"

    @property
    def certificates(self) -> Path:
        """The folder for certificates."""
        return self.path / "tls"

    def close(self, *, keep_logs: bool) -> None:
        """Removes a temporary folder."""
        if self._lock is not None:
            self._lock.close()
        if not self.temporary:
            return
        if keep_logs:
            for data in self.path.glob("node-*/data"):
                shutil.rmtree(data, ignore_errors=True)
        else:
            shutil.rmtree(self.path, ignore_errors=True)

    def _check(self, settings: Settings) -> None:
        """Checks that existing data matches the nodes, their tokens and their addresses."""
        kind = {
            "nodes": settings.nodes,
            "vnodes": settings.vnodes,
            "host": settings.host,
            "cluster_name": settings.cluster_name,
            "racks": list(settings.racks),
            "datacenters": list(settings.datacenters),
        }
        file = self.path / KIND
        if not file.exists():
            file.write_text(json.dumps(kind))
            return
        was = json.loads(file.read_text())
        for name, expected in kind.items():
            if was.get(name) != expected:
                message = (
                    f"the data in {self.path} is of a cluster with {name}={was.get(name)!r}, "
                    f"not {expected!r}"
                )
                raise ValueError(message)

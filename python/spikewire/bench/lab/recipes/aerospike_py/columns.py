"""The columns of the study's tables: a client and one of its faces each."""

from __future__ import annotations

from dataclasses import dataclass

from ....clients import OURS
from ....clients.base import ASYNC, SYNC
from ....fixed.cells import OFFICIAL, PEER


@dataclass(frozen=True)
class Column:
    client: str
    mode: str
    title: str

    @property
    def key(self) -> str:
        return f"{self.client}-{self.mode}"


PEER_SYNC = Column(PEER, SYNC, "aerospike-py, sequential")
OFFICIAL_SYNC = Column(OFFICIAL, SYNC, "aerospike, sequential")
OURS_SYNC = Column(OURS, SYNC, "spikewire, sequential")
PEER_ASYNC = Column(PEER, ASYNC, "aerospike-py, concurrent")
OURS_ASYNC = Column(OURS, ASYNC, "spikewire, concurrent")
COLUMNS = (PEER_SYNC, OFFICIAL_SYNC, OURS_SYNC, PEER_ASYNC, OURS_ASYNC)
PUBLISHED = (PEER_SYNC, OFFICIAL_SYNC, PEER_ASYNC)
"""Those that the study has."""
RIVALS = {OURS_SYNC: (PEER_SYNC, OFFICIAL_SYNC), OURS_ASYNC: (PEER_ASYNC,)}
"""What each of ours is set beside: the same calls, made in the same way."""

"""The cases that correspond to the lines of the document, by their names in its tables."""

from __future__ import annotations

from ....clients.base import ASYNC_UVLOOP, RUST, RUST_SYNC, SYNC
from ....plan import RUST_PEER
from ...report import Heading
from .cases import C_CLIENT, LOCAL, NATIVE, SDK, SDK_BUILDER, SDK_LOCAL, SDK_LOCAL_BUILDER, Case

COUNTERPARTS: dict[str, Case | str] = {
    "SDK, blocking, fast path, 32 threads": Case(SDK, SYNC, 32),
    "SDK, blocking, fast path, runtime per thread, 32 threads": Case(SDK_LOCAL, SYNC, 32),
    "SDK, blocking, builder, 32 threads": Case(SDK_BUILDER, SYNC, 32),
    "SDK, blocking, builder, runtime per thread, 32 threads": Case(SDK_LOCAL_BUILDER, SYNC, 32),
    "SDK, pool, fast path, 4 x 64 tasks": Case(SDK, ASYNC_UVLOOP, 256, 4),
    "SDK, pool, fast path, 8 x 64 tasks": Case(SDK, ASYNC_UVLOOP, 512, 8),
    "SDK, pool, builder, 4 x 64 tasks": Case(SDK_BUILDER, ASYNC_UVLOOP, 256, 4),
    "SDK, one loop, fast path, 32 tasks": Case(SDK, ASYNC_UVLOOP, 32),
    "SDK, one loop, builder, 32 tasks": Case(SDK_BUILDER, ASYNC_UVLOOP, 32),
    "SDK, blocking, fast path, 1 thread": Case(SDK, SYNC, 1),
    "SDK, blocking, builder, 1 thread": Case(SDK_BUILDER, SYNC, 1),
    "native, blocking, 32 threads": Case(NATIVE, SYNC, 32),
    "native, blocking, runtime per thread, 32 threads": Case(LOCAL, SYNC, 32),
    "native, one loop, 32 tasks": Case(NATIVE, ASYNC_UVLOOP, 32),
    "native, blocking, 1 thread": Case(NATIVE, SYNC, 1),
    "native, one loop, 1 task": Case(NATIVE, ASYNC_UVLOOP, 1),
    "Rust core, 32 tasks": Case(RUST_PEER, RUST, 32),
    "Rust core, blocking, 32 threads": Case(RUST_PEER, RUST_SYNC, 32),
    "Rust core, 512 tasks, timer removed and pool widened": Case(RUST_PEER, RUST, 512),
    "Rust core, 1 task": Case(RUST_PEER, RUST, 1),
    "Rust core, blocking, 1 thread": Case(RUST_PEER, RUST_SYNC, 1),
    "C client, 1 thread": Case(C_CLIENT, SYNC, 1),
}
"""The case for each line of the document, or why there is none."""
HERE = Heading("here", "measured here as")


def here(name: str) -> str:
    """The label in the tables of this recipe, or the reason."""
    counterpart = COUNTERPARTS[name]
    return counterpart if isinstance(counterpart, str) else counterpart.label

"""The clients for Rust, which programs in lab/rust call: our module `spikewire::cql`, ScyllaDB's
crate `scylla`, and `cdrs-tokio`. Each runs tasks on tokio."""

from __future__ import annotations

from .base import Peer

OURS = Peer(
    "spikewire-rust",
    module="spikewire::cql",
    distribution="spikewire",
    row_type="tuple",
    tokio=True,
)

SCYLLA = Peer(
    "scylla-rust",
    module="scylla",
    distribution="scylla",
    row_type="tuple",
    tokio=True,
    encrypts=False,
)

CDRS = Peer(
    "cdrs-tokio",
    module="cdrs_tokio",
    distribution="cdrs-tokio",
    row_type="tuple",
    tokio=True,
    # It reads the keyspaces by a function of the server, and tries again for ever.
    canned=False,
    encrypts=False,
)

"""Files with what clients of a cluster with TLS need."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Certificates"]


@dataclass(frozen=True)
class Certificates:
    """Files in PEM with what clients need."""

    ca: Path
    """The authority that signed the certificates of the nodes, to trust."""
    certificate: Path
    """A certificate for a client, with the common name ``client``."""
    key: Path
    """Its private key, PKCS 8 without a password."""

    def context(self) -> ssl.SSLContext:
        """A context for clients that trusts the nodes, and shows the certificate."""
        context = ssl.create_default_context(cafile=self.ca)
        context.load_cert_chain(self.certificate, self.key)
        return context

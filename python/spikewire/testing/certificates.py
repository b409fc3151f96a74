"""Files for clients of a cluster with TLS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from pathlib import Path

__all__ = ["Certificates"]


@dataclass(frozen=True)
class Certificates:
    """PEM files for clients."""

    ca: Path
    """The authority that signed the certificates of the nodes."""
    certificate: Path
    """A certificate for a client, with the common name ``client``."""
    key: Path
    """Its private key, PKCS 8 without a password."""

    def context(self) -> ssl.SSLContext:
        """A context for clients that trusts the nodes and presents the certificate."""
        # Some builds of Python do not have it.
        import ssl

        context = ssl.create_default_context(cafile=self.ca)
        context.load_cert_chain(self.certificate, self.key)
        return context

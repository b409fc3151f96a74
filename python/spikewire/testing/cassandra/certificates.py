"""Certificates for nodes and clients, from an authority created per cluster."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from spikewire.testing.cassandra.errors import CassandraUnavailable
from spikewire.testing.certificates import Certificates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Certificates", "make_certificates", "tls_yaml"]


def make_certificates(folder: Path, names: Sequence[str]) -> Certificates:
    """Creates the files for nodes with these names and addresses; existing ones are kept."""
    client_files = Certificates(folder / "ca.pem", folder / "client.pem", folder / "client-key.pem")
    node = folder / "node.pem"
    if node.exists():
        return client_files
    try:
        trustme: Any = importlib.import_module("trustme")
    except ImportError:
        message = "creating certificates needs trustme, which is not installed: pip install trustme"
        raise CassandraUnavailable(message) from None
    folder.mkdir(parents=True, exist_ok=True)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(client_files.ca)
    client = authority.issue_cert("client", common_name="client")
    client_files.key.touch(mode=0o600)
    client_files.key.write_bytes(_pkcs8(client.private_key_pem.bytes()))
    client.cert_chain_pems[0].write_to_path(client_files.certificate)
    server = authority.issue_cert(*names, common_name="node")
    node.touch(mode=0o600)
    chain = b"".join(pem.bytes() for pem in server.cert_chain_pems)
    node.write_bytes(_pkcs8(server.private_key_pem.bytes()) + chain)
    return client_files


def tls_yaml(folder: Path, *, optional: bool, client_certificates: bool) -> dict[str, Any]:
    """The TLS section of cassandra.yaml."""
    return {
        "enabled": True,
        "optional": optional,
        "require_client_auth": client_certificates,
        "keystore": str(folder / "node.pem"),
        "truststore": str(folder / "ca.pem"),
        "ssl_context_factory": {
            "class_name": "org.apache.cassandra.security.PEMBasedSslContextFactory"
        },
    }


def _pkcs8(pem: bytes) -> bytes:
    """A private key in the only format that Cassandra reads."""
    # Installed with trustme.
    forms: Any = importlib.import_module("cryptography.hazmat.primitives.serialization")
    key = forms.load_pem_private_key(pem, None)
    plain = (forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    encoded: bytes = key.private_bytes(*plain)
    return encoded

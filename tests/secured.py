"""A cluster with users and TLS, and the options of its clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from spikewire.testing import Cluster
    from spikewire.testing.certificates import Certificates

#: Characters that have a meaning in URLs.
PASSWORD = "s3:c/r@e?t%"
WRITER: dict[str, Any] = {"user": "app", "password": PASSWORD}
READER: dict[str, Any] = {"user": "reader", "password": "r"}
USERS: dict[str, Any] = {
    WRITER["user"]: {
        "password": PASSWORD,
        "roles": ["read-write-udf", "sindex-admin", "udf-admin", "truncate"],
    },
    READER["user"]: {"password": READER["password"], "roles": ["read"]},
}


def files(cluster: Cluster) -> Certificates:
    """The files of a cluster with TLS."""
    certificates = cluster.certificates
    assert certificates is not None
    return certificates


def trusted(cluster: Cluster, **more: Any) -> dict[str, Any]:
    """The option ``tls`` of a client that trusts the nodes."""
    return {"tls": {"ca": files(cluster).ca, **more}}


def identity(cluster: Cluster) -> dict[str, Any]:
    """Entries of ``tls``: the certificate of a client."""
    certificates = files(cluster)
    return {"certificate": certificates.certificate, "private_key": certificates.key}


def url(cluster: Cluster, name: str = "app", password: str = PASSWORD) -> str:
    """A URL with all of these."""
    ca = quote(str(files(cluster).ca), safe="")
    return f"aerospikes://{name}:{quote(password, safe='')}@{cluster.seeds}/test?tls_ca={ca}"

"""Encrypted private keys and lists of revoked certificates: as files, bytes, and in the drop-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from secured import files
from spikewire import Client, cql
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: An authority, its list without any certificate until the year 2126, and its key with the password
#: "hidden", as OpenSSL writes them.
AUTHORITY = b"""\
-----BEGIN CERTIFICATE-----
MIIBejCCASCgAwIBAgIUHrO7rC7PCaVSTzPuPH/krb5htGEwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPc3Bpa2V3aXJlLXRlc3RzMCAXDTI2MTEyOTIzMTMyNloYDzIx
MjYxMTA1MjMxMzI2WjAaMRgwFgYDVQQDDA9zcGlrZXdpcmUtdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARacA/rjBWWGhCbDuICBRce4bxpZXfeT9WNQrRU
zzICgYnmQy90U2VMEkfy5I7bJ+GKffO8CEzRfF8+vL60n5kWo0IwQDAPBgNVHRMB
Af8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUNsWGhu+uZOqmVa9/
gTbnO49wNhcwCgYIKoZIzj0EAwIDSAAwRQIgMvBQkfL064Xd0mDW9nm1Y6iU4wqn
GUoA03fazSIvuFoCIQClvPY2ItpOc9bUT5mtXkFKiP2Wp8xUTHmhyxyk1m0BLQ==
-----END CERTIFICATE-----
"""
LIST = b"""\
-----BEGIN X509 CRL-----
MIG0MFsCAQEwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPc3Bpa2V3aXJlLXRlc3Rz
Fw0yNjExMjkyMzEzMjdaGA8yMTI2MTEwNTIzMTMyN1qgDjAMMAoGA1UdFAQDAgEB
MAoGCCqGSM49BAMCA0kAMEYCIQCITbeA+SeeYYsUK8jnbU2oLjQRRK4X3HTHI+Ob
cbtaAwIhAKXjtbAFzZJzZgzUQtd0KMBQ//K74B+n7Tt158I24Zyt
-----END X509 CRL-----
"""
KEY = b"""\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgjd7Bi97L3XwICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAOI5lDy1PqDNAA7NKCZJbUEgZDi
S7ITX8SgejAxg676DUlw5yD6ShY72OgLA2adf5pFJoTZFdnb4aDqrgKuzqKfnbVx
nRVsZb+CKpHoFPBgqvBY3BeBDFi+EWSiYCW9xh8BKEAch2dHANW34ylZ65oLY68p
u1fK2UukjSwQzreRvGFEIdw1POMvAr16gS4H7cSF2uTnF4q4QdYc279i/2IHXqc=
-----END ENCRYPTED PRIVATE KEY-----
"""
IDENTITY: dict[str, Any] = {"certificate": AUTHORITY, "private_key": KEY}
#: An address without a node.
NOWHERE = "127.0.0.1:1"


@pytest.fixture(scope="module")
def secure() -> Iterator[Cluster]:
    with Cluster(tls=True) as cluster:
        yield cluster


@pytest.mark.parametrize("open_client", [Client, cql.Session])
def test_the_password_of_a_key_is_checked_at_once(open_client: Any) -> None:
    with pytest.raises(ConnectionError):
        open_client(NOWHERE, tls={**IDENTITY, "private_key_password": "hidden"})
    for password, expected in [
        ({}, "is encrypted: it needs its password"),
        ({"private_key_password": "hiddem"}, "is encrypted, and the password is wrong"),
    ]:
        with pytest.raises(ValueError, match=expected) as caught:
            open_client(NOWHERE, tls=IDENTITY | password)
        assert "hidde" not in str(caught.value)
    with pytest.raises(ValueError, match="private_key_password goes with private_key"):
        open_client(NOWHERE, tls={"private_key_password": "hidden"})
    with pytest.raises(TypeError, match="must be str, not int"):
        open_client(NOWHERE, tls={**IDENTITY, "private_key_password": 1})


def test_a_key_without_a_password_takes_none(secure: Cluster) -> None:
    own = files(secure)
    tls: Any = {"ca": own.ca, "certificate": own.certificate, "private_key": own.key}
    with Client(secure.seeds, tls=tls) as client:
        assert client.is_connected
    tls["private_key_password"] = "hidden"
    with pytest.raises(ValueError, match="is not encrypted, so it takes no password"):
        Client(secure.seeds, tls=tls)


def test_nodes_that_no_list_covers_are_rejected(secure: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "crl.pem"
    file.write_bytes(LIST)
    crls: Any
    for crls in (LIST, file, str(file), [LIST, file]):
        with pytest.raises(spikewire.ConnectionFailed, match="no list of revoked certificates"):
            Client(secure.seeds, tls={"ca": files(secure).ca, "crls": crls})
    url = f"aerospikes://{secure.seeds}/test?tls_ca={files(secure).ca}&tls_crls={file}"
    with pytest.raises(spikewire.ConnectionFailed, match="no list of revoked certificates"):
        Client.from_url(url)
    for crls in (None, []):
        with Client(secure.seeds, tls={"ca": files(secure).ca, "crls": crls}) as client:
            assert client.is_connected


def test_lists_that_are_none_are_rejected(tmp_path: Path) -> None:
    wrong: Any
    for wrong, expected in [
        (AUTHORITY, "there is no list of revoked certificates in PEM format"),
        (tmp_path / "nothing", "list of revoked certificates cannot be read from"),
    ]:
        with pytest.raises(ValueError, match=expected):
            Client(NOWHERE, tls={"crls": wrong})
    wrong = {"crls": LIST, "crl_check": "all"}
    with pytest.raises(ValueError, match="must be 'chain' or 'leaf', got \"all\""):
        Client(NOWHERE, tls=wrong)


def official(cluster_or_none: Cluster | None, **tls: Any) -> Any:
    place = NOWHERE if cluster_or_none is None else cluster_or_none.seeds
    host, port = place.rsplit(":", 1)
    config = {"hosts": [(host, int(port), "spikewire")], "tls": {"enable": True, **tls}}
    return aerospike.client(config)


@pytest.mark.parametrize("how", ["text", "env", "file"])
def test_the_drop_in_takes_passwords_from_three_places(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in (("key", KEY), ("certificate", AUTHORITY), ("password", b"hidden\n")):
        (tmp_path / name).write_bytes(content)
    monkeypatch.setenv("TLS_TEST_PASSWORD", "hidden")
    password = {
        "text": "hidden",
        "env": "env:TLS_TEST_PASSWORD",
        "file": f"file:{tmp_path / 'password'}",
    }[how]
    own = {"certfile": str(tmp_path / "certificate"), "keyfile": str(tmp_path / "key")}
    with pytest.raises(aerospike.exception.ConnectionError):
        official(None, keyfile_pw=password, **own)
    with pytest.raises(aerospike.exception.TLSError, match="password is wrong"):
        official(None, keyfile_pw="hiddem", **own)
    with pytest.raises(aerospike.exception.TLSError, match="no environment variable NO_SUCH"):
        official(None, keyfile_pw="env:NO_SUCH", **own)
    with pytest.raises(aerospike.exception.TLSError, match="nothing"):
        official(None, keyfile_pw=f"file:{tmp_path / 'nothing'}", **own)


@pytest.mark.parametrize("check", ["crl_check", "crl_check_all"])
def test_the_drop_in_finds_lists_where_authorities_are(
    secure: Cluster, check: str, tmp_path: Path
) -> None:
    file = tmp_path / "authorities"
    file.write_bytes(files(secure).ca.read_bytes() + LIST)
    with pytest.raises(aerospike.exception.ConnectionError):
        official(secure, cafile=str(file), **{check: True})
    with pytest.raises(aerospike.exception.ConnectionError):
        official(secure, capath=str(tmp_path), **{check: True})
    official(secure, cafile=str(file)).close()
    with pytest.raises(aerospike.exception.TLSError, match="no list of revoked certificates"):
        official(secure, cafile=str(files(secure).ca), **{check: True})

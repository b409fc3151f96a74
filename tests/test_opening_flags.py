"""The flags of commands about users and TLS."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from spikewire.cql._opening import CASSANDRA
from spikewire.opening import AEROSPIKE, flags

if TYPE_CHECKING:
    from pathlib import Path


def parsed(line: str, *, cassandra: bool = False, any_name: bool = True) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    flags.add_flags(parser, cassandra=cassandra, any_name=any_name)
    return parser.parse_args(line.split())


def test_without_them_a_client_has_no_options() -> None:
    args = parsed("")
    assert flags.client_options(args, {flags.PASSWORD: "p"}) == {}
    assert flags.problem(args, {}) is None


def test_the_password_is_a_flag_or_a_variable() -> None:
    args = parsed("--user app")
    assert flags.client_options(args, {flags.PASSWORD: "p"}) == {"user": "app", "password": "p"}
    assert flags.problem(args, {flags.PASSWORD: "p"}) is None
    args = parsed("--user app --password q --auth external-insecure")
    assert flags.client_options(args, {flags.PASSWORD: "p"}) == {
        "user": "app",
        "password": "q",
        "auth": "external-insecure",
    }
    assert CASSANDRA.variable("password") == flags.PASSWORD_CQL
    assert AEROSPIKE.variable("password") == flags.PASSWORD
    args = parsed("--user app", cassandra=True)
    assert flags.client_options(args, {flags.PASSWORD_CQL: "p"}) == {"user": "app", "password": "p"}


def test_a_password_is_prompted_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda prompt: f"typed at {prompt}")
    for line in ("--user app --password", "--password --user app"):
        requests = flags.client_options(parsed(line), {flags.PASSWORD: "p"})
        assert requests == {"user": "app", "password": "typed at Password: "}
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(SystemExit):
        parsed("--user app --password")
    assert "--password without a text asks for it: that takes a terminal" in capsys.readouterr().err


def test_names_are_verified_unless_a_command_can_do_without() -> None:
    line = "--tls-name db --no-tls-verify-hostname"
    assert flags.client_options(parsed(line), {}) == {
        "tls": {"server_name": "db", "verify_hostname": False}
    }
    with pytest.raises(SystemExit):
        parsed(line, any_name=False)
    assert flags.client_options(parsed("--tls", any_name=False), {}) == {"tls": True}


def test_tls_is_all_or_what_its_flags_say(tmp_path: Path) -> None:
    assert flags.client_options(parsed("--tls"), {}) == {"tls": True}
    assert flags.client_options(parsed("--tls-name db"), {}) == {"tls": {"server_name": "db"}}
    pem = tmp_path / "x.pem"
    pem.write_text("")
    args = parsed(f"--tls-ca {pem} --tls-certificate {pem} --tls-key {pem} --auth pki")
    files = {"ca": str(pem), "certificate": str(pem), "private_key": str(pem)}
    assert flags.client_options(args, {}) == {"auth": "pki", "tls": files}
    assert flags.problem(args, {}) is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("--user app", "--user app needs --password, or the variable SPIKEWIRE_AEROSPIKE_PASSWORD"),
        ("--password p", "--password needs --user"),
        ("--auth internal", "--auth internal needs --user"),
        ("--user a --password p --auth external", "it needs --tls"),
        ("--auth pki", "--auth pki needs --tls-certificate"),
        ("--auth pki --user app --password p", "--auth pki takes no --user"),
        ("--tls-ca /nowhere.pem", "--tls-ca /nowhere.pem: no such file"),
        ("--tls-key {pem}", "--tls-key needs --tls-certificate"),
        ("--tls-certificate {pem}", "--tls-certificate needs --tls-key"),
    ],
)
def test_conflicting_flags_are_rejected(line: str, reason: str, tmp_path: Path) -> None:
    pem = tmp_path / "x.pem"
    pem.write_text("")
    text = flags.problem(parsed(line.format(pem=pem)), {})
    assert text is not None
    assert reason in text

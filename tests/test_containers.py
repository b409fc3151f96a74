"""The files in examples/docker agree with each other, and with the repository."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
DOCKER = ROOT / "examples" / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
MANIFESTS = list(yaml.safe_load_all((DOCKER / "kubernetes.yaml").read_text()))
SERVICES = yaml.safe_load((DOCKER / "compose.yaml").read_text())["services"]
POD = MANIFESTS[0]["spec"]["template"]["spec"]["containers"][0]


def included(path: str) -> bool:
    """Whether Dockerfile.dockerignore lets a file into the build."""
    result = True
    for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = path.split("/")
        if pattern in ("*", path) or path.startswith(f"{pattern}/"):
            result = line.startswith("!")
        elif line.startswith("**/") and any(fnmatch.fnmatch(part, pattern) for part in parts):
            result = False
    return result


def test_what_the_image_is_built_from_gets_into_the_build() -> None:
    copied = re.findall(r"^COPY (?!--from)(\S+) \S+$", DOCKERFILE, re.MULTILINE)
    assert copied == [".", "examples/docker/service.py"]
    assert included("examples/docker/service.py")
    # What cargo and maturin read: the workspace, all its members, and the package.
    for path in (
        "Cargo.toml",
        "Cargo.lock",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "benches/instructions/Cargo.toml",
        "crates/spikewire-python/src/lib.rs",
        "python/spikewire/__init__.py",
    ):
        assert (ROOT / path).exists()
        assert included(path), path
    for path in (".git/HEAD", "target/x", "node/package.json", "python/spikewire/_native.so"):
        assert not included(path), path


def test_wheel_and_image_have_the_same_python() -> None:
    stages = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert stages == ["rust:${RUST}", "python:${PYTHON}", "python:${PYTHON}"]
    images = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))
    promised = re.search(r'^rust-version = "(\S+)"', (ROOT / "Cargo.toml").read_text(), re.M)
    assert promised is not None
    rust = [int(part) for part in re.findall(r"\d+", images["RUST"].split("-")[0])]
    assert rust >= [int(part) for part in promised[1].split(".")]
    # One release of Debian, or else the wheel may need a newer C library than the image has.
    assert images["RUST"].split("-")[-1] == images["PYTHON"].split("-")[-1]


def test_the_databases_are_where_the_service_looks_for_them() -> None:
    variables = {entry["name"]: entry["value"] for entry in POD["env"]}
    ports = {
        manifest["metadata"]["name"]: manifest["spec"]["ports"][0]["port"]
        for manifest in MANIFESTS
        if manifest["kind"] == "Service"
    }
    for name, url in (SERVICES["service"]["environment"] | variables).items():
        assert name in (DOCKER / "service.py").read_text()
        host, port = re.findall(r"//([\w.]+):(\d+)", url)[0]
        assert host in SERVICES
        assert ports[host] == int(port)
    assert set(SERVICES["service"]["depends_on"]) == {"aerospike", "cassandra"}
    assert all("healthcheck" in SERVICES[name] for name in ("aerospike", "cassandra"))


def test_ports_and_paths_of_probes_are_those_of_the_service() -> None:
    service = (DOCKER / "service.py").read_text()
    port = re.search(r'"PORT", "(\d+)"', service)
    assert port is not None
    assert f"EXPOSE {port[1]}\n" in DOCKERFILE
    assert SERVICES["service"]["ports"] == [f"127.0.0.1:{port[1]}:{port[1]}"]
    assert POD["ports"] == [{"containerPort": int(port[1])}]
    for probe in ("livenessProbe", "readinessProbe"):
        assert POD[probe]["httpGet"]["port"] == int(port[1])
        assert f'"{POD[probe]["httpGet"]["path"]}"' in service
    assert f":{port[1]}/ready" in DOCKERFILE

"""Downloads Cassandra's jars from Maven Central into the user's cache, once."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.errors import CassandraUnavailable
from spikewire.testing.cassandra.java import find_java
from spikewire.testing.cassandra.locks import hold

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["VERSION", "fetch_jars"]

VERSION = "5.0.9"
#: Time limit for Maven in seconds, with an empty repository and a slow connection.
LONGEST = 900

POM = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>spikewire</groupId>
  <artifactId>cassandra-for-tests</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>{VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""


def fetch_jars(progress: Callable[[str], None]) -> Path:
    """The folder with Cassandra's jars, downloaded by Maven if missing.

    The folder is created atomically, and one process downloads while others wait. Maven uses the
    user's settings: mirrors, proxies, local repository.
    """
    folder = _cache() / f"cassandra-{VERSION}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with hold(folder.parent / f"{folder.name}.lock", LONGEST):
        if not folder.is_dir():
            _fetch(folder, progress)
    return folder


def _cache() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache_home) if cache_home else Path.home() / ".cache") / "spikewire"


def _fetch(folder: Path, progress: Callable[[str], None]) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        message = (
            f"the jars of Cassandra {VERSION} are fetched by Maven, and there is no program mvn: "
            "install it (on Debian maven)"
        )
        raise CassandraUnavailable(message)
    progress(f"fetching Cassandra {VERSION} with Maven into {folder}")
    # Next to its destination, so that it can be moved in one step.
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder.parent) as work:
        (Path(work) / "pom.xml").write_text(POM)
        _run_maven(maven, Path(work))
        jars = Path(work) / "jars"
        if not (jars / f"cassandra-all-{VERSION}.jar").is_file() or not any(jars.glob("jamm-*")):
            message = f"Maven succeeded, but did not fetch the jars of Cassandra {VERSION}"
            raise CassandraUnavailable(message)
        jars.rename(folder)


def _run_maven(maven: str, work: Path) -> None:
    command = [maven, "--quiet", "--batch-mode", "dependency:copy-dependencies"]
    command += ["-DoutputDirectory=jars", "-DincludeScope=runtime"]
    environment = dict(os.environ)
    if "JAVA_HOME" not in environment and shutil.which("java") is None:
        # Maven must find the Java of the wheel, too.
        environment["JAVA_HOME"] = str(find_java().parent.parent)
    try:
        # The user's own Maven, by absolute path.
        done = subprocess.run(  # noqa: S603
            command,
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"Maven did not fetch Cassandra {VERSION} within {LONGEST} s"
        raise CassandraUnavailable(message) from None
    if done.returncode:
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
        why = errors[0] if errors else f"status {done.returncode}"
        message = f"Maven could not fetch Cassandra {VERSION}: {why}"
        raise CassandraUnavailable(message)

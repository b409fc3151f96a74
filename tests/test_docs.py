"""The pages are correct: their Python blocks run, their links work, their tables are well-formed.

The blocks of a page are one program, run from top to bottom with warnings as errors. A line
``print(...)  # text`` must print exactly that text, in that order.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spikewire
from spikewire import _native, codec, cql, errors, op, query
from spikewire.cql.options import ExecuteOptions, PrepareOptions, SessionOptions
from spikewire.options import BlockingOptions, TlsOptions
from spikewire.testing.cassandra import (
    CassandraCluster,
    CassandraOptions,
    CassandraUnavailable,
    CqlProxy,
    SharedCassandra,
    need_cassandra,
)
from spikewire.testing.cassandra.faults import ProxyFaults
from spikewire.testing.cluster import Cluster, ClusterOptions, Faults

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "crates/spikewire/README.md"])
PROGRAMS = [
    "README.md",
    "docs/index.md",
    "docs/tutorial.md",
    "docs/python.md",
    "docs/opening.md",
    "docs/security.md",
    "docs/profiles.md",
    "docs/queries.md",
    "docs/server-filters.md",
    "docs/side-by-side.md",
    "docs/builder.md",
    "docs/columns.md",
    "docs/compat-aerospike.md",
    "docs/compat-aerospike-py.md",
    "docs/moving.md",
    "docs/free-threading.md",
    "docs/from-aerospike.md",
    "docs/from-aerospike-py.md",
    "docs/production.md",
    "docs/starting.md",
    "docs/tuning.md",
    "docs/under-a-spike.md",
    "docs/hot-keys.md",
    "docs/transactions.md",
    "docs/rehearsal.md",
    "docs/operations.md",
    "docs/paths.md",
    "docs/string-operations.md",
    "docs/tasks.md",
    "docs/pool.md",
    "docs/in-flight.md",
    "docs/errors.md",
    "docs/error-details.md",
    "docs/frameworks.md",
    "docs/observability.md",
    "docs/opentelemetry.md",
    "docs/functions.md",
    "docs/embedded-cluster.md",
    "docs/tables.md",
    "docs/types.md",
    "docs/values.md",
]
#: Pages that start a real Cassandra.
CASSANDRA_PROGRAMS = [
    "docs/cassandra-columns.md",
    "docs/cassandra-for-tests.md",
    "docs/cassandra-schema.md",
    "docs/cassandra.md",
    "docs/compat-cassandra.md",
    "docs/from-cassandra-driver.md",
]
#: Packages that a page needs in addition to those of the tests.
NEEDS = {
    "docs/cassandra-columns.md": ("pyarrow",),
    "docs/columns.md": ("duckdb", "pandas", "polars", "pyarrow"),
    "docs/frameworks.md": (
        "anyio",
        "celery",
        "django",
        "fastapi",
        "flask",
        "httpx",
        "numpy",
        "pydantic",
        "trio",
    ),
    "docs/observability.md": ("prometheus_client",),
    "docs/opentelemetry.md": ("opentelemetry.sdk",),
    "docs/starting.md": ("fastapi", "httpx"),
    "docs/tables.md": ("pyarrow",),
}

SAID = re.compile(r"^\s*print\(.*\)  # (.+)$")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)#?([^)\s]*)\)")


def blocks(page: Path) -> str:
    """The Python blocks of a page on their original lines, so that tracebacks point there."""
    lines = []
    language = None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            language = line.removeprefix("```") if language is None else None
            line = ""
        lines.append(line if language == "python" else "")
    return "\n".join(lines) + "\n"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.cassandra
@pytest.mark.parametrize("name", CASSANDRA_PROGRAMS)
def test_blocks_run_with_a_cassandra(name: str, tmp_path: Path) -> None:
    try:
        need_cassandra()
    except CassandraUnavailable as error:
        pytest.skip(f"no Cassandra: {error}")
    test_blocks_run(name, tmp_path)


@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_run(name: str, tmp_path: Path) -> None:
    for needed in NEEDS.get(name, ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    text = blocks(ROOT / name)
    # A page may have the name of a module that Python itself imports.
    program = tmp_path / f"page_{Path(name).stem}.py"
    program.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = iter(ran.stdout.splitlines())
    for line in text.splitlines():
        expected = SAID.match(line)
        if expected is not None:
            assert expected[1] in lines, f"{name}: {line.strip()}\nprinted:\n{ran.stdout}"


def test_every_api_prints_the_same() -> None:
    page = (ROOT / "docs/side-by-side.md").read_text(encoding="utf-8")
    tabs = page[page.index("<!-- tabs -->") : page.index("<!-- end of tabs -->")]
    programs = re.findall(r"```python\n(.*?)```", tabs, re.DOTALL)
    values = {tuple(re.findall(r"print\(.*\)  # (.+)$", one, re.MULTILINE)) for one in programs}
    assert len(programs) >= 4
    assert len(values) == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{page.name}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{page.name}: {target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_words(page: Path) -> None:
    """The site shows titles, and nobody sees names of files there."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"\[[a-z-]+\.md\]\([a-z-]+\.md[^)]*\)", text) == []


def test_first_pages_promise_the_same() -> None:
    """The README and the first page of the site, up to the figures and behind them."""

    def promise(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        parts = re.split(
            r"<!-- figures: promise.*?<!-- end of figures -->\n", text, flags=re.DOTALL
        )
        return [parts[0].split("\n\n")[1], parts[1].strip().split("\n\n")[0]]

    assert promise("README.md") == promise("docs/index.md")


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/client-options.md", BlockingOptions.__annotations__),
        ("docs/python.md", [f"op.{name}" for name in op.__all__]),
        ("docs/security.md", TlsOptions.__annotations__),
        ("docs/values.md", [f"codec.{name}" for name in codec.__all__ if name != "Codec"]),
        ("docs/errors.md", errors.__all__),
        ("docs/troubleshooting.md", errors.__all__),
        ("docs/troubleshooting.md", cql.errors.__all__),
        ("docs/errors.md", [*errors.Error().__dict__, "advice"]),
        ("docs/queries.md", query.__all__),
        ("docs/queries.md", list(inspect.signature(spikewire.Client.query).parameters)[3:]),
        ("docs/embedded-cluster.md", ["nodes", *ClusterOptions.__annotations__]),
        ("docs/embedded-cluster.md", Faults.__annotations__),
        ("docs/session-options.md", SessionOptions.__annotations__),
        (
            "docs/session-options.md",
            [*PrepareOptions.__annotations__, *ExecuteOptions.__annotations__],
        ),
        ("docs/cassandra.md", list(cql.errors.Error().__dict__)),
        ("docs/cassandra-for-tests.md", ["nodes", *CassandraOptions.__annotations__]),
        ("docs/cassandra-for-tests.md", ProxyFaults.__annotations__),
    ],
    ids=[
        "options",
        "operations",
        "encryption",
        "codecs",
        "errors",
        "messages",
        "messages of Cassandra",
        "attributes",
        "ranges",
        "query",
        "cluster",
        "faults",
        "session",
        "execution",
        "attributes with Cassandra",
        "Cassandra",
        "proxy",
    ],
)
def test_tables_are_whole(page: str, names: list[str]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [name for name in names if f"`{name}" not in text]
    assert missing == []


def quoted_messages() -> list[str]:
    """The messages of the page about messages: code in the first column of the tables of
    messages."""
    texts: list[str] = []
    message = False
    for line in (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8").splitlines():
        cells = line.split("|")
        if len(cells) < 3:
            message = False
        elif cells[1].strip() == "message":
            message = True
        elif message:
            texts += re.findall("`([^`]+)`", cells[1])
    return texts


def test_quoted_messages_are_those_of_the_source() -> None:
    files = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("python/spikewire/**/*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    # String literals that continue on the next line, in Rust and in Python.
    source = re.sub(r'\\\n\s*|"\s*\n\s*f?"', "", source)
    messages = quoted_messages()
    assert len(messages) > 70
    for message in messages:
        pieces = [piece.strip() for piece in message.split("…")]
        assert max(map(len, pieces)) > 6, f"too little of a message: {message}"
        assert [piece for piece in pieces if piece not in source] == [], message


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("docs/python.md", spikewire.Dataset),
        ("docs/in-flight.md", _native.FutureBase),
        ("docs/pool.md", spikewire.Pool),
        ("docs/embedded-cluster.md", Cluster),
        ("docs/cassandra.md", cql.Session),
        ("docs/cassandra.md", cql.Rows),
        ("docs/cassandra.md", cql.Row),
        ("docs/cassandra.md", cql.Query),
        ("docs/cassandra-for-tests.md", CassandraCluster),
        ("docs/cassandra-for-tests.md", SharedCassandra),
        ("docs/cassandra-for-tests.md", CqlProxy),
        ("docs/python.md docs/columns.md", spikewire.Batch),
    ],
    ids=[
        "verbs",
        "futures",
        "pool",
        "cluster",
        "session",
        "result",
        "row",
        "stream",
        "Cassandra",
        "shared",
        "proxy",
        "batch",
    ],
)
def test_every_public_method_is_documented(page: str, kind: type) -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in page.split())
    public = [name for name in vars(kind) if not name.startswith("_")]
    assert [name for name in public if f"{name}(" not in text and f"`{name}`" not in text] == []

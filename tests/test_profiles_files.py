"""Profiles in files: positions in messages, inheritance, reloading under load."""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from forking import scenario
from spikewire import ProfileError, Profiles
from spikewire.aerospike.profiles import sources
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOML = """\
# Profiles
[base]
timeout = 1.5
[base.write]
send_key = true

[fast]
derives = "base"
read = { timeout = 0.05, replica = "any" }
write.many.timeout = 2
"""
YAML = """\
# Profiles
fast:
  derives: base
  read: {timeout: 0.05, replica: any}
  write:
    many:
      timeout: 2
base:
  timeout: 1.5
  write:
    send_key: true
"""


@pytest.fixture(scope="module")
def client() -> Iterator[spikewire.Client]:
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds, timeout=20) as client:
        yield client


def written(path: Path, text: str | bytes) -> Path:
    """Replaces the file atomically, as careful programs do."""
    new = path.with_suffix(".new")
    new.write_bytes(text if isinstance(text, bytes) else text.encode())
    new.replace(path)
    return path


@pytest.fixture(params=["toml", "yaml"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    pytest.importorskip("yaml")
    return written(tmp_path / f"p.{request.param}", TOML if request.param == "toml" else YAML)


def test_profiles_are_read_from_a_file(file: Path, client: spikewire.Client) -> None:
    profiles = Profiles(file)
    assert set(profiles) == {"base", "fast"}
    assert profiles["base"].options == {"timeout": 1.5, "write.send_key": True}
    assert profiles["fast"].options == {
        "timeout": 1.5,
        "write.send_key": True,
        "read.timeout": 0.05,
        "read.replica": "any",
        "write.many.timeout": 2,
    }
    view = client.with_profile(profiles["fast"])
    lines = {"toml": (9, 5), "yaml": (4, 11)}[file.suffix[1:]]
    get, put = view.explain("get")["timeout"], view.explain("put")["send_key"]
    assert get.source == f"profile 'fast', read.timeout ({file.name}, line {lines[0]})"
    assert put.source == f"profile 'base', write.send_key ({file.name}, line {lines[1]})"
    with pytest.raises(KeyError, match="there is no profile 'slow' in p"):
        profiles["slow"]
    assert profiles.get("slow") is None
    assert not profiles.reload()


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("toml", "[a]\ntimeout = 1\nspeed = 2\n", "p.toml, line 3, a.speed: there is no option"),
        ("toml", "[a.read]\ntimeout = 'x'\n", "p.toml, line 2, a.read.timeout: timeout must be"),
        ("toml", "[a]\n\nread = { ttl = 1 }\n", "p.toml, line 3, a.read.ttl: there is no option"),
        ("toml", '["a"]\n"write".durable = 1\n', "p.toml, line 2, a.write.durable: "),
        ("toml", "[a]\ntimeout = \n", "p.toml, line 2: "),
        ("toml", "[a]\nx = 1\nx = 2\n", "p.toml, line 3: "),
        ("toml", "[a]\nx = '''", "p.toml, line 2: "),
        ("toml", "a = 1\n", "p.toml, line 1, a: it must be a section of options, not int"),
        ("toml", "[[a]]\n", "p.toml, line 1, a: it must be a section of options, not list"),
        ("toml", "[a]\nderives = 'b'\n", "p.toml, line 2, a.derives: there is no profile 'b'"),
        (
            "toml",
            "[a]\nderives = 'b'\n[b]\nderives = 'a'\n",
            "p.toml, line 2, a.derives: it derives from itself: a -> b -> a",
        ),
        ("toml", b"[a]\n# \xff\n", "p.toml, line 2: the file is not UTF-8"),
        ("yaml", "a:\n  timeout: 1\n  speed: 2\n", "p.yaml, line 3, a.speed: there is no option"),
        ("yaml", "a:\n  read:\n    timeout: x\n", "p.yaml, line 3, a.read.timeout: timeout must"),
        (
            "yaml",
            "a:\n  timeout: 1\n  timeout: 2\n",
            "p.yaml, line 3, a.timeout: the key occurs twice",
        ),
        ("yaml", "a:\n  1: 2\n", "p.yaml, line 2, a.1: keys must be strings"),
        ("yaml", "a:\n  timeout: [\n", "p.yaml, line 3: "),
        ("yaml", "a:\n  timeout: !!python/name:os.system\n", "p.yaml, line 2: "),
        ("yaml", "a: {}\n---\nb: {}\n", "p.yaml, line 2: "),
        ("yaml", "a:\n  timeout: 2001-13-45\n", "p.yaml, line 2, a.timeout: month must be"),
        ("yaml", "a: &a {}\nb:\n  <<: *a\n", "p.yaml, line 3, b.<<: merge keys are not supported"),
        ("yaml", "a:\n  timeout: \0\n", "p.yaml, line 2: special characters are not allowed"),
        ("yaml", "a: " + "[" * 500, "p.yaml: it is nested too deeply"),
        ("toml", "[a]\nx = " + "[" * 3000, "p.toml: it is nested too deeply"),
        # Lines end where the format says so, not wherever `splitlines` does.
        ("toml", "# \u2028 \x85\n[a]\ntimeout = 'x'\n", "p.toml, line 3, a.timeout: timeout must"),
        ("yaml", "- a\n", "p.yaml, line 1: the file must map profile names to profiles"),
        ("yaml", "a: &x\n  read: *x\n", "p.yaml, line 2, a.read"),
        ("yaml", "a:\n  derives: a\n", "p.yaml, line 2, a.derives: it derives from itself: a -> a"),
    ],
)
def test_a_mistake_names_file_line_and_key_and_the_old_ones_stay(
    kind: str, text: str | bytes, message: str, tmp_path: Path, client: spikewire.Client
) -> None:
    pytest.importorskip("yaml")
    file = written(tmp_path / f"p.{kind}", text)
    with pytest.raises(ProfileError) as caught:
        Profiles(file)
    assert str(caught.value).startswith(message)
    assert caught.value.file == file.name
    profiles = Profiles(written(file, TOML if kind == "toml" else YAML))
    view = client.with_profile(profiles["fast"])
    written(file, text)
    with pytest.raises(ProfileError):
        profiles.reload()
    assert view.explain("get")["timeout"].value == 0.05
    assert set(profiles) == {"base", "fast"}


def test_a_reload_reaches_views_and_what_derives(file: Path, client: spikewire.Client) -> None:
    profiles = Profiles(file)
    # Equal views, each of which must be notified.
    views = [client.with_profile(profiles["fast"]) for _ in range(3)]
    derived = client.with_profile(profiles["fast"].derive("more", read={"replica": "master"}))
    users = [view.dataset("test", "reload") for view in [*views, derived]]
    before = [each.get for each in users]
    written(file, file.read_text().replace("0.05", "0.07") + "\n")
    assert profiles.reload()
    for each, old in zip(users, before, strict=True):
        assert each.explain("get")["timeout"].value == 0.07
        assert each.get is not old
        assert each.get.keywords["timeout"] == 0.07  # type: ignore[attr-defined]
    assert derived.explain("get")["replica"].value == "master"


def test_profiles_come_and_do_not_go(tmp_path: Path) -> None:
    file = written(tmp_path / "p.toml", "[a]\ntimeout = 1\n[b]\n")
    profiles = Profiles(file)
    written(file, "[a]\ntimeout = 2\n[c]\n")
    with pytest.raises(ProfileError, match=r"^p.toml, b: the profile was removed from the file"):
        profiles.reload()
    assert profiles["a"].options == {"timeout": 1}
    written(file, "[a]\ntimeout = 2\n[b]\n[c]\n")
    assert profiles.reload()
    assert list(profiles) == ["a", "b", "c"]
    assert profiles["a"].options == {"timeout": 2}


def test_files_are_of_known_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"'p.ini' must end in \.toml, \.yaml, \.yml"):
        Profiles(tmp_path / "p.ini")
    with pytest.raises(FileNotFoundError):
        Profiles(tmp_path / "p.toml")
    with pytest.raises(ValueError, match='format must be "toml" or "yaml"'):
        sources.read("", "ini", "p")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="needs the module yaml: pip install pyyaml"):
        Profiles(written(tmp_path / "p.yaml", YAML))


def test_a_file_may_begin_with_a_mark_of_its_encoding(file: Path) -> None:
    marked = written(file, b"\xef\xbb\xbf" + file.read_bytes())
    assert Profiles(marked)["fast"].options["read.timeout"] == 0.05


def test_reloading_while_it_is_reloaded(tmp_path: Path) -> None:
    """As in a signal handler, which interrupts whatever its thread does."""
    file = written(tmp_path / "p.toml", "[a]\ntimeout = 1\n[b]\ntimeout = 1\n")
    profiles = Profiles(file)

    class Handler:
        seen = 0

        def profile_changed(self) -> None:
            self.seen += 1
            if self.seen == 1:
                written(file, file.read_text().replace("2", "3"))
                assert profiles.reload()

    handler = Handler()
    profiles["a"].attach(handler)
    written(file, file.read_text().replace("1", "2"))
    reloading = threading.Thread(target=profiles.reload, daemon=True)
    reloading.start()
    reloading.join(60)
    assert not reloading.is_alive()
    assert [profile.options["timeout"] for profile in profiles.values()] == [3, 3]
    assert not profiles.reload()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_child_of_a_fork_reloads_whatever_threads_held(tmp_path: Path) -> None:
    file = written(tmp_path / "p.toml", "[a]\ntimeout = 1\n")
    program = """
        from pathlib import Path
        file = Path(sys.argv[1])
        profiles = spikewire.Profiles(file)

        class Holds:
            def profile_changed(self):
                forked.wait()

        holds, forked = Holds(), threading.Event()
        profiles["a"].attach(holds)
        file.write_text(file.read_text().replace("1", "2"))
        reloading = threading.Thread(target=profiles.reload)
        reloading.start()
        while profiles["a"].options["timeout"] == 1:
            time.sleep(0.01)

        def work():
            profiles["a"].derive("b")
            forked.set()
            assert profiles.reload()
            assert profiles["a"].options["timeout"] == 2

        child(work)
        forked.set()
        reloading.join()
        print("fine")
    """
    assert scenario(str(file), program, "-W", "ignore") == "fine"


def test_watching_waits_until_a_file_is_written(tmp_path: Path) -> None:
    whole = b"[a]\ntimeout = 5\n"
    profiles = Profiles(written(tmp_path / "p.toml", b"[a]\n"))

    class Growing:
        """Half of it exists when it is read first, and all of it from then on."""

        name = "p.toml"
        reads = 0

        def read_bytes(self) -> bytes:
            self.reads += 1
            return whole[:15] if self.reads == 1 else whole

    seen: list[Any] = []

    class Dependent:
        def profile_changed(self) -> None:
            seen.append(profiles["a"].options["timeout"])

    dependent = Dependent()
    profiles["a"].attach(dependent)
    profiles._path = Growing()  # type: ignore[assignment]
    whole = whole.replace(b"5", b"51")
    with profiles.watch(every=0.01):
        assert until(lambda: seen)
    assert seen == [51]


@pytest.mark.parametrize("every", [float("inf"), float("nan"), -1, 1e300])
def test_an_interval_is_a_time(every: float, tmp_path: Path) -> None:
    profiles = Profiles(written(tmp_path / "p.toml", "[a]\n"))
    with pytest.raises(ValueError, match="every must be a number of seconds above 0"):
        profiles.watch(every=every)
    with pytest.raises(TypeError, match="every must be a number of seconds, not str"):
        profiles.watch(every="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="on_error must be a function, not str"):
        profiles.watch(on_error="print")  # type: ignore[arg-type]


def test_a_watched_file_is_reloaded(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    profiles = Profiles(file)
    errors: queue.Queue[Exception] = queue.Queue()
    good = file.read_text()
    with (
        caplog.at_level(logging.INFO, "spikewire.profiles"),
        profiles.watch(every=0.01, on_error=errors.put) as watch,
    ):
        written(file, good.replace("0.05", "0.07"))
        assert until(lambda: profiles["fast"].options["read.timeout"] == 0.07)
        written(file, good.replace("0.05", "-1"))
        error = errors.get(timeout=60)
        assert isinstance(error, ProfileError)
        assert (error.file, error.key) == (file.name, "fast.read.timeout")
        assert profiles["fast"].options["read.timeout"] == 0.07
        written(file, good.replace("0.05", "0.09"))
        assert until(lambda: profiles["fast"].options["read.timeout"] == 0.09)
    watch.stop()
    assert errors.empty()
    values = [record.getMessage() for record in caplog.records]
    assert sum("not reloaded" in text for text in values) == 1
    assert "fast.read.timeout: timeout must be" in next(it for it in values if "not reloaded" in it)
    with pytest.raises(ValueError, match="every must be a number of seconds above 0, not 0"):
        profiles.watch(every=0)


def test_no_call_fails_while_profiles_are_reloaded(
    tmp_path: Path, client: spikewire.Client
) -> None:
    file = tmp_path / "p.toml"

    def text(number: int) -> str:
        return f"[a]\ntimeout = {20 + number % 7}\n[a.write]\nttl = {1000 + number}\n"

    profiles = Profiles(written(file, text(0)))
    users = client.with_profile(profiles["a"]).dataset("test", "load")
    calls = [0] * 4
    errors: list[BaseException] = []
    done = threading.Event()

    def load(number: int) -> None:
        try:
            while not done.is_set():
                users.put(number, {"n": calls[number]})
                record = users.get(number)
                assert record["n"] == calls[number]
                ttl: Any = record.ttl
                assert 900 < ttl <= 1000 + 300
                calls[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, 301):
            written(file, text(number))
            assert profiles.reload()
            if number % 10 == 0:
                written(file, "[a]\ntimeout = 'soon'\n")
                with pytest.raises(ProfileError):
                    profiles.reload()
            if number % 50 == 0:  # some calls run in each state
                before = list(calls)
                assert until(lambda: bool(errors) or all(map(int.__lt__, before, calls)))  # noqa: B023
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert errors == []
    users.put(9, {"n": 1})
    assert 1250 < (users.get(9).ttl or 0) <= 1300

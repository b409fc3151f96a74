"""What `make release-check` is made of, without building packages."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
URLS = {
    name: f"https://host.example/{name}"
    for name in ("homepage", "documentation", "repository", "issues", "changelog")
}
PARTS = ("names", "notices", "source", "release_steps", "wheels", "python_packages", "check")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of tools/release, which are programs, not a package."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools" / "release"), *sys.path])
    yield importlib.import_module
    for name in PARTS:
        sys.modules.pop(name, None)


# --- Names ----------------------------------------------------------------------------------------


def test_names_are_in_all_manifests_and_can_be_taken_out_again(tool: Any) -> None:
    names = tool("names")
    known = names.Names(URLS, {"author": "Somebody"}, {})
    written = names.files(ROOT, known)
    assert {file.relative_to(ROOT).as_posix() for file in written} >= {
        "pyproject.toml",
        "Cargo.toml",
        "node/package.json",
        "crates/spikewire/Cargo.toml",
    }
    for file, text in written.items():
        assert "https://host.example/repository" in text or "repository.workspace = true" in text, (
            file
        )
    package = json.loads(written[ROOT / "node/package.json"])
    assert package["repository"]["url"] == "git+https://host.example/repository.git"
    for change, file in (
        (names.pyproject, "pyproject.toml"),
        (names.workspace, "Cargo.toml"),
        (names.crate, "crates/spikewire/Cargo.toml"),
        (names.package_json, "node/package.json"),
    ):
        once = change((ROOT / file).read_text(), known)
        assert change(once, known) == once
        assert change(once, names.load()) == change((ROOT / file).read_text(), names.load())


def test_this_checkout_agrees_with_the_names(tool: Any) -> None:
    names = tool("names")
    assert names.disagreeing(ROOT, names.load()) == []


def test_a_url_that_is_none_is_refused(tool: Any, tmp_path: Path) -> None:
    file = tmp_path / "names.toml"
    file.write_text('[urls]\nrepository = "host/it"\n[people]\n[done]\n')
    with pytest.raises(ValueError, match=r"urls\.repository is no https URL: 'host/it'"):
        tool("names").load(file)


# --- Notices --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "licenses"),
    [
        ("MIT OR Apache-2.0", {"Apache-2.0"}),
        ("MIT/Apache-2.0", {"Apache-2.0"}),
        ("Unlicense OR MIT", {"MIT"}),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", {"Apache-2.0", "Unicode-3.0"}),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", {"Apache-2.0"}),
        ("Apache-2.0 AND ISC", {"Apache-2.0", "ISC"}),
    ],
)
def test_the_license_that_is_used(tool: Any, expression: str, licenses: set[str]) -> None:
    assert tool("notices").chosen(expression) == licenses


@pytest.mark.parametrize(
    "expression", ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 WITH GPL-exception", "X"]
)
def test_an_unknown_license_is_for_a_human(tool: Any, expression: str) -> None:
    notices = tool("notices")
    with pytest.raises(notices.Unknown, match="CHOSEN"):
        notices.chosen(expression)


def test_licenses_that_may_be_used_are_known(tool: Any) -> None:
    allowed = re.search(r"allow = \[(.*?)\n\]", (ROOT / "deny.toml").read_text(), re.DOTALL)
    assert allowed
    names = set(re.findall(r'"([^"]+)"', allowed[1]))
    assert names - {"Apache-2.0 WITH LLVM-exception"} <= set(tool("notices").CHOSEN)


def test_a_crate_without_a_text_is_for_a_human(tool: Any, tmp_path: Path) -> None:
    notices = tool("notices")
    crate = notices.Crate("a", "1.0.0", "ISC", tmp_path, "", ("A. Uthor <a@b>",))
    with pytest.raises(notices.Unknown, match=r"a 1\.0\.0: no text of ISC"):
        notices.texts(crate)
    (tmp_path / "LICENSE").write_text("ISC, as it says\n")
    assert notices.texts(crate) == ["ISC, as it says"]
    # The MIT license names who it is from.
    mit = notices.Crate("b", "1.0.0", "MIT", tmp_path / "none", "", ("A. Uthor <a@b>",))
    assert notices.texts(mit)[0].startswith(
        "Copyright (c) A. Uthor\n\nPermission is hereby granted"
    )


def test_texts_of_licenses_that_are_not_used_are_left_out(tool: Any, tmp_path: Path) -> None:
    notices = tool("notices")
    for name in (
        "LICENSE-MIT",
        "LICENSE-UNICODE",
        "NOTICE",
        "tests/LICENSE",
        "vendored/LICENSE-MIT",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    crate = notices.Crate("a", "1.0.0", "(MIT OR Apache-2.0) AND Unicode-3.0", tmp_path, "", ())
    assert notices.texts(crate) == ["LICENSE-UNICODE", "NOTICE", "vendored/LICENSE-MIT"]


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
@pytest.mark.parametrize(("kind", "linked"), [("python", "pyo3"), ("node", "napi-sys")])
def test_notices_have_what_is_linked(tool: Any, kind: str, linked: str) -> None:
    text = tool("notices").text(kind)
    for part in ("Lua.org, PUC-Rio", "The Rust standard library", "- ring ", f"- {linked} "):
        assert part in text
    assert "- spikewire" not in text
    # Of what is used to build and to test, nothing is linked.
    assert "- syn " not in text
    assert "- proptest " not in text


# --- The tree that packages are built from --------------------------------------------------------


def test_links_of_the_readme_are_absolute(tool: Any) -> None:
    source = tool("source")
    text = (ROOT / "README.md").read_text()
    assert source.relative_links(text)
    absolute = source.absolute(text, "https://host.example/it.git", "v1.2.3")
    assert source.relative_links(absolute) == []
    assert "](https://host.example/it/blob/v1.2.3/docs/installing.md)" in absolute
    assert source.absolute(text, "", "v1.2.3") == text


def test_wheels_and_npm_packages_have_the_same_platforms(tool: Any) -> None:
    table = (ROOT / "node/scripts/platforms.mjs").read_text()
    pairs = re.findall(r"name: '([^']+)',\s+rust: '([^']+)'", table)
    assert {name: rust for name, (rust, _) in tool("wheels").PLATFORMS.items()} == dict(pairs)
    assert set(tool("notices").TARGETS) == {rust for _, rust in pairs}


# --- Steps ----------------------------------------------------------------------------------------


def test_the_table_says_what_failed_and_what_is_left(tool: Any, tmp_path: Path) -> None:
    release_steps = tool("release_steps")

    def fails(context: Any) -> list[Any]:
        context.run([sys.executable, "-c", "print('why'); raise SystemExit(3)"])
        return []

    def absent(context: Any) -> list[Any]:
        context.run(["no-such-program"])
        return []

    human = release_steps.Finding("human", "urls.homepage: the homepage", "names.toml")
    outcomes = release_steps.run_steps(
        [
            release_steps.Step("one", lambda _: [release_steps.Finding("note", "12 bytes"), human]),
            release_steps.Step("two", fails),
            release_steps.Step("three", lambda _: [], needs="two"),
            release_steps.Step("four", absent),
            release_steps.Step("five", lambda _: [human]),
        ],
        release_steps.Context(root=tmp_path, output=tmp_path),
    )
    results = [outcome.result for outcome in outcomes]
    assert results == ["passed", "FAILED", "left out", "absent", "passed"]
    assert outcomes[1].findings[0].text.endswith("ended with 3:\nwhy")
    table = release_steps.table(outcomes)
    assert re.search(r"^one +passed +0 s +12 bytes$", table, re.MULTILINE)
    assert table.endswith("What only a human can do:\n  - urls.homepage: the homepage (names.toml)")
    assert release_steps.status(outcomes) == 1
    rest = [outcomes[0], outcomes[3]]
    assert release_steps.status(rest) == 0
    assert release_steps.status(rest, complete=True) == 1
    assert release_steps.status(rest, named=True) == 1
    assert "why" in (tmp_path / "logs" / "two.log").read_text()


@pytest.mark.parametrize(
    ("wheel", "tag", "level"),
    [
        ("a-manylinux_2_28_x86_64.whl", "manylinux_2_17_x86_64", "note"),
        ("a-manylinux_2_28_x86_64.whl", "manylinux_2_28_x86_64", "note"),
        ("a-manylinux_2_28_x86_64.whl", "manylinux_2_34_x86_64", "failed"),
        ("a-manylinux_2_28_x86_64.whl", "linux_x86_64", "failed"),
        ("a-musllinux_1_2_x86_64.whl", "musllinux_1_2_x86_64", "note"),
        ("a-musllinux_1_2_x86_64.whl", "manylinux_2_17_x86_64", "failed"),
    ],
)
def test_tags_of_wheels(tool: Any, wheel: str, tag: str, level: str) -> None:
    assert tool("python_packages").judged(wheel, tag).level == level


def test_contents_of_wheels(tool: Any) -> None:
    packages = tool("python_packages")
    info = "spikewire-0.1.0.dist-info"
    files = {
        "spikewire/py.typed": "",
        "spikewire/_native.pyi": "",
        "spikewire/_native.cpython-311-x86_64-linux-gnu.so": "",
        f"{info}/licenses/LICENSE": "",
        f"{info}/licenses/THIRD-PARTY-NOTICES.txt": "",
        f"{info}/METADATA": "License-Expression: Apache-2.0\n"
        "Classifier: Operating System :: POSIX :: Linux\n",
        f"{info}/sboms/spikewire-python.cyclonedx.json": json.dumps(
            {"components": [{"name": name} for name in ("mlua", "ring", "pyo3")]}
        ),
    }
    assert packages.wrong_contents(list(files), files.__getitem__) == []
    for name in files:
        if name.endswith("METADATA"):
            continue
        rest = [other for other in files if other != name]
        assert packages.wrong_contents(rest, files.__getitem__), name
    files |= {"tests/a.py": "", f"{info}/METADATA": "Classifier: Operating System :: MacOS\n"}
    assert packages.wrong_contents(list(files), files.__getitem__) == [
        "tests/a.py does not belong there",
        "Operating System :: MacOS: no such system was tested",
        "License-Expression is not Apache-2.0",
    ]


def test_pages_that_say_there_is_no_release_are_for_a_human(tool: Any, tmp_path: Path) -> None:
    packages = tool("python_packages")
    (tmp_path / "docs").mkdir()
    for number, text in enumerate(
        (
            "It is not on a package\nindex yet.",
            "It is not on the npm registry yet.",
            "Until there is a release, use files.",
            "Depend on it by path until it is published.",
        )
    ):
        (tmp_path / "docs" / f"{number}.md").write_text(text)
    (tmp_path / "README.md").write_text("It is published with every release.")
    assert packages.unreleased(tmp_path) == [f"docs/{number}.md" for number in range(4)]


def test_pages_that_install_from_a_checkout_say_that_there_is_no_release(tool: Any) -> None:
    unreleased = tool("python_packages").unreleased(ROOT)
    if not unreleased:
        pytest.skip("there is a release")
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("crates/*/README.md")]
    # A file of the checkout in place of a name on an index.
    checkout = re.compile(r"\.\.\./(node/packages|crates)/")
    found = [
        page.relative_to(ROOT).as_posix() for page in pages if checkout.search(page.read_text())
    ]
    assert len(found) >= 2
    assert set(found) <= set(unreleased)


def test_modules_of_checks_have_what_check_needs(tool: Any) -> None:
    check, release_steps = tool("check"), tool("release_steps")
    steps = check.steps([], release_steps.Context())
    titles = [step.title for step in steps]
    assert len(set(titles)) == len(titles)
    for step in steps:
        assert step.needs == "" or step.needs in titles[: titles.index(step.title)], step.title

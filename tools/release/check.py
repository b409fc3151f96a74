"""Checks whether a release could go out: `make release-check`.

    python tools/release/check.py [ONLY...] [--built] [--complete] [--names]

Builds the packages, tries them, prints a table of all steps and, at its end, what only a human
can do. ONLY are names of modules: `common`, `python`, `npm`, `crates`. Nothing is published.
Logs are in `build/release/logs`.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from pathlib import Path

import names
import release_steps
from release_steps import Absent, Context, Failure, Finding, Step

#: Where each kind of package is checked, in the order of the table.
MODULES = {"python": "python_packages", "npm": "npm", "crates": "crates"}
PLACE = "tools/release/names.toml"
#: What an empty name is for.
PURPOSES = {
    "urls.repository": "the repository's URL, which npm's provenance needs",
    "urls.homepage": "the homepage's URL",
    "urls.documentation": "where the documentation is published",
    "urls.issues": "where faults are reported",
    "urls.changelog": "the changelog's URL",
    "people.author": "who the author is",
    "people.security": "an address for reports of weaknesses",
    "people.conduct": "an address for reports about conduct",
    "done.pypi": "on PyPI: a pending publisher for the name, with release.yml and its environment",
    # Only a package that exists can have a trusted publisher, and no version is taken twice.
    "done.npm": "on npm: the scope @spikewire; publish an earlier version of each package by hand "
    "(`npm publish --provenance=false`), then name release.yml as its trusted publisher",
    "done.crates": "on the registry of crates: publish an earlier version of each by hand, in the "
    "order of `crates.py --order` (of new ones it takes a few at once, then one in ten minutes), "
    "then name release.yml as its trusted publisher",
    "done.environment": 'on the hosting service: the environment "release", with who approves it',
}


def check_names(context: Context) -> list[Finding]:
    """Names are the same everywhere, and the empty ones are listed."""
    findings = [
        Finding("failed", f"{file} disagrees with {PLACE}: make release-names")
        for file in names.disagreeing(context.root, context.names)
    ]
    undone = [f"done.{key}" for key, done in context.names.done.items() if not done]
    findings += [
        Finding("human", f"{name}: {PURPOSES.get(name, 'a name')}", PLACE)
        for name in [*context.names.empty(), *undone]
    ]
    return findings


def check_versions(context: Context) -> list[Finding]:
    """The version of the crates is that of the npm package, and the changelog has it."""
    import source

    version = source.version(context.root)
    findings = []
    if f'"version": "{version}"' not in (context.root / "node/package.json").read_text():
        findings.append(Finding("failed", f"node/package.json has another version than {version}"))
    tag = (
        os.environ.get("GITHUB_REF_NAME", "") if os.environ.get("GITHUB_REF_TYPE") == "tag" else ""
    )
    if tag not in ("", f"v{version}"):
        findings.append(Finding("failed", f"the tag {tag} is not v{version}"))
    changelog = (context.root / "CHANGELOG.md").read_text()
    if f"## {version}" not in changelog:
        findings.append(Finding("failed", f"CHANGELOG.md has no section {version}"))
    if f"## {version}, unreleased" in changelog:
        findings.append(
            Finding("human", f"the date of {version} instead of `unreleased`", "CHANGELOG.md")
        )
    return findings


def check_workflows(context: Context) -> list[Finding]:
    """actionlint finds nothing in the workflows."""
    program = shutil.which("actionlint")
    if program is None:
        message = (
            "actionlint is not installed: `go install` its module, or take it from a package index"
        )
        raise Absent(message)
    files = sorted((context.root / ".github/workflows").glob("*.yml"))
    context.run([program, *files])
    return [Finding("note", f"{len(files)} workflows")]


def check_community(context: Context) -> list[Finding]:
    """The files that a public repository is expected to have."""
    expected = (
        "LICENSE",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        ".github/ISSUE_TEMPLATE/bug.yml",
        ".github/pull_request_template.md",
    )
    findings = [
        Finding("failed", f"there is no {f}") for f in expected if not (context.root / f).exists()
    ]
    for key, file in (("security", "SECURITY.md"), ("conduct", "CODE_OF_CONDUCT.md")):
        address = context.names.people[key]
        if address and address not in (context.root / file).read_text():
            findings.append(Finding("failed", f"{file} does not name people.{key}"))
    return findings


def common(_context: Context) -> list[Step]:
    """What all packages share."""
    return [
        Step("names and accounts", check_names),
        Step("versions", check_versions),
        Step("workflows", check_workflows),
        Step("files of a repository", check_community),
    ]


def steps(only: list[str], context: Context) -> list[Step]:
    """The steps of the modules called `only`, or of all."""
    result = common(context) if not only or "common" in only else []
    for name, module in MODULES.items():
        if only and name not in only:
            continue
        if not Path(__file__).with_name(f"{module}.py").exists():

            def missing(_context: Context, file: str = f"{module}.py") -> list[Finding]:
                raise Failure(f"tools/release/{file} does not exist")

            result.append(Step(f"{name}: checks", missing))
            continue
        result += importlib.import_module(module).steps(context)
    return result


def main() -> int:
    """Runs the steps and prints the table."""
    parser = release_steps.arguments(__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="ONLY", help=", ".join(["common", *MODULES]))
    flags = parser.parse_args()
    for name in flags.only:
        if name not in ("common", *MODULES):
            parser.error(f"there is no {name}; there are: {', '.join(['common', *MODULES])}")
    context = Context(built=flags.built)
    outcomes = release_steps.run_steps(steps(flags.only, context), context)
    print()
    print(release_steps.table(outcomes))
    return release_steps.status(outcomes, complete=flags.complete, named=flags.names)


if __name__ == "__main__":
    sys.exit(main())

"""The build of this package in a result: what determines speed and no version number says."""

from __future__ import annotations

from typing import TypedDict


class Library(TypedDict):
    """The native part: a file, its contents, and their digest."""

    name: str
    bytes: int
    sha256: str


class BuildProfile(TypedDict, total=False):
    """How Cargo compiled it, as reported by programs and the Node.js addon. Cargo does not tell a
    crate how it is linked: the name of the profile implies that."""

    opt_level: str
    rustflags: str
    """From the environment and Cargo's configuration; empty: none."""
    debug_assertions: bool


class Build(BuildProfile):
    """Unknown values are None."""

    profile: str | None
    """The Cargo profile of the native part; old builds do not report it."""
    commit: str | None
    """The commit of the source tree used in place, or of the one that an installed build was built
    from."""
    modified: bool | None
    """Whether files of that source tree differ from the commit."""
    built_from: str | None
    """The commit of the native part, which may be older than the source tree, with `-dirty`
    appended if files differed; None if it does not report one."""
    rustc: str | None
    """The compiler's commit."""
    native: Library | None

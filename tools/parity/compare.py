"""Finds what a language does not have, and the reason for it in ``reasons.toml``."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.text import ROOT

from parity.areas import LANGUAGES, Area
from parity.read import Names, node_exports, python_all

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).parent / "reasons.toml"
LATER = "not yet"


@dataclass(frozen=True)
class Row:
    """Names that the same languages have, for the same reason."""

    names: tuple[str, ...]
    #: The languages without them.
    missing: tuple[str, ...]
    why: str


@dataclass
class Compared:
    """An area with its holes."""

    area: Area
    common: list[str]
    holes: list[Row]
    #: By language, the names that it spells otherwise.
    spelled: dict[str, dict[str, str]]
    #: The languages that lack all of it, and why.
    whole: dict[str, str]


@dataclass
class Reasons:
    """The table of reasons. ``faults`` gathers what is wrong with it."""

    table: dict[str, Any]
    faults: list[str] = field(default_factory=list[str])

    @classmethod
    def load(cls) -> Reasons:
        """Reads the table."""
        return cls(tomllib.loads(TABLE.read_text()))

    def compare(self, area: Area) -> Compared:
        """The holes of an area. Each needs a reason, and each reason its hole."""
        area, spelled = self._spelled(self._counted(area))
        rows = sorted({name for language in area.rows for name in area.of(language)})
        reasons, whole = self._of(area.key), self._whole(area)
        groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
        common: list[str] = []
        for name in rows:
            missing = tuple(it for it in LANGUAGES if it not in whole and name not in area.of(it))
            if not missing:
                common.append(name)
                continue
            whys: list[str] = []
            for language in missing:
                why = reasons.pop((name, language), None)
                if why is None:
                    self.faults.append(f"{area.key}: {language} has no {name}, and no reason why")
                elif why not in whys:
                    whys.append(why)
            groups.setdefault((missing, "; ".join(whys)), []).append(name)
        for name, language in reasons:
            if name in area.of(language):
                self.faults.append(
                    f"{area.key}: {language} has {name}: remove the reason why it has not"
                )
            else:
                self.faults.append(f"{area.key}: no language has {name}, which has a reason")
        holes = [Row(tuple(names), *key) for key, names in groups.items()]
        return Compared(area, common, holes, spelled, whole)

    def _whole(self, area: Area) -> dict[str, str]:
        """The languages that lack all of an area, and why."""
        whole = {
            language: it["why"]
            for it in self.table["hole"]
            if it["area"] == area.key and it["names"] == ["*"]
            for language in it["missing"]
        }
        for language in whole:
            if area.of(language):
                self.faults.append(f"{area.key}: {language} has some: give a reason for each other")
        return whole

    def _of(self, key: str) -> dict[tuple[str, str], str]:
        """The reasons of an area, by name and language."""
        return {
            (name, language): it["why"]
            for it in self.table["hole"]
            if it["area"] == key
            for name in it["names"]
            if name != "*"
            for language in it["missing"]
        }

    def _counted(self, area: Area) -> Area:
        """The area without the names that are no part of what is compared."""
        for it in self.table["aside"]:
            if it["area"] != area.key:
                continue
            language, names = it["language"], frozenset(it["names"])
            have = area.of(language)
            self.faults += [
                f"{area.key}: {language} has no {name}, which is set aside"
                for name in sorted(names - have)
            ]
            area = area.having(language, have - names)
        return area

    def _spelled(self, area: Area) -> tuple[Area, dict[str, dict[str, str]]]:
        """The area with the names of all languages as those of the first one."""
        renamed: dict[str, dict[str, str]] = {}
        for language, names in self.table["spelled"].get(area.key, {}).items():
            have, theirs_all = set(area.of(language)), set[str]()
            for name, theirs in names.items():
                parts = theirs if isinstance(theirs, list) else [theirs]
                for part in parts:
                    if part not in area.of(language):
                        self.faults.append(f"{area.key}: {language} has no {part}, as {name}")
                theirs_all |= set(parts) - {name}
                have.add(name)
                if name not in parts:
                    renamed.setdefault(language, {})[name] = parts[0]
            area = area.having(language, frozenset(have - (theirs_all - names.keys())))
        return area, renamed

    def features(self, key: str, areas: list[Area]) -> list[tuple[str, dict[str, str]]]:
        """Features that no single name stands for: for each language ``yes`` or the reason."""
        features: list[tuple[str, dict[str, str]]] = []
        for it in self.table[key]:
            cells: dict[str, str] = {}
            for language in LANGUAGES:
                marks = it.get(language, [])
                has = any(_exists(mark, language, areas) for mark in marks)
                why = it.get("why", {}).get(language)
                if has and why is not None:
                    text = f"{key}: {language} has {it['name']}: remove the reason why it has not"
                    self.faults.append(text)
                if not has and why is None:
                    self.faults.append(f"{key}: {language} has no {it['name']}, and no reason why")
                cells[language] = "yes" if has else why or "?"
            features.append((it["name"], cells))
        return features


def _exists(mark: str, language: str, areas: list[Area]) -> bool:
    """Whether there is what stands for a feature: ``area.name``; ``export NAME``, or ``cql NAME``
    for Cassandra; ``file PATH``; ``package ./NAME`` of the npm package; or ``text PATH: TEXT``."""
    kind, _, of = mark.partition(" ")
    if kind in ("export", "cql"):
        return of in _exports(language, kind)
    if kind == "file":
        return (ROOT / of).exists()
    if kind == "package":
        return of in json.loads((ROOT / "node/package.json").read_text())["exports"]
    if kind == "text":
        path, _, text = of.partition(": ")
        return (ROOT / path).exists() and text in (ROOT / path).read_text()
    key, _, name = mark.partition(".")
    return any(area.key == key and name in area.of(language) for area in areas)


def _exports(language: str, kind: str) -> Names:
    """What the main module of a language exports."""
    if language == "node":
        return node_exports("index.ts" if kind == "export" else "cql.ts")
    return python_all("__init__.py" if kind == "export" else "cql/__init__.py")

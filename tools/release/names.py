"""The public names in `names.toml`: which are empty, which files disagree with them, and writing them there.

    python tools/release/names.py [--write]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

FILE = Path(__file__).with_name("names.toml")


@dataclass(frozen=True)
class Names:
    """The tables of `names.toml`."""

    urls: dict[str, str]
    people: dict[str, str]
    done: dict[str, bool]

    def empty(self) -> list[str]:
        """The names that nobody has filled in, as `urls.repository`."""
        texts = [("urls", self.urls), ("people", self.people)]
        return [f"{table}.{key}" for table, values in texts for key, value in values.items() if not value]


def load(file: Path = FILE) -> Names:
    """Reads the file."""
    tables = tomllib.loads(file.read_text())
    return Names(tables["urls"], tables["people"], tables["done"])

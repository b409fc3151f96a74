"""Generates the table of exported metrics of the Python package and of the npm package."""

from __future__ import annotations

from typing import Any

from generator.table import load_file
from generator.text import WIDTH, header

_SOURCE = "metrics.toml"
#: What samples are about: the name of the list in Python, the type and the name of one.
_OF = {
    "commands": ("COMMANDS", "CommandStats", "command"),
    "nodes": ("NODES", "NodeStats", "node"),
    "near_cache": ("NEAR_CACHE", "NearCacheStats", "cache"),
    "hot_keys": ("HOT_KEYS", "HotKey", "key"),
    "client": ("CLIENT", "Stats", "stats"),
}


_TYPES = """\
    _T = TypeVar("_T")
    #: A name, its kind, its documentation, and the number.
    Family: TypeAlias = tuple[str, Literal["counter", "gauge"], str, Callable[[_T], float]]
    #: A name, its kind, its unit, its documentation, and the number.
    Instrument: TypeAlias = tuple[
        str, Literal["counter", "gauge", "up_down_counter"], str, str, Callable[[_T], float]
    ]

"""


def python() -> str:
    """The module of the Python package."""
    table = load_file("metrics")
    parts = [
        header("#", _SOURCE),
        '"""The metrics that are exported for Prometheus and OpenTelemetry."""\n\n',
        "from __future__ import annotations\n\n",
        "from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar\n\n",
        "if TYPE_CHECKING:\n    from collections.abc import Callable\n\n",
        "    from spikewire.statistics.stats import (\n",
        *(f"        {name},\n" for name in sorted(of[1] for of in _OF.values())),
        "    )\n\n",
        _TYPES,
        "#: Every so many bounds of latencies there is one of a bucket.\n",
        f"EVERY = {table['every']}\n",
        "#: Of histograms: name and documentation.\n",
        "HISTOGRAMS: dict[str, tuple[str, str]] = {\n",
        *(
            f'    "{it["of"]}": (\n        "spikewire_{it["name"]}",\n'
            f"        {_quoted(it['help'])},\n    ),\n"
            for it in table["histograms"]
        ),
        "}\n",
    ]
    for group in table["families"]:
        name, kind, one = _OF[group["of"]]
        parts.append(f"{name}: list[Family[{kind}]] = [\n")
        for it in group["families"]:
            full = f"spikewire_{group['prefix']}{it['name']}"
            items = [f'"{full}"', f'"{it["kind"]}"', _quoted(it["help"]), _lambda(one, it)]
            parts.append(_row(items))
        parts.append("]\n")
    for group in table["instruments"]:
        name, kind, one = _OF[group["of"]]
        parts.append(f"{name}_INSTRUMENTS: list[Instrument[{kind}]] = [\n")
        for it in group["instruments"]:
            full = f"spikewire.{group['prefix']}{it['name']}"
            items = [f'"{full}"', f'"{it["kind"]}"', f'"{it["unit"]}"', _quoted(it["help"])]
            parts.append(_row([*items, _lambda(one, it)]))
        parts.append("]\n")
    return "".join(parts)


def typescript() -> str:
    """The module of the npm package."""
    table = load_file("metrics")
    types = ", ".join(sorted(of[1] for of in _OF.values()))
    parts = [
        header("//", _SOURCE),
        "\n/** The metrics that are exported for Prometheus and OpenTelemetry. */\n\n",
        f"import type {{ {types} }} from '../statistics/stats.js'\n\n",
        "/** A family of metrics; names of counters lack `_total`. */\n",
        "export interface FamilyOf<T> {\n  readonly name: string\n",
        "  readonly kind: 'counter' | 'gauge'\n  readonly help: string\n",
        "  number(one: T): number\n}\n\n",
        "/** An instrument of OpenTelemetry. */\n",
        "export interface InstrumentOf<T> {\n  readonly name: string\n",
        "  readonly kind: 'counter' | 'gauge' | 'up_down_counter'\n",
        "  readonly unit: string\n  readonly help: string\n  number(one: T): number\n}\n\n",
        "/** Every so many bounds of latencies there is one of a bucket. */\n",
        f"export const EVERY = {table['every']}\n\n",
        "/** Names and documentation of histograms. */\nexport const HISTOGRAMS = {\n",
    ]
    for it in table["histograms"]:
        parts.append(f"  {it['of']}: {{\n    name: 'spikewire_{it['name']}',\n")
        parts.append(f"    help: {_single(it['help'])},\n  }},\n")
    parts.append("} as const\n")
    for group in table["families"]:
        name, kind, one = _OF[group["of"]]
        parts.append(f"\nexport const {name}: readonly FamilyOf<{kind}>[] = [\n")
        for it in group["families"]:
            parts.append(f"  {{\n    name: 'spikewire_{group['prefix']}{it['name']}',\n")
            parts.append(f"    kind: '{it['kind']}',\n    help: {_single(it['help'])},\n")
            parts.append(f"    number: ({one}) => {_number(one, it)},\n  }},\n")
        parts.append("]\n")
    for group in table["instruments"]:
        name, kind, one = _OF[group["of"]]
        parts.append(f"\nexport const {name}_INSTRUMENTS: readonly InstrumentOf<{kind}>[] = [\n")
        for it in group["instruments"]:
            parts.append(f"  {{\n    name: 'spikewire.{group['prefix']}{it['name']}',\n")
            parts.append(f"    kind: '{it['kind']}',\n    unit: '{it['unit']}',\n")
            parts.append(f"    help: {_single(it['help'])},\n")
            parts.append(f"    number: ({one}) => {_number(one, it)},\n  }},\n")
        parts.append("]\n")
    return "".join(parts)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _single(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


def _lambda(one: str, row: dict[str, Any]) -> str:
    value = f"{one}.{row['value']}"
    if row["value"] in _FLAGS:
        value = f"int({value})"
    return f"lambda {one}: {value}{' or 0' if row['value'] == 'limit' else ''}"


def _row(items: list[str]) -> str:
    line = f"    ({', '.join(items)}),\n"
    if len(line) <= WIDTH + 1:
        return line
    return "    (\n" + "".join(f"        {item},\n" for item in items) + "    ),\n"


#: Attributes that are flags.
_FLAGS = ("breaker_open", "counting")


def _number(one: str, row: dict[str, Any]) -> str:
    first, *rest = row["value"].split("_")
    value = f"{one}.{first}{''.join(it.capitalize() for it in rest)}"
    if row["value"] in (*_FLAGS, "limit"):
        return f"Number({value})"
    return f"{value} / 1000" if row.get("seconds") else value

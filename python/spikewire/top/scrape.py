"""Reads a program's metrics from its Prometheus endpoint."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass, field
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING, TypeAlias
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

Labels: TypeAlias = dict[str, str]

#: More than any program reports.
_LONGEST = 64 << 20
_SAMPLE = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")


class ScrapeError(Exception):
    """The endpoint returned no metrics of Spikewire; the message says why."""


@dataclass
class Series:
    """Commands with the same labels, since the program started counting."""

    labels: Labels
    #: The number of commands by upper bound of their latency (seconds).
    buckets: dict[float, float] = field(default_factory=dict)
    count: float = 0.0
    seconds: float = 0.0


@dataclass
class Scrape:
    """The metrics of an endpoint at one time."""

    at: float
    #: By name without ``spikewire_``: samples with their labels.
    values: dict[str, list[tuple[Labels, float]]]
    commands: dict[tuple[tuple[str, str], ...], Series]
    stages: dict[tuple[tuple[str, str], ...], Series]

    def total(self, name: str, **labels: str) -> float:
        """The sum of all samples of a name with these labels."""
        samples = self.values.get(name, [])
        return sum(value for of, value in samples if labels.items() <= of.items())


def address(text: str) -> str:
    """The URL for a text; ``host:port`` stands for ``/metrics`` there.

    Raises ``ValueError`` for an invalid one.
    """
    url = text if "://" in text else f"http://{text}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"{text!r} is not the address of metrics, such as http://localhost:8000/metrics"
        )
    return url if parts.path not in ("", "/") else f"{parts.scheme}://{parts.netloc}/metrics"


def scrape(url: str, timeout: float) -> Scrape:
    """Requests an endpoint's metrics. Raises ``ScrapeError``."""
    # `address` has checked the scheme.
    request = Request(url, headers={"Accept": "text/plain"})  # noqa: S310
    try:
        with urlopen(request, timeout=timeout) as page:  # noqa: S310
            body = page.read(_LONGEST)
            if page.length and len(body) < _LONGEST:
                raise IncompleteRead(body, page.length)
    except URLError as error:
        raise ScrapeError(f"{url}: {error.reason}") from error
    except HTTPException as error:
        raise ScrapeError(f"{url}: the reply is not valid HTTP: {error!r}") from error
    except (OSError, UnicodeError) as error:
        raise ScrapeError(f"{url}: {error}") from error
    return read(body.decode(errors="replace"), url)


def read(text: str, url: str = "the text") -> Scrape:
    """Parses Spikewire's metrics from a text in Prometheus' format.

    Raises ``ScrapeError`` if there are none.
    """
    metrics = Scrape(time.monotonic(), {}, {}, {})
    for name, labels, value in _samples(text):
        for prefix, all_series in (
            ("command_duration_seconds_", metrics.commands),
            ("stage_duration_seconds_", metrics.stages),
        ):
            if name.startswith(prefix):
                _add(all_series, name.removeprefix(prefix), labels, value)
                break
        else:
            metrics.values.setdefault(name, []).append((labels, value))
    if not metrics.values:
        raise ScrapeError(f"{url}: it serves metrics, but none of a Spikewire client")
    return metrics


def _samples(text: str) -> Iterator[tuple[str, Labels, float]]:
    for line in text.splitlines():
        if not line.startswith("spikewire_"):
            continue
        m = _SAMPLE.match(line)
        if m is None:
            continue
        labels = {name: _plain(value) for name, value in _LABEL.findall(m["labels"] or "")}
        value = _number(m["value"])
        if not math.isfinite(value):
            continue
        yield m["name"].removeprefix("spikewire_"), labels, value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda m: "\n" if m[1] == "n" else m[1], text)


def _add(
    all_series: dict[tuple[tuple[str, str], ...], Series], part: str, labels: Labels, value: float
) -> None:
    bound = labels.pop("le", None)
    series = all_series.setdefault(tuple(sorted(labels.items())), Series(labels))
    if part == "bucket" and bound is not None:
        upper = _number(bound)
        if not math.isnan(upper):
            series.buckets[upper] = value
    elif part == "count":
        series.count = value
    elif part == "sum":
        series.seconds = value

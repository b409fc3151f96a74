"""Differences between two servers, grouped in classes."""

from __future__ import annotations

from collections import Counter, defaultdict

#: Examples that are printed of each class of differences.
EXAMPLES = 3


class Tally:
    """Counts runs and differences by class, and keeps some examples of each."""

    def __init__(self) -> None:
        self.runs: Counter[tuple[object, ...]] = Counter()
        self.differences: Counter[tuple[object, ...]] = Counter()
        self._examples: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)

    def add_run(self, kind: tuple[object, ...]) -> None:
        """Counts one run of a class."""
        self.runs[kind] += 1

    def add_difference(
        self, kind: tuple[object, ...], text: str, here: object, there: object
    ) -> None:
        """Counts one difference: what was sent, and what each of the servers returned."""
        self.differences[kind] += 1
        if len(self._examples[kind]) < EXAMPLES:
            self._examples[kind].append(f"    {text}\n      {here}\n      {there}")

    def print_differences(self) -> None:
        """Prints each class, the most frequent one first, with its examples."""
        for kind, count in self.differences.most_common():
            of = f" of {self.runs[kind]}" if kind in self.runs else ""
            print(f"{' '.join(str(part) for part in kind)}: {count}{of}")
            print("\n".join(self._examples[kind]))

    def print_total(self, what: str, seconds: float) -> None:
        """Prints the figures of all classes."""
        print(
            f"{self.runs.total():,} {what} of {len(self.runs):,} classes in {seconds:.0f} s:"
            f" {self.differences.total():,} differ, in {len(self.differences):,} classes"
        )

"""The Python half of `python-records.test.ts`."""

from __future__ import annotations

import sys

import spikewire
from spikewire import GeoJSON, op

#: The same values as in `values.ts`; maps are in wire order, which `repr` shows.
VALUES: dict[str, object] = {
    "zero": 0,
    "small": -1,
    "safe": 2**53 - 1,
    "unsafe": 2**53,
    "least": -(2**63),
    "greatest": 2**63 - 1,
    "half": 0.5,
    "whole": 3.0,
    "minus_zero": -0.0,
    "infinite": float("inf"),
    "text": "Grüße 🎈\0",
    "empty": "",
    "yes": True,
    "no": False,
    "bytes": bytes([0, 255]),
    "no_bytes": b"",
    "point": GeoJSON('{"type":"Point","coordinates":[1.5,-2]}'),
    "list": [1, "two", [3.5, [None, True]], b"4", {"five": 5}],
    "no_list": [],
    "object": {"": "empty", "a": 1, "b": {"c": [2]}},
    "map": {-4: None, 1: "one", "two": 2, b"3": [3]},
    "no_map": {},
    "__proto__": "a name",
}


def main(seeds: str) -> None:
    """Reads what Node.js wrote, writes the same, and continues from its cursor."""
    with spikewire.Client(seeds, timeout=20) as client:
        theirs, ours = client.dataset("test", "fromnode"), client.dataset("test", "frompython")
        for name, value in VALUES.items():
            copy = theirs.get(name)["b"]
            assert (type(copy), repr(copy)) == (type(value), repr(value)), (name, copy)
            ours.put(name, {"b": value})

        keys = client.dataset("test", "keys")
        for key in (7, "7", b"7", -(2**63), 2**53 + 1):
            assert keys.get(key)["key"] == key
            keys.operate(key, [op.add("visits", 1)])

        sketch = client.dataset("test", "sketches")
        assert sketch.operate("a", [op.hll.get_count("h")]).results == (3,)

        # Node.js has read part of this set.
        cursor = bytes.fromhex(sys.argv[2])
        query = client.dataset("test", "numbers").query(resume=cursor)
        seen = []
        for record in query:
            seen.append(record["n"])
            if len(seen) == 300:
                break
        print(query.cursor.hex(), *seen)


main(sys.argv[1])

"""Writes the verbs of the six classes in ``python/spikewire/_native.pyi`` from their one source.

That source is the files in ``crates/spikewire-python/src/verbs/methods``: names, parameters and
documentation are read there; here is only what Rust does not say, the types. Run it after a change
to a verb; ``--check`` changes nothing and fails when the stub is not what it should be.

    python tools/faces.py [--check]
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METHODS = ROOT / "crates/spikewire-python/src/verbs/methods"
SOURCES = [METHODS / f"{part}.rs" for part in ("one", "many", "set")]
STUB = ROOT / "python/spikewire/_native.pyi"

#: Class, type of its keys, and what a verb of it returns.
FACES = {
    "Client": ("KeyLike", "{}"),
    "Dataset": ("UserKey | Key", "{}"),
    "ClientSubmit": ("KeyLike", "SubmittedCall[{}]"),
    "DatasetSubmit": ("UserKey | Key", "SubmittedCall[{}]"),
    "AsyncClient": ("KeyLike", "Future[{}]"),
    "AsyncDataset": ("UserKey | Key", "Future[{}]"),
}

#: What a class calls its queries.
QUERIES = {
    "Client": "Query",
    "Dataset": "Query",
    "AsyncClient": "AsyncQuery",
    "AsyncDataset": "AsyncQuery",
}

#: Parameters of a verb that the class has to be told the namespace and set for.
PLACED = {
    "$($signature)* ": ["        namespace: str,", "        set: str | None = None,"],
    "$($place,)* ": ["        namespace: str,", "        set: str | None,"],
}

#: Types of parameters, of one verb or of all.
TYPES = {
    "bins": "Bins",
    "buffers": "bool",
    "durable": "bool",
    "exists": "Exists | None",
    "generation": "int | Newer | None",
    "nulls": "Nulls | None",
    "operations": "list[Operation] | tuple[Operation, ...]",
    "read_mode": "ReadMode | None",
    "read_touch": "int | None",
    "replica": "Replica | None",
    "send_key": "bool | None",
    "delete.send_key": "bool",
    "delete_many.send_key": "bool",
    "timeout": "Seconds | None",
    "ttl": "Ttl | None",
    "where": "Where | None",
    "add.bins": "Mapping[str, float]",
    "append.bins": "Mapping[str, str | BytesLike]",
    "get.bins": "BinNames | None",
    "arguments": "Sequence[BinValue] | None",
    "function": "str",
    "module": "str",
    "get_many.bins": "BinNames | None",
    "get_numpy.dtype": "npt.DTypeLike",
    "get_numpy.errors": 'Literal["raise", "mask"]',
    "get_numpy.generation": "str | None",
    "get_numpy.key": "str | None",
    "get_numpy.ttl": "str | None",
    "index": "IndexRange | None",
    "records_per_second": "int | None",
    "query.after": "UserKey | Key | None",
    "query.bins": "BinNames | None",
    "query.concurrent_nodes": "int | None",
    "query.include_values": "bool",
    "query.index": "IndexRange | None",
    "query.limit": "int | None",
    "query.operations": "list[Operation] | tuple[Operation, ...] | None",
    "query.page_size": "int | None",
    "query.partitions": "int | range | None",
    "query.records_per_second": "int | None",
    "query.resume": "bytes | None",
    "query.socket_timeout": "Seconds | None",
    "prepend.bins": "Mapping[str, str | BytesLike]",
    "put_many.bins": "Columns | None",
    "put_many.key": "str | None",
    "records": "Records | Table",
    "rows": "Iterable[Row]",
}

#: Types of parameters that hold keys; ``{}`` is the type of a class's keys.
KEYED = {
    "key": "{}",
    "keys": "Iterable[{}]",
}

RETURNS = {
    "apply_all": "Job",
    "operate_all": "Job",
    "add": "None",
    "append": "None",
    "apply": "BinValue",
    "apply_many": "Batch",
    "batch": "Batch",
    "delete": "bool",
    "delete_many": "Batch",
    "exists": "bool",
    "exists_many": "Batch",
    "get": "Record",
    "get_many": "Batch",
    "get_numpy": "np.ma.MaskedArray[tuple[int], np.dtype[np.void]]",
    "operate": "Record",
    "operate_many": "Batch",
    "prepend": "None",
    "put": "None",
    "put_many": "Batch",
    "touch": "None",
}

VALUES = {"true": "True", "false": "False"}


@dataclass
class Verb:
    """A verb as the Rust source has it."""

    name: str
    #: Parameters with their defaults as Python writes them; ``*`` and required ones have none.
    parameters: dict[str, str | None]
    doc: list[str]
    #: How some classes are told its namespace and set: a key of ``PLACED``.
    placed: str = ""


def verbs(source: str) -> list[Verb]:
    """The verbs in one of the sources, in order."""
    found: list[Verb] = []
    doc: list[str] = []
    signature = ""
    _, _, macro = source.partition("macro_rules!")
    for line in map(str.strip, macro.splitlines()):
        if line.startswith("///"):
            doc.append(line[3:].removeprefix(" "))
        elif match := re.match(r"#\[pyo3\(signature = \((.*)\)\)\]", line):
            signature = match[1]
        elif match := re.match(r"fn (\w+)<'py>\(", line):
            placed = next((it for it in PLACED if signature.startswith(it)), "")
            own = signature.removeprefix(placed)
            found.append(Verb(match[1], _parameters(own), doc, placed))
            doc, signature = [], ""
    return found


def _parameters(signature: str) -> dict[str, str | None]:
    parameters: dict[str, str | None] = {}
    for part in signature.split(", "):
        name, _, default = part.removeprefix("r#").partition("=")
        # Whatever is no plain value has no Python form: such a parameter is told apart when it
        # is left out, and takes an overload.
        plain = VALUES.get(default, default if re.fullmatch(r"None|[\w.\"]*", default) else "...")
        parameters[name] = plain or None
    return parameters


def _method(face: str, verb: Verb, *, leave_out: str | None, require: str | None) -> list[str]:
    key, wrapped = FACES[face]
    result = RETURNS.get(verb.name)
    if verb.name == "query":
        result, wrapped = QUERIES[face], "{}"
    if result == "Job" and face.startswith("Async"):
        result = "AsyncJob"
    if result is None:
        sys.exit(f"tools/faces.py: no result type for verb {verb.name!r}")
    lines = [f"    def {verb.name}(", "        self,"]
    if verb.placed and face.endswith("Client"):
        lines += PLACED[verb.placed]
    for name, value in verb.parameters.items():
        if name == leave_out:
            continue
        if name == "*":
            lines.append("        *,")
            continue
        kind = TYPES.get(name)
        if name in KEYED:
            kind = KEYED[name].replace("{}", key)
        kind = TYPES.get(f"{verb.name}.{name}", kind)
        if name == require:
            kind, value = "_D", None
            result = f"{result} | _D"
        if kind is None:
            sys.exit(f"tools/faces.py: no type for parameter {name!r} of verb {verb.name!r}")
        lines.append(f"        {name}: {kind}{'' if value is None else f' = {value}'},")
    return [*lines, f"    ) -> {wrapped.format(result)}:"]


def _doc(verb: Verb) -> list[str]:
    first, *rest = verb.doc
    body = [f"        {line}".rstrip() for line in rest]
    if not rest:
        return [f'        """{first}"""']
    return [f'        """{first}', *body, '        """']


def block(face: str, found: list[Verb]) -> list[str]:
    """The verbs of one class as stub lines."""
    lines: list[str] = []
    for verb in found:
        if verb.placed and face not in QUERIES:
            continue
        overloaded = [name for name, value in verb.parameters.items() if value == "..."]
        if overloaded:
            (name,) = overloaded
            for leave_out, require in ((name, None), (None, name)):
                method = _method(face, verb, leave_out=leave_out, require=require)
                lines += ["    @overload", *method, *_doc(verb)]
        else:
            lines += _method(face, verb, leave_out=None, require=None) + _doc(verb)
    return lines


def generated(stub: str, found: list[Verb]) -> str:
    """The stub with fresh verbs between its markers."""
    for face in FACES:
        begin, end = f"    # verbs of {face}: tools/faces.py\n", f"    # end of {face}'s verbs\n"
        if stub.count(begin) != 1 or stub.count(end) != 1:
            sys.exit(f"tools/faces.py: {STUB.name} lacks the markers of {face}")
        before, _, rest = stub.partition(begin)
        _, _, after = rest.partition(end)
        stub = before + begin + "\n".join(block(face, found)) + "\n" + end + after
    return stub


def main() -> int:
    """Writes or checks the stub; returns the exit status."""
    parser = argparse.ArgumentParser(description="Writes the verbs of the stub.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    options = parser.parse_args()
    old = STUB.read_text()
    new = generated(old, [verb for source in SOURCES for verb in verbs(source.read_text())])
    if new == old:
        return 0
    if options.check:
        print(f"{STUB.name} is not what the verbs ask for: run python tools/faces.py")
        return 1
    STUB.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Generates the verbs of classes in the stubs ``_native.pyi``, between their markers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.verbs import Class, Verb, Verbs

#: The type of the value that is returned instead of an error.
DEFAULT = "_D"
#: The type of a dataset's records, and the results that have it.
VALUE = "_V"
_TYPED = re.compile(r"\b(Record|Batch|Query|AsyncQuery)\b")


def filled(stub: str, verbs: Verbs) -> str:
    """The stub with the verbs generated anew."""
    for of in verbs.classes:
        begin = f"    # verbs of {of.name}: tools/generate.py\n"
        end = f"    # end of {of.name}'s verbs\n"
        if stub.count(begin) != 1 or stub.count(end) != 1:
            raise SystemExit(f"tools/generate.py: a stub lacks the markers of {of.name}")
        before, _, rest = stub.partition(begin)
        _, _, after = rest.partition(end)
        lines = [line for verb in verbs.of(of) for line in _verb(of, verb)]
        stub = before + begin + "\n".join(lines) + "\n" + end + after
    return stub


def _verb(of: Class, verb: Verb) -> list[str]:
    doc = _doc(verb)
    overload = next((it.name for it in verb.takes if it.takes_overload), None)
    literal = next((it for it in verb.takes if it.literal), None)
    if literal is not None:
        # Type checkers infer a literal from a single type, not from a union.
        first = _signature(of, verb, verb.returns, **{literal.name: literal.literal})
        second = _signature(of, verb, verb.returns)
    elif overload is not None:
        first = _signature(of, verb, verb.returns, leave_out=overload)
        second = _signature(of, verb, f"{verb.returns} | {DEFAULT}", require=overload)
    elif verb.instead:
        types = dict(verb.instead)
        returns = types.pop("returns")
        first, second = _signature(of, verb, verb.returns), _signature(of, verb, returns, **types)
    else:
        return _signature(of, verb, verb.returns) + doc
    return ["    @overload", *first, *doc, "    @overload", *second, *doc]


def _signature(
    of: Class, verb: Verb, returns: str, *, leave_out: str = "", require: str = "", **types: str
) -> list[str]:
    """A signature. `types` are parameters that have other types here, and are required."""
    lines = ["self,"]
    if verb.on == "set" and not of.has_set:
        default = " = None" if verb.set == "optional" else ""
        lines += ["namespace: str,", f"set: str | None{default},"]
    for it in verb.takes:
        if it.is_mark:
            lines.append(f"{it.name},")
        elif it.name != leave_out:
            required = not it.default or it.name == require or it.name in types
            default = "" if required else f" = {it.stub_default}"
            python = types.get(it.name, it.python).replace("{key}", of.keys)
            python = python.replace("{records}", of.records).replace("{bins}", of.bins)
            lines.append(f"{it.name}: {python}{default},")
    returns = {"Job": of.job}.get(returns, of.query if verb.name == "query" else returns)
    late = "Batch[Late]" in returns
    returns = returns.replace("Batch[Late]", "Batch")
    if of.has_set:
        returns = _TYPED.sub(rf"\1[{VALUE}]", returns)
    if late:
        value = VALUE if of.has_set else "object"
        returns = f"Batch[{value}, Late]"
    result = returns if verb.name == "query" else of.future.replace("{}", returns)
    parameters = [f"        {line}" for line in lines]
    return [f"    def {verb.name}(", *parameters, f"    ) -> {result}:"]


def _doc(verb: Verb) -> list[str]:
    first, *rest = verb.doc.split("\n")
    if not rest:
        return [f'        """{first}"""']
    return [f'        """{first}', *(f"        {it}".rstrip() for it in rest), '        """']

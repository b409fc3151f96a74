"""Writes the verbs of the six classes in ``_native.pyi``, between their markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.verbs import Class, Verb, Verbs

#: The type of what is returned instead of an error.
DEFAULT = "_D"


def filled(stub: str, verbs: Verbs) -> str:
    """The stub with fresh verbs."""
    for of in verbs.classes:
        begin = f"    # verbs of {of.name}: tools/generate.py\n"
        end = f"    # end of {of.name}'s verbs\n"
        if stub.count(begin) != 1 or stub.count(end) != 1:
            raise SystemExit(f"tools/generate.py: _native.pyi lacks the markers of {of.name}")
        before, _, rest = stub.partition(begin)
        _, _, after = rest.partition(end)
        lines = [line for verb in verbs.of(of) for line in _verb(of, verb)]
        stub = before + begin + "\n".join(lines) + "\n" + end + after
    return stub


def _verb(of: Class, verb: Verb) -> list[str]:
    doc = _doc(verb)
    overload = next((it.name for it in verb.takes if it.takes_overload), None)
    if overload is None:
        return _signature(of, verb, verb.returns) + doc
    without = _signature(of, verb, verb.returns, leave_out=overload)
    required = _signature(of, verb, f"{verb.returns} | {DEFAULT}", require=overload)
    return ["    @overload", *without, *doc, "    @overload", *required, *doc]


def _signature(
    of: Class, verb: Verb, returns: str, *, leave_out: str = "", require: str = ""
) -> list[str]:
    lines = ["self,"]
    if verb.on == "set" and not of.has_set:
        default = " = None" if verb.set == "optional" else ""
        lines += ["namespace: str,", f"set: str | None{default},"]
    for it in verb.takes:
        if it.name == "*":
            lines.append("*,")
        elif it.name != leave_out:
            default = f" = {it.stub_default}" if it.default and it.name != require else ""
            lines.append(f"{it.name}: {it.python.replace('{key}', of.keys)}{default},")
    result = of.future.replace("{}", {"Job": of.job}.get(returns, returns))
    if verb.name == "query":
        result = of.query
    parameters = [f"        {line}" for line in lines]
    return [f"    def {verb.name}(", *parameters, f"    ) -> {result}:"]


def _doc(verb: Verb) -> list[str]:
    first, *rest = verb.doc.split("\n")
    if not rest:
        return [f'        """{first}"""']
    return [f'        """{first}', *(f"        {it}".rstrip() for it in rest), '        """']

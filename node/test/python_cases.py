"""Prints the cases of the Python client's tests of operations and expressions for the Node tests.

Each case is a call as a JSON tree, with its bytes, its text or its result in Python. If seeds of a
cluster are given, every operation and every filter is also sent to it, in the order of the cases,
so that the requests can be compared.

    python python_cases.py [SEEDS]
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import math
import sys
from pathlib import Path
from typing import Any, get_args

import spikewire
from spikewire import GeoJSON, HyperLogLog, ctx, exp, op, types

BEHAVIOUR = Path(__file__).resolve().parents[2] / "tests/behaviour"

#: The names used in the cases.
NAMES: dict[str, Any] = {
    "math": math,
    "ctx": ctx,
    "exp": exp,
    "op": op,
    "spikewire": spikewire,
    "GeoJSON": GeoJSON,
    "HyperLogLog": HyperLogLog,
}

KINDS = {
    "int": "int",
    "float": "float",
    "str": "string",
    "bool": "bool",
    "bytes": "blob",
    "list": "list",
    "dict": "map",
    "GeoJSON": "geo",
    "HyperLogLog": "hll",
}

OPERATORS = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shift_left",
    ast.RShift: "shift_signed",
    ast.Invert: "not",
    ast.USub: "neg",
}


#: Operations that the tests do not have in a table.
OPERATIONS = """
op.get()
op.get("b")
op.put("b", None)
op.put("b", {"a": [1, -1.5, b"x", True, None]})
op.add("b", 2)
op.add("b", 2.5)
op.append("b", "x")
op.prepend("b", b"x")
op.touch()
op.delete()
op.hll.init("b", 12, 16)
op.hll.init("b", 4, no_fail=True, create_only=True)
op.hll.add("b", ["a", 3, 1.5, None])
op.hll.add("b", ["a"], 12, 16, create_only=True)
op.hll.set_union("b", [HyperLogLog(b"x")], allow_fold=True)
op.hll.refresh_count("b")
op.hll.fold("b", 6)
op.hll.get_count("b")
op.hll.get_union("b", [HyperLogLog(b"x")])
op.hll.get_union_count("b", [HyperLogLog(b"x")])
op.hll.get_intersect_count("b", [HyperLogLog(b"x")])
op.hll.get_similarity("b", [HyperLogLog(b"x")])
op.hll.describe("b")
op.hll.may_contain("b", ["a", 3])
op.list.append("b", 1, order="ordered", persist_index=True)
op.list.size("b", ctx=[ctx.map_index(0), ctx.map_rank(0)])
op.list.get("b", 0, ctx=[ctx.list_index(-1), ctx.list_rank(-1), ctx.list_value([1])])
op.list.get("b", 0, ctx=[ctx.index(0), ctx.rank(1), ctx.value("x"), ctx.map_value({"a": 1})])
op.list.append("b", 1, ctx=[ctx.list_index_create(2, pad=True)])
op.list.append("b", 1, ctx=[ctx.list_index_create(2, "ordered", persist_index=True)])
op.list.create("b", "ordered", ctx=[ctx.map_key("x")])
op.list.create("b", pad=True, ctx=[ctx.list_index(1)])
op.list.get_by_value("b", ["a", op.WILDCARD])
op.list.get_by_value_range("b", ["a", 2], ["a", op.INFINITY])
op.map.create("b", "key_value", persist_index=True)
op.map.put("b", b"k", 1, order="key", ctx=[ctx.map_key_create(5, "key_value")])
op.read("b", exp.bin("n") * 2)
op.read("b", "$.n + 1", no_fail=True)
op.read("b", ("$.n + ?0", 10))
op.write("b", exp.bin("n", int) + 1)
op.write("b", exp.value(None), create_only=True, allow_delete=True, no_fail=True)
op.write("b", "when($.n > 3 => 0, default => 1)", update_only=True)
op.path.select("b", [ctx.all_children(), ctx.map_key("v")])
op.path.select("b", [ctx.all_children("@.v > 2")], returning="tree", no_fail=True)
op.path.select("b", [ctx.map_keys_in(["a", 5]), ctx.and_where(("@.v > ?", 2))], returning="key")
op.path.select("b", [ctx.list_value(1), ctx.and_where("@index > 0")], returning="key_value")
op.path.modify("b", [ctx.all_children(), ctx.rank(-1)], exp.loop.value() + exp.loop.index())
op.path.modify("b", [ctx.all_children()], ("@ * ?", 2.5), no_fail=True)
op.path.remove("b", [ctx.all_children("@key == 'a'"), ctx.index(0)])
"""

EXPRESSIONS = """
exp.bin("a", bool)
exp.bin("a", bytes)
exp.bin("a", list)
exp.bin("a", dict)
exp.bin_type("a")
exp.bin_exists("a")
exp.value([1, {"b": None, "a": 2.5}, b"x"])
exp.value(HyperLogLog(b"x"))
exp.unknown()
exp.path.select(exp.bin("a", dict), [ctx.all_children("@.v > 2")], returning="key")
exp.path.select(exp.bin("a", list), [ctx.all_children()], returning="tree", no_fail=True)
exp.path.modify(exp.bin("a"), [ctx.list_index(0)], "@ + 1")
exp.path.remove(exp.bin("a"), [ctx.map_key("x")], no_fail=True)
exp.text("$.l.[?(@ > ?)].count() > 0", 5)
exp.text("$.a > ?0 and $.b:STRING in ?1", 5, ["x"])
exp.key(int)
exp.key(str)
exp.key(bytes)
exp.key_exists()
exp.set_name()
exp.ttl()
exp.void_time()
exp.last_update()
exp.since_update()
exp.record_size()
exp.device_size()
exp.memory_size()
exp.is_tombstone()
exp.digest_modulo(7)
exp.exclusive(exp.bin("a"), exp.bin("b"), True)
exp.cond(exp.bin("a"), 1, exp.bin("b"), 2, 3)
exp.let({"x": exp.bin("a", int), "y": exp.var("x") + 1}, exp.var("y") * 2)
exp.minimum(exp.bin("a"), 2, 3)
exp.maximum(exp.bin("a"), 2.5)
exp.log(exp.bin("a"), 2.5)
exp.bit_count(exp.bin("a"))
exp.bit_scan(exp.bin("a"), True)
exp.bit_scan(exp.bin("a"), exp.bin("b"), from_right=True)
exp.map_keys(exp.bin("a"))
exp.map_values(exp.bin("a"))
exp.within(exp.bin("a"), GeoJSON("{}"))
exp.bin("s").matches("a.c", by_lines=True)
exp.bin("s").matches("a.c", basic=True, ignore_case=True)
exp.bin("a") % 3
exp.bin("a", int) ^ 3
exp.bin("a", int) | 3
exp.bin("a") != None
"""

FILTERS = """
exp.bin("age") >= 18
exp.bin("grown")
exp.list.size(exp.bin("log")) > 1
exp.map.get_by_key(exp.bin("cart"), "apples") > 2
"$.age > 25 and $.name == 'x'"
("$.age > ?0 and $.name:STRING in ?1", 25, ["x", "y"])
"""


#: Arguments for the parameters of operations, by name.
ARGUMENTS = {
    "bin": '"b"',
    "on": 'exp.bin("b")',
    "index": "1",
    "rank": "-1",
    "count": "2",
    "value": "5",
    "values": '["a", 2]',
    "begin": "1",
    "end": "9",
    "key": '"k"',
    "keys": '["a", 2]',
    "delta": "2.5",
    "order": '"ordered"',
    "offset": "8",
    "size": "16",
    "by": "3",
    "data": 'b"x"',
    "bit": "True",
    "index_bits": "8",
    "minhash_bits": "16",
    "byte_offset": "1",
    "byte_size": "2",
    "separator": '","',
    "sketches": '[HyperLogLog(b"x")]',
}

FAMILIES = ("list", "map", "bit", "hll")

#: Arguments that differ in some modules.
ARGUMENTS_OF = {"list": {"items": "[1, [2]]"}, "map": {"items": '{"a": 1}', "order": '"key"'}}

#: Arguments for keywords that do not take words.
KEYWORDS = {"ctx": '[ctx.map_key("k"), ctx.list_index(-1)]', "kind": "int"}


def words(annotation: str) -> list[str]:
    """The words that a keyword may be."""
    known = getattr(types, annotation.removesuffix(" | None"))

    def inside(of: Any) -> list[str]:
        parts = get_args(of)
        return [it for of in parts for it in ([of] if isinstance(of, str) else inside(of))]

    return [repr(word) for word in inside(known)]


def every(api: str, family: str) -> list[str]:
    """Calls of every function of a module: with its arguments alone, without those that may be left
    out, and with each of its keywords."""
    module = getattr(NAMES[api], family)
    args = ARGUMENTS | ARGUMENTS_OF.get(family, {})
    texts = []
    for name in module.__all__:
        parameters = inspect.signature(getattr(module, name)).parameters.values()
        positional = [it for it in parameters if it.kind is it.POSITIONAL_OR_KEYWORD]
        needed = [args[it.name] for it in positional if it.default is it.empty]
        whole = [args[it.name] for it in positional]
        variants = [needed, whole] if needed != whole else [whole]
        for it in parameters:
            if it.kind is not it.KEYWORD_ONLY:
                continue
            if it.annotation == "bool":
                values = ["True"]
            else:
                values = [KEYWORDS[it.name]] if it.name in KEYWORDS else words(it.annotation)
            variants += [[*whole, f"{it.name}={value}"] for value in values]
        texts += [f"{api}.{family}.{name}({', '.join(of)})" for of in variants]
    return texts


class File:
    """The cases of one test file."""

    def __init__(self, name: str) -> None:
        tree = ast.parse((BEHAVIOUR / name).read_text())
        self.tests = {it.name: it for it in tree.body if isinstance(it, ast.FunctionDef)}
        self.known = {
            it.targets[0].id: it.value
            for it in tree.body
            if isinstance(it, ast.Assign) and isinstance(it.targets[0], ast.Name)
        }
        self.values = dict(NAMES)
        for known, value in self.known.items():
            self.values[known] = self.evaluated(value)

    def evaluated(self, node: ast.expr) -> Any:
        """Evaluates a call."""
        code = compile(ast.Expression(node), "cases", "eval")
        return eval(code, dict(self.values))

    def cases(self, test: str) -> list[list[ast.expr]]:
        """The rows of a test's parameters."""
        (decorator,) = self.tests[test].decorator_list
        assert isinstance(decorator, ast.Call)
        rows = decorator.args[1]
        assert isinstance(rows, ast.List)
        return [row.elts for row in rows.elts if isinstance(row, ast.Tuple)]

    def tree(self, node: ast.expr) -> Any:
        """A call and its arguments."""
        match node:
            case ast.Constant(value):
                return plain(value)
            case ast.List(items) | ast.Tuple(items):
                return {"list": [self.tree(it) for it in items]}
            case ast.Dict(keys, values):
                pairs = zip(keys, values, strict=True)
                return {
                    "map": [[self.tree(key or value), self.tree(value)] for key, value in pairs]
                }
            case ast.Name(name) if name in KINDS:
                return KINDS[name]
            case ast.Name(name):
                return self.tree(self.known[name])
            case ast.Attribute():
                return {"name": ast.unparse(node)}
            case ast.BinOp(left, operator, right) | ast.Compare(left, [operator], [right]):
                return self.operator(operator, left, right)
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                return plain(-value)  # type: ignore[operator]
            case ast.UnaryOp(operator, operand):
                return self.operator(operator, operand)
            case ast.Call(function, arguments, keywords):
                return self.call(function, arguments, keywords)
        raise SystemExit(f"cases.py: what is {ast.unparse(node)}?")

    def operator(self, operator: ast.AST, *operands: ast.expr) -> Any:
        name = OPERATORS[type(operator)]
        return {"operator": name, "operands": [self.tree(it) for it in operands]}

    def call(
        self, function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]
    ) -> Any:
        name = ast.unparse(function)
        args = [self.tree(it) for it in arguments]
        if name == "bytearray":
            return args[0]
        if name in ("abs", "math.floor", "math.ceil"):
            return {"operator": name.removeprefix("math."), "operands": args}
        entry: dict[str, Any] = {
            "args": args,
            "kwargs": {it.arg: self.tree(it.value) for it in keywords},
        }
        factory = self.evaluated(function)
        if not inspect.isclass(factory):
            # In JavaScript, keywords come last, in one object.
            parameters = inspect.signature(factory).parameters.values()
            entry["before"] = sum(it.kind is it.POSITIONAL_OR_KEYWORD for it in parameters)
        of = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(of, ast.Call) or (isinstance(of, ast.Name) and of.id in self.known):
            return {"method": name.rpartition(".")[2], "on": self.tree(of), **entry}
        return {"call": name, **entry}


def plain(value: Any) -> Any:
    """A value as JSON; values without a JSON type become objects."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 53 else {"bigint": str(value)}
    if isinstance(value, float):
        return {"double": value}
    if isinstance(value, bytes | bytearray):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, HyperLogLog):
        return {"hll": bytes(value).hex()}
    if isinstance(value, list | tuple):
        return {"list": [plain(it) for it in value]}
    if isinstance(value, dict):
        return {"map": [[plain(key), plain(of)] for key, of in value.items()]}
    raise SystemExit(f"cases.py: what is {value!r}?")


def wire(expression: exp.Expression) -> str | None:
    """The bytes, or None if a type is missing."""
    with contextlib.suppress(TypeError):
        return bytes(expression).hex()
    return None


def calls(source: str) -> list[ast.expr]:
    """The calls in a text."""
    return [it.value for it in ast.parse(source).body if isinstance(it, ast.Expr)]


def send(seeds: str, operations: list[Any], filters: list[Any]) -> None:
    """Sends the calls; the cluster's results do not matter."""
    with spikewire.Client(seeds) as client:
        data = client.dataset("test", "wire")
        for operation in operations:
            with contextlib.suppress(spikewire.Error):
                data.operate("k", [operation])
        for where in filters:
            data.exists("k", where=where)


#: Parts of the document, and the tests whose parameters they are.
OPERATION_TESTS = {
    "lists": "test_list_operations_return_their_results",
    "maps": "test_map_operations_return_their_results",
    "bits": "test_bit_operations_return_their_results",
}
EXPRESSION_TESTS = {
    "printed": "test_expressions_print_as_text",
    "nested": "test_operations_inside_expressions_print_and_round_trip",
    "evaluated": "test_operations_inside_expressions_are_evaluated",
}


def main() -> None:
    """Prints all cases."""
    operations, expressions = File("test_operations.py"), File("test_expressions.py")
    document: dict[str, Any] = {}
    for name, test in OPERATION_TESTS.items():
        rows = operations.cases(test)
        document[name] = [
            {
                "make": operations.tree(operation_node),
                "python": ast.unparse(operation_node),
                "result": plain(operations.evaluated(result)),
                "left": plain(operations.evaluated(left)),
            }
            for operation_node, result, left in rows
        ]
    document["invalid"] = [
        {
            "make": operations.tree(operation_node),
            "python": ast.unparse(operation_node),
            "error": ast.unparse(error).removeprefix("spikewire."),
        }
        for operation_node, error in operations.cases("test_invalid_operations_get_server_errors")
    ]
    for name, test in EXPRESSION_TESTS.items():
        document[name] = []
        for operation_node, expected in expressions.cases(test):
            expression = expressions.evaluated(operation_node)
            case = {
                "make": expressions.tree(operation_node),
                "python": ast.unparse(operation_node),
                "text": str(expression),
                "bytes": wire(expression),
            }
            if name == "evaluated":
                case["value"] = plain(expressions.evaluated(expected))
            document[name].append(case)
    document["every"] = []
    source = [EXPRESSIONS, *(it for of in FAMILIES for it in every("exp", of))]
    for call in calls("\n".join(source)):
        case = {"make": expressions.tree(call), "python": ast.unparse(call), "text": None}
        with contextlib.suppress(TypeError, ValueError):
            expression = expressions.evaluated(call)
            case |= {"text": str(expression), "bytes": wire(expression)}
            # The type of an element follows from its use.
            case["compared"] = wire(expression == 1)
        document["every"].append(case)
    tabled = [of[0] for test in OPERATION_TESTS.values() for of in operations.cases(test)]
    all_of_them = calls("\n".join(it for of in FAMILIES for it in every("op", of)))
    sent = tabled + calls(OPERATIONS) + all_of_them
    filters = calls(FILTERS)
    for name, called in (("sent", sent), ("filters", filters)):
        document[name] = [
            {"make": expressions.tree(it), "python": ast.unparse(it)} for it in called
        ]
    if len(sys.argv) > 1:
        evaluated = expressions.evaluated
        send(
            sys.argv[1],
            [operations.evaluated(it) for it in sent],
            [evaluated(it) for it in filters],
        )
    json.dump(document, sys.stdout)


if __name__ == "__main__":
    main()

"""The official client's expressions: the embedded cluster answers as a small model in Python
predicts."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from box import c_client

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")

from aerospike_helpers import expressions as ex  # noqa: E402
from aerospike_helpers.operations import expression_operations as exop  # noqa: E402
from aerospike_helpers.operations import operations as op  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

# The binding announces removals of calls; this server is as old as they are.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

UNKNOWN = "unknown"
FOLDED = aerospike.REGEX_ICASE | aerospike.REGEX_EXTENDED
BINS: dict[str, Any] = {
    "i": 7,
    "j": -3,
    "z": 0,
    "f": 2.5,
    "g": -0.5,
    "s": "hello",
    "t": True,
    "u": False,
    "b": b"\x01\x02",
    "l": [1, "two"],
}
READERS = {int: ex.IntBin, float: ex.FloatBin, str: ex.StrBin, bool: ex.BoolBin, bytes: ex.BlobBin}


@pytest.fixture(scope="module")
def peer(box: Any) -> Any:
    client = c_client(box.seeds)
    key = ("test", "expressions", "k")
    client.put(key, BINS, meta={"ttl": 100_000}, policy={"key": aerospike.POLICY_KEY_SEND})
    yield client, key
    client.close()


def evaluated(peer: Any, expression: Any) -> Any:
    client, key = peer
    flags = aerospike.EXP_READ_EVAL_NO_FAIL
    _, _, bins = client.operate(key, [exop.expression_read("r", expression.compile(), flags)])
    value = bins.get("r")
    return UNKNOWN if value is None else value


def passes(peer: Any, expression: Any) -> bool:
    client, key = peer
    try:
        client.get(key, policy={"expressions": expression.compile()})
    except aerospike.exception.FilteredOut:
        return False
    return True


def known(function: Any) -> Any:
    """The function, unknown if an operand is."""

    def wrapped(*values: Any) -> Any:
        return (
            UNKNOWN if UNKNOWN in [v for v in values if isinstance(v, str)] else function(*values)
        )

    return wrapped


def wrap(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def divide(a: int, b: int) -> Any:
    if b == 0:
        return UNKNOWN
    return wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def modulo(a: int, b: int) -> Any:
    return UNKNOWN if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b))


def all_of(*values: Any) -> Any:
    if any(value is False for value in values):
        return False
    return UNKNOWN if UNKNOWN in values else True


def any_of(*values: Any) -> Any:
    if any(value is True for value in values):
        return True
    return UNKNOWN if UNKNOWN in values else False


Pair = tuple[Any, Any]

ints = st.one_of(
    st.sampled_from([(ex.IntBin(name), BINS[name]) for name in "ijz"]),
    st.sampled_from([(ex.IntBin("missing"), UNKNOWN), (ex.IntBin("s"), UNKNOWN)]),
    st.integers(-(2**62), 2**62).map(lambda n: (ex.Val(n), n)),
    st.integers(-4, 70).map(lambda n: (ex.Val(n), n)),
)
floats = st.one_of(
    st.sampled_from([(ex.FloatBin(name), BINS[name]) for name in "fg"]),
    st.just((ex.FloatBin("i"), UNKNOWN)),
    st.integers(-8, 8).map(lambda n: (ex.Val(n / 4), n / 4)),
)
texts = st.sampled_from(
    [(ex.StrBin("s"), "hello"), (ex.Val("hello"), "hello"), (ex.Val("help"), "help")]
)


def pair(make: Any, model: Any, *operands: Pair) -> Pair:
    return make(*[it[0] for it in operands]), model(*[it[1] for it in operands])


def shift(function: Any) -> Any:
    return lambda a, b: wrap(function(a, b % 64))


def int_trees(children: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    binary = [
        (ex.Add, lambda a, b: wrap(a + b)),
        (ex.Sub, lambda a, b: wrap(a - b)),
        (ex.Mul, lambda a, b: wrap(a * b)),
        (ex.Div, divide),
        (ex.Mod, modulo),
        (ex.IntAnd, operator.and_),
        (ex.IntOr, operator.or_),
        (ex.IntXOr, operator.xor),
        (ex.IntLeftShift, shift(lambda a, b: a << b)),
        (ex.IntRightShift, shift(lambda a, b: (a % 2**64) >> b)),
        (ex.IntArithmeticRightShift, shift(lambda a, b: a >> b)),
        (ex.Min, min),
        (ex.Max, max),
    ]
    unary = [
        (ex.Abs, lambda a: wrap(abs(a))),
        (ex.IntNot, operator.invert),
        (ex.IntCount, lambda a: (a % 2**64).bit_count()),
        (lambda a: ex.IntLeftScan(a, True), lambda a: 64 - (a % 2**64).bit_length() if a else -1),
    ]
    return st.one_of(
        st.builds(
            lambda it, a, b: pair(it[0], known(it[1]), a, b),
            st.sampled_from(binary),
            children,
            children,
        ),
        st.builds(lambda it, a: pair(it[0], known(it[1]), a), st.sampled_from(unary), children),
    )


COMPARISONS = [
    (ex.Eq, operator.eq),
    (ex.NE, operator.ne),
    (ex.GT, operator.gt),
    (ex.GE, operator.ge),
    (ex.LT, operator.lt),
    (ex.LE, operator.le),
]


def compared(operands: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.builds(
        lambda it, a, b: pair(it[0], known(it[1]), a, b),
        st.sampled_from(COMPARISONS),
        operands,
        operands,
    )


numbers = st.recursive(ints, int_trees, max_leaves=6)
tests = st.one_of(
    compared(numbers),
    compared(floats),
    compared(texts),
    st.sampled_from(
        [(ex.BoolBin("t"), True), (ex.BoolBin("u"), False), (ex.BoolBin("missing"), UNKNOWN)]
    ),
)


def logic(children: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    some = st.lists(children, min_size=2, max_size=4)
    return st.one_of(
        some.map(lambda them: pair(ex.And, all_of, *them)),
        some.map(lambda them: pair(ex.Or, any_of, *them)),
        children.map(lambda it: pair(ex.Not, known(operator.not_), it)),
    )


trees = st.recursive(tests, logic, max_leaves=8)
examples = settings(
    max_examples=300,
    derandomize=True,
)


@examples
@given(numbers)
def test_integer_expressions_are_evaluated(peer: Any, tree: Pair) -> None:
    assert evaluated(peer, tree[0]) == tree[1]


@examples
@given(trees)
def test_logic_evaluates_as_value_and_as_filter(peer: Any, tree: Pair) -> None:
    assert evaluated(peer, tree[0]) == tree[1]
    assert passes(peer, tree[0]) is (tree[1] is True)


@examples
@given(tests, numbers, numbers)
def test_cond_and_let(peer: Any, test: Pair, yes: Pair, no: Pair) -> None:
    expected = UNKNOWN if test[1] == UNKNOWN else yes[1] if test[1] else no[1]
    assert evaluated(peer, ex.Cond(test[0], yes[0], no[0])) == expected
    bound = ex.Let(
        ex.Def("x", yes[0]), ex.Def("y", ex.Add(ex.Var("x"), 1)), ex.Sub(ex.Var("y"), ex.Var("x"))
    )
    assert evaluated(peer, bound) == (UNKNOWN if yes[1] == UNKNOWN else 1)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (ex.Add(ex.FloatBin("f"), 1.5, ex.FloatBin("g")), 3.5),
        (ex.Div(ex.FloatBin("f"), 0.0), math.inf),
        (ex.Pow(ex.FloatBin("f"), 2.0), 6.25),
        (ex.Log(8.0, 2.0), math.log(8) / math.log(2)),
        (ex.Floor(ex.FloatBin("g")), -1.0),
        (ex.Ceil(ex.FloatBin("f")), 3.0),
        (ex.ToInt(ex.FloatBin("f")), 2),
        (ex.ToFloat(ex.IntBin("i")), 7.0),
        (ex.Min(ex.FloatBin("f"), 9.0), 2.5),
        (ex.IntRightScan(8, True), 60),
        (ex.Exclusive(True, False, ex.BoolBin("u")), True),
        (ex.Exclusive(True, ex.BoolBin("t")), False),
        (ex.Unknown(), UNKNOWN),
        (ex.KeyExists(), True),
        (ex.KeyStr(), "k"),
        (ex.KeyInt(), UNKNOWN),
        (ex.SetName(), "expressions"),
        (ex.IsTombstone(), False),
        (ex.DeviceSize(), 0),
        (ex.BinType("s"), 3),
        (ex.BinType("missing"), 0),
        (ex.BinExists("i"), True),
        (ex.And(ex.GT(ex.TTL(), 99_000), ex.LE(ex.TTL(), 100_000)), True),
        (ex.LT(ex.SinceUpdateTime(), 600_000), True),
        (ex.GT(ex.VoidTime(), ex.LastUpdateTime()), True),
        (ex.LT(ex.DigestMod(3), 3), True),
        (
            ex.CmpRegex(
                aerospike.REGEX_ICASE | aerospike.REGEX_EXTENDED, "^HE.+o$", ex.StrBin("s")
            ),
            True,
        ),
        (ex.CmpRegex(0, "l+", ex.StrBin("s")), False),
        (ex.Eq(ex.BlobBin("b"), bytearray(b"\x01\x02")), True),
        (ex.Eq(ex.ListBin("l"), [1, "two"]), True),
        (ex.LT(ex.ListBin("l"), [1, "two", 3]), True),
        (ex.ListSize(None, ex.ListBin("l")), 2),
        (
            ex.ListGetByIndex(
                None, aerospike.LIST_RETURN_VALUE, ex.ResultType.STRING, 1, ex.ListBin("l")
            ),
            "two",
        ),
        (ex.ListSize(None, ex.ListAppend(None, None, [5, 6], ex.ListBin("l"))), 3),
        (ex.BitCount(0, 16, ex.BlobBin("b")), 2),
    ],
    ids=lambda value: str(value).partition(" object at ")[0],
)
def test_other_expressions_are_evaluated(peer: Any, expression: Any, expected: Any) -> None:
    assert evaluated(peer, expression) == expected


def test_filters_on_writes_deletes_and_batches(peer: Any) -> None:
    client, _ = peer
    keys = [("test", "expressions", f"many{at}") for at in range(10)]
    for at, key in enumerate(keys):
        client.put(key, {"n": at})
    odd = {"expressions": ex.Eq(ex.Mod(ex.IntBin("n"), 2), 1).compile()}
    with pytest.raises(aerospike.exception.FilteredOut):
        client.put(keys[0], {"m": 1}, policy=odd)
    client.put(keys[1], {"m": 1}, policy=odd)
    client.put(("test", "expressions", "created"), {"m": 1}, policy=odd)
    with pytest.raises(aerospike.exception.FilteredOut):
        client.remove(keys[2], policy=odd)
    client.remove(keys[3], policy=odd)
    with pytest.raises(aerospike.exception.RecordNotFound):
        client.get(keys[3], policy=odd)
    batch = client.batch_read(keys, policy=odd)
    codes = [it.result for it in batch.batch_records]
    assert codes == [27, 0, 27, 2, 27, 0, 27, 0, 27, 0]


def test_malformed_filters_are_rejected(peer: Any) -> None:
    client, key = peer
    for broken in [ex.Eq(1, "x"), ex.Add(1, 2), ex.Let(ex.Var("x")), ex.And(True)]:
        with pytest.raises(aerospike.exception.InvalidRequest):
            client.get(key, policy={"expressions": broken.compile()})


def test_expression_operations_write_bins(peer: Any) -> None:
    client, _ = peer
    key = ("test", "expressions", "w")
    client.put(key, {"n": 5})
    double = ex.Mul(ex.IntBin("n"), 2).compile()
    client.operate(key, [exop.expression_write("n", double), op.read("n")])
    assert client.get(key)[2] == {"n": 10}
    with pytest.raises(aerospike.exception.BinExistsError):
        client.operate(key, [exop.expression_write("n", double, aerospike.EXP_WRITE_CREATE_ONLY)])
    with pytest.raises(aerospike.exception.BinNotFound):
        client.operate(key, [exop.expression_write("m", double, aerospike.EXP_WRITE_UPDATE_ONLY)])
    bad = ex.Add(ex.IntBin("missing"), 1).compile()
    with pytest.raises(aerospike.exception.OpNotApplicable):
        client.operate(key, [exop.expression_write("n", bad)])
    client.operate(key, [exop.expression_write("n", bad, aerospike.EXP_WRITE_EVAL_NO_FAIL)])
    with pytest.raises(aerospike.exception.OpNotApplicable):
        client.operate(key, [exop.expression_read("n", bad)])
    client.put(key, {"other": 1})
    gone = exop.expression_write("n", ex.Val(None).compile(), aerospike.EXP_WRITE_ALLOW_DELETE)
    client.operate(key, [gone])
    assert client.get(key)[2] == {"other": 1}

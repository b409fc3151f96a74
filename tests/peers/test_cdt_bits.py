"""Bit operations through the C client's helpers, compared with strings of zeros and ones."""

from __future__ import annotations

from typing import Any

import pytest
from box import c_client, open_box

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from aerospike import exception  # noqa: E402
from aerospike_helpers.operations import bitwise_operations as bits  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

KEY = ("test", "bits", "k")
checks = settings(
    max_examples=200,
    derandomize=True,
)
blobs = st.binary(min_size=1, max_size=12)


@pytest.fixture(scope="module")
def client() -> Any:
    box = open_box(1)
    if box is None:
        pytest.skip("neither the extension nor spikewire-aerospike-server is built")
    connected = c_client(box.seeds)
    yield connected
    connected.close()
    box.stop()


def text(blob: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in blob)


def blob(text: str) -> bytes:
    padded = text + "0" * (-len(text) % 8)
    return bytes(int(padded[at : at + 8], 2) for at in range(0, len(padded), 8))


def start(client: Any, value: bytes) -> None:
    policy = {"exists": aerospike.POLICY_EXISTS_CREATE_OR_REPLACE}
    client.put(KEY, {"x": 1, "v": value}, policy=policy)


def changed(client: Any, value: bytes, *operations: dict[str, Any]) -> bytes:
    start(client, value)
    client.operate(KEY, list(operations))
    return bytes(client.get(KEY)[2]["v"])


def answer(client: Any, value: bytes, operation: dict[str, Any]) -> Any:
    start(client, value)
    return client.operate(KEY, [operation])[2]["v"]


def check_rejected(client: Any, code: int, operation: dict[str, Any]) -> None:
    with pytest.raises(exception.AerospikeError) as caught:
        client.operate(KEY, [operation])
    assert caught.value.code == code, caught.value


@st.composite
def runs(draw: Any, most: int = 96) -> tuple[bytes, int, int]:
    """A blob, and the offset and size of some of its bits."""
    value = draw(blobs)
    offset = draw(st.integers(0, 8 * len(value) - 1))
    return value, offset, draw(st.integers(1, min(most, 8 * len(value) - offset)))


@checks
@given(runs(), st.binary(min_size=12, max_size=12), st.integers(0, 100), st.booleans())
def test_operations_on_runs_of_bits_match_the_model(
    client: Any, run: tuple[bytes, int, int], other: bytes, by: int, negative: bool
) -> None:
    value, offset, size = run
    before, old, after = (
        text(value)[:offset], text(value)[offset : offset + size], text(value)[offset + size :],
    )  # fmt: skip
    at = offset - 8 * len(value) if negative else offset
    new = text(other)[:size]
    pairs = list(zip(old, new, strict=True))
    expected = {
        "set": new,
        "or": "".join("1" if "1" in pair else "0" for pair in pairs),
        "and": "".join("1" if pair == ("1", "1") else "0" for pair in pairs),
        "xor": "".join("1" if a != b else "0" for a, b in pairs),
    }
    for name, result in expected.items():
        operation = getattr(bits, f"bit_{name}")("v", at, size, len(other), other)
        assert text(changed(client, value, operation)) == before + result + after, name
    inverted = "".join("10"[int(bit)] for bit in old)
    assert text(changed(client, value, bits.bit_not("v", at, size))) == before + inverted + after
    left, right = (old + "0" * by)[by:][:size], ("0" * by + old)[:size]
    operation = bits.bit_lshift("v", at, size, by)
    assert text(changed(client, value, operation)) == before + left.ljust(size, "0") + after
    assert (
        text(changed(client, value, bits.bit_rshift("v", at, size, by))) == before + right + after
    )
    assert bytes(answer(client, value, bits.bit_get("v", at, size))) == blob(old)
    assert answer(client, value, bits.bit_count("v", at, size)) == old.count("1")
    for bit in (False, True):
        result = answer(client, value, bits.bit_lscan("v", at, size, bit))
        assert result == old.find("01"[bit])
        result = answer(client, value, bits.bit_rscan("v", at, size, bit))
        assert result == old.rfind("01"[bit])


@checks
@given(runs(64), st.integers(0, 2**63 - 1), st.booleans(), st.integers(0, 2), st.booleans())
def test_integer_operations_match_the_model(
    client: Any, run: tuple[bytes, int, int], number: int, signed: bool, how: int, subtract: bool
) -> None:
    value, offset, size = run
    before, old, after = (
        text(value)[:offset], text(value)[offset : offset + size], text(value)[offset + size :],
    )  # fmt: skip
    low = (1 << size) - 1
    was = int(old, 2)
    if signed and old[0] == "1":
        was -= 1 << size
    least, most = (-(1 << size - 1), (1 << size - 1) - 1) if signed else (0, low)
    result = answer(client, value, bits.bit_get_int("v", offset, size, signed))
    assert result & low == was & low
    operation = bits.bit_set_int("v", offset, size, number)
    assert text(changed(client, value, operation)) == before + f"{number & low:0{size}b}" + after
    # Only as many bits of the number count as the integer has; the least one is its own negative.
    short = number & low
    if signed and short > most:
        short -= 1 << size
    negated = subtract and not (signed and short == least)
    total = was - short if negated else was + short
    action = [
        aerospike.BIT_OVERFLOW_FAIL, aerospike.BIT_OVERFLOW_SATURATE, aerospike.BIT_OVERFLOW_WRAP,
    ][how]  # fmt: skip
    call = bits.bit_subtract if subtract else bits.bit_add
    operation = call("v", offset, size, number, signed, action)
    if not least <= total <= most:
        if how == 0:
            start(client, value)
            check_rejected(client, 26, operation)
            return
        if how == 1:
            total = min(max(total, least), most)
    assert text(changed(client, value, operation)) == before + f"{total & low:0{size}b}" + after


@checks
@given(blobs, st.integers(0, 16), blobs, st.integers(0, 16))
def test_insert_resize_and_remove_change_bytes(
    client: Any, value: bytes, at: int, more: bytes, size: int
) -> None:
    operation = bits.bit_insert("v", at, len(more), more)
    filled = value.ljust(at, b"\0")
    assert changed(client, value, operation) == filled[:at] + more + filled[at:]
    operation = bits.bit_resize("v", size)
    assert changed(client, value, operation) == value[:size].ljust(size, b"\0")
    operation = bits.bit_resize("v", size, resize_flags=aerospike.BIT_RESIZE_FROM_FRONT)
    front = value[max(0, len(value) - size) :].rjust(size, b"\0")
    assert changed(client, value, operation) == front
    partial = {"bit_write_flags": aerospike.BIT_WRITE_PARTIAL}
    if at < len(value) and size > 0:
        operation = bits.bit_remove("v", at, size, partial)
        assert changed(client, value, operation) == value[:at] + value[at + size :]


def test_invalid_operations_are_rejected(client: Any) -> None:
    start(client, b"\0")
    check_rejected(client, 26, bits.bit_get("v", 4, 8))
    check_rejected(client, 26, bits.bit_set("v", 4, 8, 1, b"\1"))
    check_rejected(client, 4, bits.bit_not("v", 0, 0))
    check_rejected(client, 12, bits.bit_not("x", 0, 1))
    check_rejected(client, 17, bits.bit_not("none", 0, 1))
    check_rejected(client, 6, bits.bit_resize("v", 3, {"bit_write_flags": 1}))
    client.operate(KEY, [bits.bit_set("v", 8, 8, 1, b"\1", {"bit_write_flags": 4})])
    assert bytes(client.get(KEY)[2]["v"]) == b"\0"
    steps = [
        bits.bit_resize("v", 2),
        bits.bit_set("v", 8, 8, 1, b"\xff"),
        bits.bit_count("v", 0, 16),
    ]
    results = client.operate_ordered(KEY, steps)[2]
    assert results == [("v", None), ("v", None), ("v", 8)]

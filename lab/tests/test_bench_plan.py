"""Which cells are compared with each other, and in which order."""

from __future__ import annotations

from dataclasses import replace

from spikewire_lab.clients import PEERS
from spikewire_lab.clients.base import (
    ASYNC,
    ASYNC_UVLOOP,
    CRATES,
    MODES,
    NODE,
    RUST,
    RUST_SYNC,
    SYNC,
)
from spikewire_lab.plan import (
    BATCH_MODE,
    CLIENTS,
    NODE_NAMES,
    RUST_CLIENTS,
    Cell,
    Group,
    Matrix,
    Sizes,
)
from spikewire_lab.run.rounds import shuffled
from spikewire_lab.table.pools import run_by
from spikewire_lab.work.shape import (
    ARROW,
    BATCH_READ,
    BATCH_WRITE,
    COLUMNS,
    DICT,
    NUMPY,
    NUMPY_PLAIN,
    PANDAS,
    SINGLES,
    TABLE_WRITE,
)

EVERYTHING = Matrix(
    clients=tuple(name for name in CLIENTS if name not in PEERS or PEERS[name].usual),
    modes=MODES,
    tasks=(1, 32),
    threads=(1, 32),
    in_flight=(32, 256),
    interpreters=("python3",),
)


def test_a_group_holds_one_mode_one_concurrency_and_one_interpreter() -> None:
    groups = replace(EVERYTHING, interpreters=("a", "b")).groups()
    for group in groups:
        assert len({(cell.mode, cell.concurrency, cell.interpreter) for cell in group}) == 1
        assert len({cell.client for cell in group}) == len(group)
    assert len(groups) == len(set(groups)) == 2 * 2 * 3 + 2 * 2 + 1


def test_pools_stand_beside_one_loop_and_threads() -> None:
    clients = ("spikewire", "aerospike", "aerospike-py", "aerospike-rust")
    matrix = replace(EVERYTHING, clients=clients, tasks=(8,), threads=(2,), loops=(1, 2))
    groups = replace(matrix, work=(0, 5)).groups()
    assert [(group[0].mode, group[0].work) for group in groups] == [
        *((ASYNC, 0), (ASYNC_UVLOOP, 0), (ASYNC, 5), (ASYNC_UVLOOP, 5)),
    ]
    pools = ["pool, 1 loop", "pool.map, 1 loop", "pool, 2 loops", "pool.map, 2 loops"]
    assert [(cell.client, run_by(cell)) for cell in groups[0]] == [
        *(("spikewire", what) for what in ("1 loop", *pools)),
        *(("spikewire", what) for what in ("2 loops, a client each", "2 threads")),
        ("aerospike", "2 threads"),
        *(("aerospike-py", what) for what in ("1 loop", "2 loops, a client each", "2 threads")),
    ]
    assert all(cell.mode == ASYNC_UVLOOP for cell in groups[1])
    assert len(set(map(str, groups[0] + groups[2]))) == 2 * len(groups[0])


def test_the_default_matrix_has_every_client_on_its_apis() -> None:
    groups = {(group[0].mode, group[0].concurrency): group for group in EVERYTHING.groups()}
    assert set(groups) == {
        *((mode, many) for mode in (ASYNC, ASYNC_UVLOOP, SYNC, RUST_SYNC) for many in (1, 32)),
        *((RUST, many) for many in (32, 256)),
        (NODE, 32),
    }
    names = {key: [cell.client for cell in group] for key, group in groups.items()}
    rivals = ["aerospike-py", "aerospike-sdk", "aerospike-native"]
    assert names[ASYNC, 32] == names[ASYNC_UVLOOP, 1] == ["spikewire", *rivals]
    assert names[SYNC, 32] == ["spikewire", "aerospike", *rivals]
    assert names[RUST, 256] == names[RUST_SYNC, 32] == list(RUST_CLIENTS)
    assert names[NODE, 32] == list(NODE_NAMES)


def test_a_way_for_one_api_is_planned_beside_it_only() -> None:
    def names(*clients: str) -> list[list[str]]:
        matrix = replace(EVERYTHING, clients=clients, modes=(BATCH_MODE,), batch_tasks=(2,))
        sizes = Sizes(reads=(2,), writes=(2,))
        groups = replace(matrix, threads=(1,), sizes=sizes).groups()
        return [[cell.name for cell in group] for group in groups]

    assert names("spikewire", "spikewire-builder") == [["spikewire", "spikewire-builder"]] * 4
    read, written, *tasks = names("spikewire", "spikewire-compat")
    assert read == ["spikewire", "spikewire-compat"]
    assert written == ["spikewire", "spikewire operations", "spikewire-compat"]
    assert tasks == [["spikewire"]] * 2


def test_a_sweep_adds_wide_asyncio_groups_only() -> None:
    swept = replace(EVERYTHING, sweep=True, tasks=(32, 128)).groups()
    assert [group[0].concurrency for group in swept if group[0].mode == ASYNC] == [32, 128, 512]
    assert [group[0].concurrency for group in swept if group[0].mode == SYNC] == [1, 32]


def test_the_floor_is_measured_on_request_and_for_python_only() -> None:
    assert all(cell.client != "null" for group in EVERYTHING.groups() for cell in group)
    for group in replace(EVERYTHING, floor=True).groups():
        assert (group[-1].client == "null") == (group[0].mode not in (*CRATES, NODE))


def test_only_requested_cells_are_planned() -> None:
    matrix = replace(EVERYTHING, clients=("aerospike",), modes=(SYNC, ASYNC), threads=(4,))
    assert matrix.groups() == ((Cell("aerospike", SYNC, 4, "python3"),),)
    assert replace(matrix, modes=(ASYNC,)).groups() == ()


def test_every_round_has_every_cell_in_an_order_of_its_own() -> None:
    group = tuple(Cell(name, SYNC, 1) for name in "abcdef")
    orders = ["".join(cell.client for cell in shuffled(group, 1, number)) for number in range(4)]
    assert all(sorted(order) == list("abcdef") for order in orders)
    assert len(set(orders)) == 4
    assert orders[0] == "".join(cell.client for cell in shuffled(group, 1, 0))


def test_peers_without_an_api_are_absent() -> None:
    assert PEERS["aerospike"].lacks(ASYNC) == "has no asyncio interface"
    assert PEERS["aerospike"].lacks(SYNC) is None
    assert PEERS["aerospike-sdk"].lacks(RUST) == "is not a Rust crate"
    assert PEERS["aerospike-sdk"].lacks(NODE) == "is not an npm package"


def test_uvloop_is_disabled_for_plain_asyncio() -> None:
    for name in ("aerospike-sdk", "aerospike-native"):
        variables = PEERS[name].environment
        assert variables[ASYNC] == {"AEROSPIKE_NO_UVLOOP": "1"}
        assert ASYNC_UVLOOP not in variables


def test_node_is_planned_for_each_number_of_processes() -> None:
    matrix = replace(EVERYTHING, modes=(NODE,), node_in_flight=(1, 512), processes=(1, 4))
    groups = matrix.groups()
    planned = [(group[0].concurrency, group[0].processes) for group in groups]
    assert planned == [(1, 1), (1, 4), (512, 1), (512, 4)]
    assert not groups[0][0].beside(groups[1][0])
    assert {cell.client for cell in groups[0]} == set(NODE_NAMES)
    assert str(groups[1][0]) == "spikewire-node node 1 x 4"


def test_batches_in_node_are_planned_beside_each_other() -> None:
    sizes = Sizes((16, 128), (128,))
    groups = replace(
        EVERYTHING, modes=("node-batch",), node_batches=(1, 8), node_sizes=sizes
    ).groups()
    work = [(BATCH_READ, 16), (BATCH_READ, 128), (BATCH_WRITE, 128)]
    assert heads(groups) == [(NODE, many, *one) for many in (1, 8) for one in work]
    assert all([cell.client for cell in group] == list(NODE_NAMES) for group in groups)


BATCHES = replace(EVERYTHING, modes=("batch",))
TABLES = replace(EVERYTHING, modes=("columns",))


def heads(groups: tuple[Group, ...]) -> list[tuple[str, int, str, int]]:
    cells = (group[0] for group in groups)
    return [(cell.mode, cell.concurrency, cell.shape.kind, cell.shape.rows) for cell in cells]


def test_batches_are_planned_by_api_and_size_beside_the_single_records() -> None:
    sizes = Sizes(reads=(4, 128), writes=(128,))
    work = [(BATCH_READ, 4), (BATCH_READ, 128), (BATCH_WRITE, 128)]
    assert heads(replace(BATCHES, sizes=sizes).groups()) == [
        (mode, many, *one) for mode, many in ((SYNC, 1), (SYNC, 32), (ASYNC, 32)) for one in work
    ]
    assert set(EVERYTHING.groups()).isdisjoint(BATCHES.groups())
    both = replace(EVERYTHING, modes=(SYNC, "batch")).groups()
    assert both == (*replace(EVERYTHING, modes=(SYNC,)).groups(), *BATCHES.groups())


def test_every_cell_of_a_group_does_the_same_work() -> None:
    for group in (*BATCHES.groups(), *TABLES.groups()):
        assert all(cell.beside(group[0]) for cell in group)
        assert len({cell.name for cell in group}) == len(group)
    first, second = BATCHES.groups()[:2]
    assert not first[0].beside(second[0])


def test_the_records_of_one_batch_are_also_read_one_by_one() -> None:
    sizes = {
        cell.shape.rows
        for group in BATCHES.groups()
        for cell in group
        if cell.shape.way == SINGLES and cell.client == "spikewire"
    }
    assert sizes == {4}


def test_column_tables_have_a_cell_for_each_way_of_each_client() -> None:
    groups = TABLES.groups()
    read = [(COLUMNS, many) for many in (100, 1_000, 10_000) * 3]
    written = [(TABLE_WRITE, 1_000)] * 3
    assert heads(groups) == [(mode, 1, *one) for mode in (SYNC, ASYNC) for one in read + written]
    bins = [1] * 3 + [5] * 3 + [20] * 3 + [1, 5, 20]
    assert [group[0].shape.columns for group in groups] == bins * 2
    names = {cell.name for cell in groups[0]}
    peers = ("aerospike", "aerospike-py", "aerospike-sdk", "aerospike-native")
    assert names >= {f"{name} {DICT}" for name in ("spikewire", *peers)}
    assert {f"spikewire {NUMPY}", f"spikewire {NUMPY_PLAIN}", f"aerospike-py {NUMPY}"} <= names
    assert f"aerospike {NUMPY}" not in names
    awaited = {cell.name for cell in groups[len(groups) // 2]}
    assert awaited == names - {f"aerospike {DICT}"}
    assert {cell.name for cell in groups[-1]} == {
        *(f"spikewire {way}" for way in (NUMPY, ARROW, PANDAS, DICT)),
        *(f"aerospike-py {way}" for way in (NUMPY, DICT)),
        *(f"{name} {DICT}" for name in ("aerospike-sdk", "aerospike-native")),
    }


def test_unsupported_cells_are_absent_with_a_reason() -> None:
    absent = {(cell.client, cell.mode, reason) for cell, reason in BATCHES.absent()}
    assert absent == {("aerospike", ASYNC, "has no asyncio interface")}
    missing = {(cell.client, reason) for cell, reason in TABLES.absent()}
    clients = ("aerospike", "aerospike-sdk", "aerospike-native")
    assert missing == {
        *((client, "has no columns to read into") for client in clients),
        *((client, "writes no columns") for client in clients),
        ("aerospike", "has no asyncio interface"),
    }
    for cell, _ in TABLES.absent():
        assert any(cell.beside(group[0]) for group in TABLES.groups())
    assert EVERYTHING.absent() == ()
    assert replace(BATCHES, clients=("spikewire",)).absent() == ()

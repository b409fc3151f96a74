"""What is compared: groups of public names, by database, with their names in each language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parity.read import (
    Names,
    node_class,
    node_exports,
    node_module,
    python_all,
    python_class,
    python_classes,
    rust_codes,
    rust_fields,
    rust_functions,
    rust_variants,
)

if TYPE_CHECKING:
    from generator.table import Table
    from generator.verbs import Verb, Verbs

LANGUAGES = ("python", "node", "rust")

CRATE = "spikewire/src/aerospike"
CQL = "spikewire/src/cql"
STUB = "_native.pyi"
CQL_STUB = "cql/_native.pyi"
SCHEMA = "spikewire-cassandra/src/cluster/schema.rs"
SCHEMA_STRUCTS = (
    *("Schema", "Keyspace", "Table", "View", "Index", "ColumnSchema"),
    *("UserFunction", "UserAggregate"),
)


@dataclass(frozen=True)
class Area:
    """A group of names that every language should have."""

    key: str
    title: str
    python: Names
    node: Names
    rust: Names
    #: The languages whose names the others should have. Those of the rest count where they match.
    rows: tuple[str, ...] = LANGUAGES

    def of(self, language: str) -> Names:
        """The names in a language."""
        return {"python": self.python, "node": self.node, "rust": self.rust}[language]

    def having(self, language: str, names: Names) -> Area:
        """The area with these names in a language."""
        of = {it: names if it == language else self.of(it) for it in LANGUAGES}
        return Area(self.key, self.title, of["python"], of["node"], of["rust"], self.rows)


def aerospike(verbs: Verbs, table: Table) -> list[Area]:
    """The areas of the clients for Aerospike."""
    named = frozenset(verb.name for verb in verbs.verbs)
    dataset = node_class("aerospike", "Dataset")
    macros = rust_functions(f"{CRATE}/verbs.rs", f"{CRATE}/many.rs", after="macro_rules!")
    query = rust_functions(f"{CRATE}/query/mod.rs")
    wholes = frozenset(name for name in query if name == "query" or name.endswith("_all"))
    client = python_class(STUB, "Client") | python_class(
        "aerospike/client.py", "Client", "_CommonClient"
    )
    return [
        Area("verbs", "Verbs", python_class(STUB, "Dataset"), dataset, macros | wholes),
        Area(
            "clients",
            "Clients, besides verbs",
            client - named,
            node_class("aerospike", "Client") - named - dataset | {"get_stream", "within"},
            _rust_client() | {"within"},
        ),
        _options(verbs),
        Area(
            "client_options",
            "Options of clients",
            python_class(
                "options.py", "ClientOptions", "BlockingOptions", "AsyncOptions", "TlsOptions"
            ),
            node_class("aerospike", "ClientOptions") | node_class("options", "TlsOptions"),
            rust_functions(f"{CRATE}/builder.rs", of="Builder")
            | rust_fields("spikewire-transport/src/tls/options.rs", "TlsOptions"),
        ),
        Area("operations", "Operations", *_operations(table)),
        Area(
            "expressions",
            "Expressions",
            python_all("aerospike/exp/__init__.py"),
            node_module("aerospike/exp/index.ts"),
            rust_functions(f"{CRATE}/expression/exp.rs"),
        ),
        Area(
            "operators",
            "Methods of expressions",
            python_class(STUB, "Expression"),
            node_class("aerospike", "Expression"),
            rust_functions(f"{CRATE}/expression/operators.rs")
            | rust_functions(f"{CRATE}/expression/mod.rs", of="Expression"),
        ),
        Area(
            "ctx",
            "Paths to nested values: `ctx`",
            python_all("aerospike/ctx.py"),
            node_module("aerospike/operation/ctx.ts"),
            rust_functions(f"{CRATE}/ctx.rs") | rust_functions(f"{CRATE}/step.rs", of="Step"),
        ),
        Area(
            "ranges",
            "Ranges of an index",
            python_all("aerospike/query.py"),
            node_module("aerospike/query/range.ts"),
            rust_functions(f"{CRATE}/query_plan/range.rs"),
        ),
        Area(
            "queries",
            "Queries, pages and jobs",
            python_class(STUB, "Query", "Page")
            | python_class("aerospike/jobs.py", "Job", "JobProgress"),
            node_class("aerospike", "Query", "Page", "Job", "JobProgress"),
            rust_functions(f"{CRATE}/query/mod.rs", of="Query")
            | rust_functions(
                *(f"{CRATE}/query/{name}.rs" for name in ("job", "aggregate", "explain")),
                f"{CRATE}/query_plan/records.rs",
                f"{CRATE}/blocking/query.rs",
            ),
            ("python", "node"),
        ),
        Area(
            "batches",
            "Results of batches",
            python_class(STUB, "Batch"),
            node_class("aerospike", "Batch"),
            rust_functions(f"{CRATE}/batch.rs", of="Batch"),
            ("python", "node"),
        ),
        Area(
            "builder",
            "The builder",
            *_builder(),
        ),
        Area(
            "administration",
            "Indexes, modules, users and roles",
            *_administration(),
        ),
        Area(
            "transactions",
            "Transactions",
            python_class(STUB, "TransactionCore")
            | python_class("aerospike/transaction.py", "Transaction"),
            node_class("aerospike", "Transaction"),
            rust_functions(f"{CRATE}/transaction.rs")
            | rust_functions(f"{CRATE}/blocking/transaction.rs", of="Transaction"),
        ),
        Area(
            "errors",
            "Errors",
            python_all("errors.py"),
            node_exports("aerospike/model/errors.ts"),
            rust_codes("spikewire-aerospike-protocol/src/result_code.rs")
            | rust_variants("spikewire-aerospike/src/model/error.rs", "Kind"),
            ("python", "node"),
        ),
    ]


def cassandra(verbs: Verbs) -> list[Area]:
    """The areas of the sessions with Cassandra."""
    del verbs
    session = f"{CQL}/blocking.rs"
    return [
        Area(
            "sessions",
            "Sessions",
            python_class(CQL_STUB, "SessionCore")
            | python_class("cql/session.py", "Session")
            | python_class("cql/_common.py", "CommonSession"),
            node_class("cql", "Session"),
            rust_functions(session, of="Session")
            | rust_functions(f"{CQL}/opening.rs", of="Session"),
        ),
        Area(
            "session_options",
            "Options of sessions",
            python_class("cql/options.py", "SessionOptions"),
            node_class("cql", "SessionOptions"),
            rust_functions(f"{CQL}/builder.rs", of="Builder"),
        ),
        Area(
            "statement_options",
            "Options of statements",
            python_class("cql/options.py", "ExecuteOptions", "PrepareOptions"),
            node_class("cql", "ExecuteOptions", "PrepareOptions", "BatchOptions"),
            rust_functions(f"{CQL}/call_options.rs", of="CallOptions"),
        ),
        Area(
            "results",
            "Rows, queries and prepared statements",
            python_class(CQL_STUB, "Rows", "Prepared", "BoundStatement", "Batch")
            | python_class("cql/query.py", "Query", "_PagingState"),
            node_class("cql", "Rows", "Prepared", "Bound", "Query", "Batch"),
            rust_functions(f"{CQL}/result.rs", of="QueryResult")
            | rust_functions(f"{CQL}/prepared.rs", of="Prepared")
            | rust_functions(f"{CQL}/batch.rs", of="Batch"),
            ("python", "node"),
        ),
        Area(
            "schema",
            "The schema",
            python_class("cql/schema.py", *SCHEMA_STRUCTS),
            node_class("cql", *SCHEMA_STRUCTS),
            rust_functions(SCHEMA) | rust_fields(SCHEMA, *SCHEMA_STRUCTS),
            ("python", "node"),
        ),
        Area(
            "cql_errors",
            "Errors",
            python_classes("cql/errors.py"),
            node_exports("cql/errors.ts"),
            rust_variants("spikewire-cassandra/src/error.rs", "Kind")
            | rust_variants("spikewire-cql/src/response/error/code.rs", "Code"),
            ("python", "node"),
        ),
    ]


def _rust_client() -> Names:
    files = ("blocking/mod.rs", "blocking/transaction.rs", "opening.rs")
    of_client = rust_functions(*(f"{CRATE}/{file}" for file in files), of="Client")
    handles = {"indexes": "index", "modules": "module", "users": "user", "roles": "role"}
    methods = {
        name for name, file in handles.items() if name in rust_functions(f"{CRATE}/{file}.rs")
    }
    return of_client | methods


def _options(verbs: Verbs) -> Area:
    """The options of calls."""
    python = frozenset(name for verb in verbs.verbs for name in _keywords(verb))
    node = node_class(
        "aerospike",
        *("GetOptions", "WriteManyOptions", "OperateOptions", "OperateManyOptions"),
        *("GetManyOptions", "GetColumnsOptions", "BatchOptions", "QueryOptions"),
        *("JobOptions", "OperateAllOptions", "DeleteAllOptions", "TouchAllOptions"),
    )
    rust = rust_functions(f"{CRATE}/options.rs", of="CallOptions") | rust_functions(
        f"{CRATE}/query/mod.rs", of="Query"
    )
    return Area("call_options", "Options of calls", python, node, rust, ("python", "node"))


def _keywords(verb: Verb) -> list[str]:
    """The parameters of a verb that are passed by keyword."""
    names = [it.name for it in verb.takes]
    return names[names.index("*") + 1 :] if "*" in names else []


def _operations(table: Table) -> tuple[Names, Names, Names]:
    """The operations on bins, and those that are generated for every language."""
    generated = frozenset(
        f"{family.name}.{it.name}" for family in table.families.values() for it in family.operations
    )
    paths = [
        python_all("aerospike/op/path.py"),
        node_module("aerospike/op/path.ts"),
        rust_functions(f"{CRATE}/operation/path.rs"),
    ]
    wholes = [
        python_all("aerospike/op/__init__.py"),
        node_module("aerospike/op/index.ts"),
        rust_functions(f"{CRATE}/operation/mod.rs"),
    ]
    python, node, rust = (
        whole | generated | {f"path.{name}" for name in path}
        for whole, path in zip(wholes, paths, strict=True)
    )
    return python, node, rust


def _builder() -> tuple[Names, Names, Names]:
    steps = "aerospike/builder"
    python = python_class(STUB, "ReadBase", "WriteBase", "PlainBase", "RowsBase", "SessionBase")
    for file, names in {
        "step": ("Step", "ReadStep", "WriteStep", "TtlStep"),
        "rows": ("Rows",),
        "read": ("Read",),
        "write": ("Write",),
        "scan": ("Scan",),
        "results": ("Result", "Results"),
    }.items():
        python |= python_class(f"{steps}/{file}.py", *names)
    node = node_class(
        "aerospike/builder",
        *("Builder", "ReadStep", "WriteStep", "DeleteStep", "TouchStep", "ExistsStep", "Scan"),
        *("Result", "Results"),
    )
    return python, node, frozenset()


def _administration() -> tuple[Names, Names, Names]:
    kinds = {"Indexes": "index", "Modules": "module", "Users": "user", "Roles": "role"}
    python: set[str] = set()
    node: set[str] = set()
    rust: set[str] = set()
    for kind, file in kinds.items():
        of = kind.lower()
        methods = python_class(f"aerospike/{of}.py", kind)
        python |= {f"{of}.{name}" for name in methods}
        node |= {f"{of}.{name}" for name in node_class("aerospike", kind)}
        rust |= {f"{of}.{name}" for name in rust_functions(f"{CRATE}/{file}.rs")}
    return frozenset(python), frozenset(node), frozenset(rust)

"""The native part for Cassandra; its types are in the stub next to this file."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false

from spikewire._native import cql as _cql

AsyncSessionCore = _cql.AsyncSessionCore
Batch = _cql.Batch
BoundStatement = _cql.BoundStatement
Many = _cql.Many
Mark = _cql.Mark
Prepared = _cql.Prepared
Row = _cql.Row
Rows = _cql.Rows
SessionCore = _cql.SessionCore
SessionSubmit = _cql.SessionSubmit
decode_value = _cql.decode_value
encode_value = _cql.encode_value
how_many = _cql.how_many
is_table = _cql.is_table
table_rows = _cql.table_rows

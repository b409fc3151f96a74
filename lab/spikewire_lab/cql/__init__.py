"""Comparisons of Cassandra clients: `spikewire compare-cql`.

The command is in `commands/compare_cql`, the JSON between lab and worker in `contract/cql`.

| module | contents |
|---|---|
| `lab` | a comparison from start to end |
| `servers` | what the clients connect to: a real Cassandra, canned replies, a given cluster |
| `cells` | what is measured, and in which order |
| `data` | the tables, their rows, the parameters of statements |
| `clients` | the clients, as source code |
| `loops` | the ways to keep calls in flight |
| `worker` | one cell in a process of its own |
| `lines`, `table` | rounds to lines, lines to tables |
"""

from __future__ import annotations

ACTION = "cql"
"""The action of this lab's jobs."""

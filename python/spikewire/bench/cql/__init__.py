"""Clients of Cassandra side by side: `spikewire compare-cql`.

| module | what it holds |
|---|---|
| `flags` | the command |
| `lab` | a comparison from start to end |
| `servers` | what the clients talk to: a real Cassandra, canned replies, a cluster that is given |
| `cells` | what is measured, in which order |
| `data` | the tables, their rows, what is bound to statements |
| `clients` | the clients, in their own words |
| `loops` | the ways to keep calls in flight |
| `worker` | one cell in a process of its own |
| `result` | the JSON between the two |
| `lines`, `table` | rounds to lines, lines to tables |
"""

from __future__ import annotations

ACTION = "cql"
"""Of the jobs that are this lab's."""

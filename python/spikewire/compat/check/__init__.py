"""``spikewire compat check``: what a program uses of other clients, and what differs.

| module | contents |
|---|---|
| ``peers`` | the clients with drop-ins: their modules, and what their calls return |
| ``uses`` | finds what the source of a program uses of them |
| ``names`` | which variables refer to clients, sessions, queries |
| ``findings`` | whether a name is supported, differs or is missing, by the drop-ins' tables |
| ``report`` | the findings as text, as JSON and in colour |
"""

from spikewire.compat.check.findings import Finding as Finding
from spikewire.compat.check.findings import check as check

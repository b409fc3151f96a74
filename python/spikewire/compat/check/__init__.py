"""``spikewire compat check``: what a program uses of other clients, and what differs.

| module | contents |
|---|---|
| ``peers`` | the clients with drop-ins: their modules, and what their calls return |
| ``reading`` | finds what the source of a program uses of them |
| ``names`` | which variables refer to clients, sessions, queries |
| ``judging`` | whether a name is supported, differs or is missing, by the drop-ins' tables |
| ``report`` | the findings as text, as JSON and in colour |
"""

from spikewire.compat.check.judging import Finding as Finding
from spikewire.compat.check.judging import check as check

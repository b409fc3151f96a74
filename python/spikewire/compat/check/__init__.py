"""``python -m spikewire.compat check``: what a program uses of other clients, and what differs.

| module | holds |
|---|---|
| ``peers`` | the clients that there are drop-ins for: their modules, and what their calls give |
| ``reading`` | what the source of a program uses of them |
| ``names`` | which variables hold clients, sessions, queries |
| ``judging`` | whether each name is here, differs or is missing, by the tables of the drop-ins |
| ``report`` | the findings as text, as JSON and in colour |
| ``command`` | the command line |
"""

from spikewire.compat.check.judging import Finding as Finding
from spikewire.compat.check.judging import check as check

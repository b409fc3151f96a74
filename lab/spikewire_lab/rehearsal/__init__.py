"""`spikewire lab rehearse`: recorded live traffic, sent to another cluster at several times its
rate.

Modules, from the top down: `command` has the flags; `report` says what happened; `rounds` connects,
loads the records and sends; `pacer` sends calls when they are due; `breaks` finds what breaks
first; `intervals` counts what happened when; `plan` makes calls of a trace, and `records` their
data.
"""

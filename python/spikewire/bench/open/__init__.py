"""Open loops: calls begin at a rate that is set from outside, however long they take.

A closed loop waits for a reply before it asks again, and so asks less where the client is slow.
Here the instants at which calls are to begin are fixed before the clock starts. Latency counts from
those instants (response time), so that a stall is charged to every call that it delayed; beside it
stands the time from when the call really began (service time).
"""

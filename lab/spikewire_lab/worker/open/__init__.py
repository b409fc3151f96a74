"""Open loops: calls begin at a given rate, however long they take.

A closed loop waits for a reply before the next call, and so sends fewer calls if the client is
slow. In an open loop the instants at which calls begin are fixed before the clock starts. Latency
counts from those instants (response time), so that a stall affects every call that it delayed. The
time from when a call really began (service time) is reported as well.
"""

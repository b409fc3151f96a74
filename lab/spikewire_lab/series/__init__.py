"""Results over time: operations, errors, latencies and memory for each interval.

==============  ==============================================================
``marks``       what a worker of a closed loop records as it runs
``timeline``    all workers of a process, summed by interval
``calls``       the calls of an open loop
``memory``      the resident memory at the end of each interval
``lines``       a line for each second of a run
==============  ==============================================================

The fields of a result are in ``contract/series``.
"""

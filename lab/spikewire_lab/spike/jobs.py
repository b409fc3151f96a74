"""What a job says about its client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..access import Access
from ..clients.base import Target
from .callers import CALLERS
from .options import chosen

if TYPE_CHECKING:
    from .callers import TaskCaller, ThreadCaller
    from .result import SpikeJob, SpikePlan


def plan_of(job: SpikeJob) -> SpikePlan:
    """The scenario of a job that has one."""
    plan = job["spike"]
    assert plan is not None
    return plan


def target_of(job: SpikeJob) -> Target:
    """The location of the records."""
    seeds = tuple((host, port) for host, port in job["seeds"])
    alternate, access = job.get("services_alternate", False), Access.of_job(job)
    return Target(seeds, job["namespace"], job["set"], services_alternate=alternate, access=access)


def caller_of(job: SpikeJob) -> TaskCaller | ThreadCaller:
    """A client with the options of its setting, not yet open."""
    plan, make = job["spike"], CALLERS[job["client"], job["mode"]]
    if plan is None:
        return make(target_of(job), (), 0.0)
    choices = chosen(job["client"], job["setting"], plan["letter"])
    return make(target_of(job), choices, plan["spend"])


def like(job: SpikeJob, caller: TaskCaller | ThreadCaller) -> TaskCaller | ThreadCaller:
    """Another client with the options that this one turned out to take."""
    own = caller_of(job)
    own.choices = tuple(one for one in own.choices if one.name not in caller.rejected)
    return own

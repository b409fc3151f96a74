"""The options a call would use, and their sources."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire._native import Dataset
from spikewire.aerospike.profiles.kinds import FIELDS, VERBS, check_of, options_of, writes
from spikewire.aerospike.profiles.modes import mode_of

if TYPE_CHECKING:
    from spikewire.aerospike.profiles.modes import Mode
    from spikewire.aerospike.profiles.profile import Profile

__all__ = ["Explanation", "Used", "explained"]


class Used(NamedTuple):
    """An option that a call would use."""

    option: str
    value: Any
    source: str
    """``"the call"``, a place in a profile, ``"the client"`` or ``"the default"``."""


class Explanation(dict[str, Used]):
    """The options that a call would use, by name; ``print`` shows one per line."""

    consistency: Mode | None
    """The mode of the call's namespace: ``"strong"`` or ``"available"``. ``None`` if unknown; then
    the sections for modes do not apply.
    """

    verb: str
    """The verb that is called; in ``steps`` the verb of the step."""

    steps: tuple[Explanation, ...]
    """For a chain of the builder: what the rows of each step would use, in order."""

    def __init__(
        self,
        used: dict[str, Used],
        consistency: Mode | None,
        *,
        verb: str,
        steps: tuple[Explanation, ...] = (),
        depends: bool = False,
    ) -> None:
        super().__init__(used)
        self.consistency = consistency
        self.verb = verb
        self.steps = steps
        self.depends = depends

    def __str__(self) -> str:
        lines = [f"{it.option} = {it.value!r}  ({it.source})" for it in self.values()]
        for number, step in enumerate(self.steps, 1):
            lines += [f"step {number}, {step.verb}:", *(f"  {it}" for it in str(step).splitlines())]
        if self.depends:
            known = f"the namespace is {self.consistency!r}"
            unknown = "not known: neither 'available' nor 'strong' holds"
            lines.append(f"consistency: {known if self.consistency else unknown}")
        return "\n".join(lines)


#: Options that a call inherits from its client: the defaults of ``spikewire.options``.
INHERITED = {
    "timeout": 1.0,
    "socket_timeout": 0.0,
    "max_retries": 2,
    "sleep_between_retries": 0.0,
    "sleep_multiplier": 1.0,
    "max_sleep_between_retries": 0.0,
    "sleep_jitter": False,
    "priority": "interactive",
    "compress": False,
    "error_details": "off",
    "commit_level": "all",
    "retry_in_doubt": False,
    "hedge": 0.0,
    "share_reads": "off",
    "replica": "sequence",
    "read_mode": "one",
    "send_key": False,
}
#: Options that a profile does not set for a verb, because they have another meaning there.
APART = {verb: frozenset({"send_key"}) for verb in ("delete", "delete_many")}
#: Options that a verb does not inherit, with the verb's own default.
OF_ITS_OWN: dict[tuple[str, str], Any] = {
    ("query", "timeout"): 0.0,
    ("delete", "send_key"): False,
    ("delete_many", "send_key"): False,
    ("put_many", "priority"): "background",
    ("delete_many", "priority"): "background",
    ("apply_many", "priority"): "background",
}


def explained(
    target: Any,
    profile: Profile | None,
    verb: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> Explanation:
    """``explain`` of a client or dataset, or of a view with a profile."""
    if verb not in VERBS:
        message = f"there is no verb {verb!r}; there are: {', '.join(VERBS)}"
        raise ValueError(message)
    operations = arguments[1] if len(arguments) > 1 else options.get("operations")
    writing = len(VERBS[verb]) > 1 and writes(operations)
    parameters = inspect.signature(getattr(Dataset, verb)).parameters
    for name, value in options.items():
        if name not in parameters:
            known = [each.name for each in parameters.values() if each.kind is each.KEYWORD_ONLY]
            message = f"{verb}() takes no option {name!r}; it takes: {', '.join(known)}"
            raise TypeError(message)
        if name in options_of(verb, writing=writing):
            check_of(verb, name, value, writing=writing)
    applicable = options_of(verb, writing=writing) | APART.get(verb, frozenset())
    dataset = target if hasattr(target, "namespace") and hasattr(target, "set") else None
    inherited = (dataset or target.dataset("any")).__reduce__()[1][2]
    mode = mode_of(target, verb, arguments, options)
    settings = {} if profile is None else profile.state.calls[verb, writing, mode]
    depends = profile is not None and verb in profile.state.by_mode
    names = [name for name in FIELDS if name in applicable or name in options]
    used = {name: _used(verb, name, options, settings, inherited, parameters) for name in names}
    return Explanation(used, mode, verb=verb, depends=depends)


def _used(
    verb: str, name: str, options: Any, settings: Any, inherited: Any, parameters: Any
) -> Used:
    if options.get(name) is not None:
        return Used(name, options[name], "the call")
    overridden = name in options
    if not overridden and name in settings and settings[name].value is not None:
        return Used(name, settings[name].value, settings[name].origin)
    if (verb, name) in OF_ITS_OWN:
        return Used(name, OF_ITS_OWN[verb, name], "the default")
    if name in INHERITED and name in inherited:
        return Used(name, inherited[name], "the client")
    if (verb, name) == ("query", "socket_timeout"):
        return Used(name, 30.0, "the default")
    default = INHERITED.get(name, parameters[name].default)
    return Used(name, default, "the default")

"""The entries of a ``MetricsPolicy``."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from spikewire.compat.aerospike.failures import of_code, reject
from spikewire.compat.aerospike.metrics import MetricsListeners, MetricsPolicy

__all__ = ["check_metrics"]

_LONGEST_PATH = 255
_SMALLEST_FILE = 1_000_000
_LISTENERS = ("enable_listener", "snapshot_listener", "node_close_listener", "disable_listener")
_NUMBERS = (("report_size_limit", 64), ("interval", 32), ("latency_columns", 8),
            ("latency_shift", 8))  # fmt: skip


def check_metrics(policy: MetricsPolicy) -> None:
    """Rejects a policy with a value of the wrong type."""

    def bad(field: str, kind: str) -> None:
        reject(f"MetricsPolicy.{field} must be a {kind} type")

    listeners = policy.metrics_listeners
    if listeners is not None:
        if not isinstance(listeners, MetricsListeners):
            bad("metrics_listeners", "aerospike_helpers.metrics.MetricsListeners")
        for name in _LISTENERS:
            if not callable(getattr(listeners, name, None)):
                bad(f"metrics_listeners.{name}", "callable")
    if not isinstance(policy.report_dir, str):
        bad("report_dir", "str")
    if len(policy.report_dir) > _LONGEST_PATH:
        reject("MetricsPolicy.report_dir must be less than 256 chars")
    for name, bits in _NUMBERS:
        value = getattr(policy, name)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << bits:
            bad(name, f"unsigned {bits}-bit integer")
    labels = policy.labels
    if not isinstance(labels, dict) or not all(
        isinstance(each, str) for pair in labels.items() for each in pair
    ):
        bad("labels", "dict[str, str]")
    if listeners is None and 0 < policy.report_size_limit < _SMALLEST_FILE:
        text = f"report_size_limit {policy.report_size_limit} must be at least {_SMALLEST_FILE}"
        raise of_code(-1, text)

"""Which failure of the engine is which exception here."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from spikewire import errors
from spikewire.compat.aerospike import exception as names
from spikewire.compat.aerospike.differences import DIFFERENCES

if TYPE_CHECKING:
    from typing_extensions import Never

__all__ = ["CompatWarning", "failure", "missing", "refuse", "without_effect"]


class CompatWarning(UserWarning):
    """Something of the official client has no effect here."""


#: Failures without a code of the server, by class.
_BY_KIND: tuple[tuple[type[errors.Error], type[names.AerospikeError]], ...] = (
    (errors.Timeout, names.TimeoutError),
    (errors.ConnectionFailed, names.ConnectionError),
    (errors.NodeUnavailable, names.InvalidNodeError),
    (errors.TooBusy, names.NoMoreConnectionsError),
    (errors.ClientClosed, names.ClusterError),
    (errors.NamespaceNotFound, names.NamespaceNotFound),
)


def failure(error: BaseException, key: Any = None, bin: Any = None) -> BaseException:
    """The exception for what the engine raised; the same one where it is not the engine's."""
    if isinstance(error, names.AerospikeError):
        return error
    if isinstance(error, errors.Error):
        made = _of_engine(error)
    elif isinstance(error, (TypeError, ValueError, OverflowError)):
        if "bin name" in str(error) and "15" in str(error):
            made = of_code(21, str(error))
        else:
            made = of_code(-2, str(error))
    else:
        return error
    if isinstance(made, names.RecordError):
        made.key, made.bin = key, bin
    return made


def _of_engine(error: errors.Error) -> names.AerospikeError:
    text = error.message if error.node is None else f"{error.node} {error.message}"
    for kind, name in _BY_KIND:
        if isinstance(error, kind):
            return _filled(name, name.code, text, in_doubt=error.in_doubt)
    return of_code(error.code, text, in_doubt=error.in_doubt)


def of_code(code: int, text: str, *, in_doubt: bool = False) -> names.AerospikeError:
    """The exception of a code."""
    kind = names.BY_CODE.get(code)
    if kind is None:
        kind = names.ServerError if code > 0 else names.ClientError
    return _filled(kind, code, text, in_doubt=in_doubt)


def _filled(
    kind: type[names.AerospikeError], code: int | None, text: str, *, in_doubt: bool
) -> names.AerospikeError:
    made = kind(code, text, "", 0, in_doubt)
    made.code, made.msg, made.file, made.line = code, text, "", 0
    made.in_doubt, made.subcode = in_doubt, 0
    return made


def refuse(text: str) -> Never:
    """Raises ``ParamError``."""
    raise of_code(-2, text)


missing = DIFFERENCES.missing


def without_effect(what: str) -> None:
    """Says that something has no effect."""
    warnings.warn(f"{what} has no effect with Spikewire", CompatWarning, stacklevel=4)

"""Times of day, dates and durations."""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import time as clock

__all__ = ["Date", "Duration", "Time"]

_DAY = 86_400
_SECOND = 1_000_000_000
_EPOCH = dt.datetime(1970, 1, 1)


@functools.total_ordering
class Time:
    """A time of day with nanoseconds."""

    MICRO = 1_000
    MILLI = 1_000_000
    SECOND = _SECOND
    MINUTE = 60 * _SECOND
    HOUR = 3600 * _SECOND
    DAY = _DAY * _SECOND

    def __init__(self, value: int | dt.time | str) -> None:
        if isinstance(value, int):
            if value >= self.DAY:
                message = f"the nanoseconds of a day must be below {self.DAY}, got {value}"
                raise ValueError(message)
            self.nanosecond_time = value
        elif isinstance(value, dt.time):
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            self.nanosecond_time = seconds * _SECOND + value.microsecond * 1000
        elif isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            whole, _, part = value.partition(".")
            try:
                parsed = clock.strptime(whole, "%H:%M:%S")
                nanoseconds = int(part.ljust(9, "0")) if part else 0
            except ValueError:
                message = f"not a time of day: {value!r}"
                raise ValueError(message) from None
            seconds = parsed.tm_hour * 3600 + parsed.tm_min * 60 + parsed.tm_sec
            self.nanosecond_time = seconds * _SECOND + nanoseconds
        else:
            message = "a Time is created from an int, a dt.time or a str"
            raise TypeError(message)

    @property
    def hour(self) -> int:
        """0 to 23."""
        return self.nanosecond_time // self.HOUR

    @property
    def minute(self) -> int:
        """0 to 59."""
        return self.nanosecond_time // self.MINUTE % 60

    @property
    def second(self) -> int:
        """0 to 59."""
        return self.nanosecond_time // _SECOND % 60

    @property
    def nanosecond(self) -> int:
        """Nanoseconds within the second."""
        return self.nanosecond_time % _SECOND

    def time(self) -> dt.time:
        """As ``dt.time``; digits below microseconds are truncated."""
        return dt.time(self.hour, self.minute, self.second, self.nanosecond // 1000)

    def __hash__(self) -> int:
        return self.nanosecond_time

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Time):
            return self.nanosecond_time == other.nanosecond_time
        if isinstance(other, int):
            return self.nanosecond_time == other
        return self.nanosecond_time % 1000 == 0 and self.time() == other

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Time):
            return NotImplemented
        return self.nanosecond_time < other.nanosecond_time

    def __repr__(self) -> str:
        return f"Time({self.nanosecond_time})"

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}:{self.second:02}.{self.nanosecond:09}"


@functools.total_ordering
class Date:
    """A date, with a wider range of years than ``dt.date``."""

    date_format = "%Y-%m-%d"
    #: In seconds.
    DAY, HOUR, MINUTE = _DAY, 3600, 60

    def __init__(self, value: int | dt.date | str) -> None:
        if isinstance(value, int):
            self.days_from_epoch = value
        elif isinstance(value, dt.date):
            self.days_from_epoch = calendar.timegm(value.timetuple()) // _DAY
        elif isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            parsed = dt.datetime.strptime(value.removeprefix("+"), self.date_format)
            self.days_from_epoch = (parsed - _EPOCH).days
        else:
            message = "a Date is created from an int, a dt.date or a str"
            raise TypeError(message)

    @property
    def seconds(self) -> int:
        """Seconds since 1970 at its start."""
        return self.days_from_epoch * _DAY

    def date(self) -> dt.date:
        """As ``dt.date``. Raises ``ValueError`` if that does not support the year."""
        try:
            return _EPOCH.date() + dt.timedelta(days=self.days_from_epoch)
        except OverflowError:
            message = f"{self!r} is outside the range of dt.date"
            raise ValueError(message) from None

    def __hash__(self) -> int:
        return self.days_from_epoch

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Date):
            return self.days_from_epoch == other.days_from_epoch
        if isinstance(other, int):
            return self.days_from_epoch == other
        try:
            return self.date() == other
        except ValueError:
            return False

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Date):
            return NotImplemented
        return self.days_from_epoch < other.days_from_epoch

    def __repr__(self) -> str:
        return f"Date({self.days_from_epoch})"

    def __str__(self) -> str:
        try:
            return self.date().isoformat()
        except ValueError:
            return str(self.days_from_epoch)


class Duration:
    """Months, days and nanoseconds, which are not converted to one another."""

    __slots__ = ("days", "months", "nanoseconds")

    def __init__(self, months: int = 0, days: int = 0, nanoseconds: int = 0) -> None:
        self.months = months
        self.days = days
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Duration)
            and self.months == other.months
            and self.days == other.days
            and self.nanoseconds == other.nanoseconds
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Duration({self.months}, {self.days}, {self.nanoseconds})"

    def __str__(self) -> str:
        sign = "-" if min(self.months, self.days, self.nanoseconds) < 0 else ""
        return f"{sign}{abs(self.months)}mo{abs(self.days)}d{abs(self.nanoseconds)}ns"

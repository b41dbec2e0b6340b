"""When a request is sent again, and how long to wait before."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from .errors import ConnectionFailed

if TYPE_CHECKING:
    from ._call import Answer, Call

_LATER = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)


@dataclass(frozen=True)
class Retry:
    """How long requests are tried again.

    A request is sent again if that is safe: if it changes nothing, has an `Idempotency-Key`, or
    has not reached the server. Waits grow from `first_wait` to `longest_wait`, unless the server
    names a time in `Retry-After`. All times are in seconds.
    """

    deadline: float = 30.0
    """How long after the first attempt the last one may begin; 0 for a single attempt."""
    first_wait: float = 0.2
    longest_wait: float = 5.0

    def wait(self, attempts: int) -> float:
        """Choose how long to wait after this many attempts."""
        grown = self.first_wait * 2.0 ** min(attempts - 1, 30)
        return min(grown, self.longest_wait) * random.uniform(0.5, 1.0)


class Attempts:
    """The attempts of one request. Times are passed in, so that nothing here waits."""

    def __init__(self, retry: Retry, call: Call[Any], now: float) -> None:
        self._retry = retry
        self._call = call
        self._end = now + retry.deadline
        self._number = 0

    def after_answer(self, answer: Answer, now: float) -> float | None:
        """Tell how long to wait before the next attempt; None if the answer is final."""
        self._number += 1
        if not self._call.is_repeatable or not self._is_temporary(answer.status):
            return None
        wait = max(self._retry.wait(self._number), retry_after(answer.headers.get("Retry-After")))
        return None if self._end < now + wait else wait

    def after_failure(self, failure: ConnectionFailed, now: float) -> float:
        """Tell how long to wait before the next attempt; raise the failure if there is none."""
        self._number += 1
        wait = self._retry.wait(self._number)
        if (failure.was_sent and not self._call.is_repeatable) or self._end < now + wait:
            raise failure
        return wait

    def _is_temporary(self, status: int) -> bool:
        # A repetition is refused with 409 while the server still works on what it got before.
        is_under_way = self._call.is_keyed and self._number > 1 and status == HTTPStatus.CONFLICT
        return status in _LATER or is_under_way


def retry_after(value: str | None) -> float:
    """Read `Retry-After`: seconds or a date; 0 if it is neither."""
    if value is None:
        return 0.0
    if value.strip().isdecimal():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())

"""The state of a live tail, without its connection."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._call import Call, get, nothing
from ._calls import scope_of
from .errors import LogsteadError, Unavailable, of_problem
from .types import Message, Scope, TailStatus

SILENCE = 15.0
"""A connection is dead if it is silent for this long: the server sends something every second."""
_LONGEST_EVENT = 1 << 30

_log = logging.getLogger("logstead")


@dataclass(frozen=True)
class Loss:
    """Messages that a tail does not show."""

    messages: int | None
    """How many at most; None if that is not known."""
    reason: str


OnLoss = Callable[[Loss], None]


def log_loss(loss: Loss) -> None:
    """Log a loss as a warning of the logger `logstead`."""
    number = "an unknown number of" if loss.messages is None else loss.messages
    _log.warning("the tail lost %s messages: %s", number, loss.reason)


@dataclass(frozen=True)
class Event:
    """A server-sent event."""

    name: str
    id: str | None
    data: str


class EventStream:
    """Reads `text/event-stream`. An event that was cut off is left out, as the standard says."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._size = 0
        self._name = ""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Event]:
        """Take a piece of the body; return the events that it completes."""
        self._size += len(chunk)
        if self._size > _LONGEST_EVENT:
            raise LogsteadError("an event of the tail is longer than 1 GiB")
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return []
        lines = b"".join([*self._rest, chunk]).split(b"\n")
        self._rest = [lines.pop()]
        events = (self._line(line.removesuffix(b"\r").decode()) for line in lines)
        return [event for event in events if event is not None]

    def _line(self, line: str) -> Event | None:
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        return None

    def _dispatch(self) -> Event | None:
        name, data = self._name, self._data
        self._name, self._data, self._size = "", [], 0
        return Event(name or "message", self._id, "\n".join(data)) if data else None


class TailState:
    """The position of a tail, and what is known to be lost."""

    def __init__(
        self, query: str, last: int | None, since: str | None, on_loss: OnLoss, scope: Scope
    ) -> None:
        self._query = query
        self._scope = scope_of(scope)
        self._on_loss = on_loss
        self._was_sampled = False
        # Until the stored messages that `last` asks for have come, all of which have the position
        # at which the tail began.
        self._last = last if since is None else None
        self._began_at: str | None = None
        self._stored = 0
        self.position = since
        self.status: TailStatus | None = None
        if "from" in self._scope or "to" in self._scope:
            raise ValueError("a tail has no range: it begins now, or at `since`")

    def call(self) -> Call[None]:
        """Make the request that begins or continues the tail."""
        self._reopen()
        call = get("tail", nothing, query=self._query, last=self._last, **self._scope)
        call.headers["Accept"] = "text/event-stream"
        if self.position is not None:
            call.headers["Last-Event-ID"] = self.position
        return call

    def take(self, event: Event) -> list[Message]:
        """Take an event; return its messages."""
        data: Any = json.loads(event.data)
        if event.name == "messages":
            messages: list[Message] = data["messages"]
            return messages
        if event.name == "gap":
            self._on_loss(Loss(data["messages"], data["reason"]))
        elif event.name == "status":
            self._take_status(data)
        elif event.name == "problem":
            raise of_problem(data["status"], data)
        return []

    def passed(self, event: Event, messages: int) -> None:
        """Move on behind an event, after all of its messages were passed on."""
        if self._last is not None:
            if self._began_at is None:
                self._began_at = event.id
                return
            if event.name == "messages" and event.id == self._began_at:
                self._stored += messages
                return
        self._last = None
        self.position = event.id

    def _reopen(self) -> None:
        if self._was_sampled:
            self._was_sampled = False
            self._on_loss(Loss(None, "the connection broke while not all messages were sent"))
        if self._last is not None and self._stored:
            if self._stored < self._last:
                reason = "the connection broke while stored messages were sent"
                self._on_loss(Loss(self._last - self._stored, reason))
            self._last, self.position = None, self._began_at
        self._began_at = None

    def _take_status(self, status: TailStatus) -> None:
        self.status = status
        one_in = status["sampled_one_in"]
        self._was_sampled = one_in is not None
        if one_in is not None:
            lost = status["matched"] - status["shown"]
            reason = f"more match than the server sends: one in {one_in} is shown"
            self._on_loss(Loss(lost, reason))


def may_reopen(problem: LogsteadError) -> bool:
    """Tell whether the problem that ended a tail passes."""
    return isinstance(problem, Unavailable)

"""Messages on their way into the store: bodies, keys and the sum of the answers."""

from __future__ import annotations

import gzip
import json
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Any, Literal

from ._call import Answer, Call, query_pairs, without_none
from .errors import LogsteadError, ProblemError
from .types import Ingested, Time

Input = Mapping[str, Any] | str
"""A message: an object, or a line of text."""

MESSAGES_IN_BODY = 10_000
BYTES_IN_BODY = 8 << 20
_WORTH_COMPRESSING = 4 << 10
_ERRORS_KEPT = 1000


@dataclass(frozen=True)
class IngestOptions:
    """The parameters of one call of `ingest`."""

    logspace: str | None = None
    atomic: bool = False
    host: str | None = None
    timezone: str | None = None
    format: Literal["text", "auto", "rfc5424", "rfc3164"] | None = None
    written: Time | None = None
    key: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass(frozen=True)
class Body:
    """Messages that are sent in one request."""

    first: int
    """The position of the first message, from 0."""
    lines: list[bytes]
    is_text: bool

    def halves(self) -> tuple[Body, Body]:
        """Split a body that is too long for the server."""
        middle = len(self.lines) // 2
        return (
            Body(self.first, self.lines[:middle], self.is_text),
            Body(self.first + middle, self.lines[middle:], self.is_text),
        )


class Ingestion:
    """One call of `ingest`: yields requests, and takes their answers."""

    def __init__(self, messages: Iterable[Input], options: IngestOptions) -> None:
        if isinstance(messages, (str, Mapping)):
            raise TypeError("messages: give a list, even for a single message")
        self._options = options
        self._bodies = _bodies(messages, options)
        self._split: deque[Body] = deque()
        self._body: Body | None = None
        self._nothing_stored: ProblemError | None = None
        self.sum = Ingested(accepted=0, dropped=0, rejected=0, errors=[])

    def next_call(self) -> Call[Answer] | None:
        """Make the next request; None after the last."""
        self._body = self._split.popleft() if self._split else next(self._bodies, None)
        return None if self._body is None else self._call(self._body)

    def take(self, answer: Answer) -> None:
        """Take the answer to the last request."""
        body = self._body
        if body is None:
            return
        is_too_long = answer.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if is_too_long and len(body.lines) > 1 and not self._options.atomic:
            self._split.extendleft(reversed(body.halves()))
            return
        counts = answer.json() if answer.is_success else self._counts_of_bad_lines(answer)
        self.sum["accepted"] += counts["accepted"]
        self.sum["dropped"] += counts["dropped"]
        self.sum["rejected"] += counts["rejected"]
        for error in counts["errors"]:
            if len(self.sum["errors"]) < _ERRORS_KEPT:
                error["line"] += body.first
                self.sum["errors"].append(error)

    def result(self) -> Ingested:
        """Return the sum of all answers; raise if messages were sent, but none was taken."""
        if self._nothing_stored and not self.sum["accepted"] and not self.sum["dropped"]:
            raise self._nothing_stored
        return self.sum

    def annotate(self, error: LogsteadError) -> LogsteadError:
        """Tell the caller what had become of the messages before an error."""
        error.ingested = self.sum
        return error

    def _counts_of_bad_lines(self, answer: Answer) -> dict[str, Any]:
        """Read the counts of a body without a single good line, which is no reason to stop."""
        try:
            answer.refuse()
        except ProblemError as problem:
            is_about_lines = (
                answer.status == HTTPStatus.BAD_REQUEST and "rejected" in problem.problem
            )
            if not is_about_lines or self._options.atomic:
                raise
            self._nothing_stored = problem
            return dict(problem.problem)

    def _call(self, body: Body) -> Call[Answer]:
        options = self._options
        content = b"\n".join(body.lines) + b"\n"
        headers = {
            "Content-Type": "text/plain; charset=utf-8" if body.is_text else "application/x-ndjson",
            "Idempotency-Key": f"{options.key}-{body.first}-{len(body.lines)}",
        }
        if len(content) >= _WORTH_COMPRESSING:
            content = gzip.compress(content, 3, mtime=0)
            headers["Content-Encoding"] = "gzip"
        written = options.written
        params = query_pairs(
            without_none(
                logspace=options.logspace,
                atomic="1" if options.atomic else None,
                host=options.host,
                timezone=options.timezone,
                format=options.format,
                written=written.isoformat() if isinstance(written, datetime) else written,
            )
        )
        return Call(
            "POST",
            "ingest",
            lambda answer: answer,
            params,
            headers,
            content,
            is_repeatable=True,
            is_keyed=True,
        )


def _bodies(messages: Iterable[Input], options: IngestOptions) -> Iterator[Body]:
    lines: list[bytes] = []
    first, size = 0, 0
    is_text: bool | None = None
    for number, message in enumerate(messages, 1):
        if is_text is None:
            is_text = isinstance(message, str)
        line = _line(message, number, options, is_text=is_text)
        is_full = len(lines) >= MESSAGES_IN_BODY or size + len(line) > BYTES_IN_BODY
        if lines and is_full:
            if options.atomic:
                raise ValueError(
                    f"atomic=True stores all messages or none, so they must fit in one request: "
                    f"at most {MESSAGES_IN_BODY} messages of {BYTES_IN_BODY} bytes together"
                )
            yield Body(first, lines, is_text)
            first, lines, size = first + len(lines), [], 0
        lines.append(line)
        size += len(line) + 1
    if lines and is_text is not None:
        yield Body(first, lines, is_text)


def _line(message: Input, number: int, options: IngestOptions, *, is_text: bool) -> bytes:
    if isinstance(message, str) != is_text:
        raise TypeError(f"message {number}: give either objects or texts, not both")
    if isinstance(message, str):
        if "\n" in message or not message.strip():
            raise ValueError(
                f"message {number} is empty or has a line break, so it is not one line of text: "
                'send it as {"message": …}'
            )
        return message.encode()
    if not isinstance(message, Mapping):
        raise TypeError(f"message {number} is neither an object nor a text: {message!r}")
    if options.format is not None:
        raise ValueError("format is for texts: objects need none")

    def write(value: object) -> str:
        return _other_value(value, number, options)

    try:
        text = json.dumps(
            dict(message), default=write, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return text.encode()
    except ValueError as error:
        raise ValueError(f"message {number}: {error}") from error


def _other_value(value: object, number: int, options: IngestOptions) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None and options.timezone is None:
            raise ValueError(f"{value} has no time zone: add one, or give timezone=")
        return value.isoformat()
    raise TypeError(f"message {number}: {value!r} cannot be written as JSON")

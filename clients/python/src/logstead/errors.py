"""The errors that the client raises. Each is a `LogsteadError`."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .types import DocumentProblem, ExportSummary, Ingested

# The longest piece of an answer in a foreign format that an error quotes.
_QUOTED = 200


class LogsteadError(Exception):
    """Something went wrong. The text says what, and what to do."""

    ingested: Ingested | None = None
    """After `ingest`: the numbers of messages stored, dropped and rejected before the error."""


class ConnectionFailed(LogsteadError):
    """There was no answer: no connection, or it broke."""

    def __init__(self, detail: str, *, was_sent: bool) -> None:
        super().__init__(detail)
        self.was_sent = was_sent
        """Whether the server may have received the request."""


class IncompleteAnswer(LogsteadError):
    """An answer is not complete: an export broke, or there was no time to search everything."""

    def __init__(self, detail: str, summary: ExportSummary | None = None) -> None:
        super().__init__(detail)
        self.summary = summary
        """The last line of the export, if there was one."""


class ColumnError(LogsteadError):
    """A value does not have the type that its column is declared to have."""


class ProblemError(LogsteadError):
    """The server refused a request, and said why (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        """The status of the answer."""
        self.problem = problem
        """The whole problem document."""
        self.type: str = str(problem.get("type") or "about:blank")
        """The kind of problem, for programs."""
        self.title: str = str(problem.get("title") or _phrase(status))
        self.detail: str = str(problem.get("detail") or self.title)
        """The explanation: what happened, where, and what to do."""
        self.path: str | None = problem.get("path")
        """The part of the request or the document, such as `query` or `routes[2].where`."""
        self.line: int | None = problem.get("line")
        """The line in the query or the document, from 1."""
        self.column: int | None = problem.get("column")
        """The column, in characters, from 1."""
        self.end_column: int | None = problem.get("end_column")
        self.excerpt: str | None = problem.get("excerpt")
        """The line with the mistake, and below it carets that mark the position."""
        self.suggestion: str | None = problem.get("suggestion")
        """The text that was probably meant."""
        self.problems: list[DocumentProblem] = problem.get("problems") or []
        """All problems of a document."""
        self.request_id: str | None = problem.get("request_id")
        """The id of the request, which the server's log has as well."""
        super().__init__(status, problem)

    def __str__(self) -> str:
        parts = [f"{self.status} {self.title}: {self.detail}"]
        if self.excerpt:
            parts.append(self.excerpt)
        if self.suggestion:
            parts.append(f"perhaps: {self.suggestion}")
        parts += [f"{problem['path']}: {problem['message']}" for problem in self.problems]
        if self.request_id:
            parts.append(f"request {self.request_id}")
        return "\n".join(parts)


class Unauthorized(ProblemError):
    """401: the token is missing or not valid."""


class Forbidden(ProblemError):
    """403: the token may not do this."""


class NotFound(ProblemError):
    """404: there is no such thing, or none that the token may see."""


class Conflict(ProblemError):
    """409, 412, 428: the request does not fit the present state, such as the live revision."""


class Unavailable(ProblemError):
    """429, 503: not now. The client has tried again until its deadline."""


_CLASSES: dict[int, type[ProblemError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    428: Conflict,
    429: Unavailable,
    503: Unavailable,
}


def problem_error(status: int, body: bytes) -> ProblemError:
    """Make an error of an unsuccessful answer, even if something in between wrote it."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        text = body[:_QUOTED].decode(errors="replace").strip()
        problem = {"detail": f"not an answer of Logstead: {text}" if text else None}
    return of_problem(status, problem)


def of_problem(status: int, problem: Mapping[str, Any]) -> ProblemError:
    """Make the error of a problem document."""
    return _CLASSES.get(status, ProblemError)(status, problem)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown status"

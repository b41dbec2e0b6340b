"""A request and the way to read its answer, without a transport: the two clients share them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, NoReturn, TypeVar, cast
from urllib.parse import quote

from .errors import LogsteadError, problem_error
from .types import Time

T = TypeVar("T")

Pairs = dict[str, str]


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    """By name, which is found in upper or lower case."""
    body: bytes

    @property
    def is_success(self) -> bool:
        """Whether the server did what it was asked."""
        return 200 <= self.status < 300  # noqa: PLR2004

    def refuse(self) -> NoReturn:
        """Raise the problem that the answer tells."""
        raise problem_error(self.status, self.body)

    def json(self) -> Any:
        """Read the body as JSON."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise LogsteadError(
                "the answer is not JSON: is this the address of a Logstead server?"
            ) from error


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and how to read its answer."""

    method: str
    path: str
    """Below `/api/v1/`."""
    read: Callable[[Answer], T]
    params: Pairs = field(default_factory=dict)
    headers: Pairs = field(default_factory=dict)
    body: bytes | None = None
    is_repeatable: bool = False
    """Whether sending it twice has the same effect as sending it once."""
    is_keyed: bool = False
    """Whether it has a key that makes the server recognise a repetition."""


def as_json(_kind: type[T]) -> Callable[[Answer], T]:
    """Read an answer as JSON of this type."""
    return lambda answer: cast("T", answer.json())


def member(key: str, _kind: type[T]) -> Callable[[Answer], T]:
    """Read one member of an answer."""
    return lambda answer: cast("T", answer.json()[key])


def nothing(_answer: Answer) -> None:
    """Read an answer without a body."""


def get(path: str, read: Callable[[Answer], T], **params: object) -> Call[T]:
    """Make a request that changes nothing."""
    return Call("GET", path, read, params=query_pairs(params), is_repeatable=True)


def ask(path: str, read: Callable[[Answer], T], body: object) -> Call[T]:
    """Make a request that has a body, but changes nothing."""
    return send("POST", path, read, body, is_repeatable=True)


def send(
    method: str,
    path: str,
    read: Callable[[Answer], T],
    body: object = None,
    *,
    params: Mapping[str, object] | None = None,
    headers: Pairs | None = None,
    is_repeatable: bool = False,
) -> Call[T]:
    """Make a request with a body of JSON, or of TOML if the body is text."""
    content: bytes | None = None
    all_headers = dict(headers or {})
    if isinstance(body, str):
        content = body.encode()
        all_headers["Content-Type"] = "application/toml"
    elif body is not None:
        content = json.dumps(body, allow_nan=False).encode()
        all_headers["Content-Type"] = "application/json"
    pairs = query_pairs(params or {})
    return Call(method, path, read, pairs, all_headers, content, is_repeatable=is_repeatable)


def query_pairs(params: Mapping[str, object]) -> Pairs:
    """Write parameters into a query string: lists with commas, without those that are None."""
    return {name: _text(value) for name, value in params.items() if value is not None}


def segment(part: object) -> str:
    """Write a part of a path."""
    return quote(str(part), safe=":")


def time_text(time: Time | None) -> str | None:
    """Write a time as the API reads it."""
    if not isinstance(time, datetime):
        return time
    if time.tzinfo is None:
        raise ValueError(f"{time} has no time zone: add one, such as tzinfo=timezone.utc")
    return time.isoformat()


def names(values: Sequence[str] | None) -> list[str] | None:
    """Return names as a list; raise if they are one text, whose letters would be taken for them."""
    if isinstance(values, str):
        raise TypeError(f"give a list of names, such as [{values!r}]")
    return None if values is None else list(values)


def without_none(**members: object) -> dict[str, Any]:
    """Make an object of those members that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    return str(value)

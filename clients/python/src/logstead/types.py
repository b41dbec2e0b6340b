"""The JSON of the API, as far as this package uses it.

Answers may have more keys than these: a release of the server may add some.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Required

JsonObject = dict[str, Any]
"""An object that is passed on unread."""
Time = str | datetime
"""RFC 3339, relative to now as in `-15m`, or a `datetime` with a time zone."""
Role = Literal["ingest", "analyst", "operator", "admin"]
Order = Literal["newest", "oldest"]
Row = dict[str, Any]
"""A message of an export, or the columns of one that a stage `fields` chose."""


class Scope(TypedDict, total=False):
    """The parameters that every search has: its range, its time zone and its logspaces."""

    start: Time | None
    end: Time | None
    timezone: str | None
    logspaces: Sequence[str] | None
    copies: Literal["all"] | None


class Message(TypedDict):
    """A stored message. `host`, `program`, `pid` and `msgid` are empty if it has none."""

    id: str
    time: str
    received: str
    device_time: NotRequired[str]
    host: str
    program: str
    pid: str
    msgid: str
    severity: int | None
    severity_name: str | None
    facility: int | None
    facility_name: str | None
    message: str
    raw: str
    raw_base64: NotRequired[str]
    source: str
    peer: str
    logspace: str
    copy_of: str
    flags: list[str]
    fields: dict[str, str | list[str]]


class Coverage(TypedDict):
    """Which part of the store was searched."""

    complete: bool


class QueryWarning(TypedDict):
    """A possible mistake in a query, or the reason why not everything was searched."""

    message: str
    code: str
    line: NotRequired[int]
    column: NotRequired[int]
    end_column: NotRequired[int]
    suggestion: NotRequired[str]


class Reply(TypedDict):
    """The part that most answers have."""

    took_ms: int
    coverage: Coverage
    warnings: list[QueryWarning]


class SearchRow(TypedDict):
    """The columns of a message that a search asked for."""

    id: str
    values: list[Any]


class SearchPage(Reply):
    """A page of messages, or with columns, of rows. `cursor` leads to the next one, or is null."""

    messages: list[Message]
    rows: list[SearchRow] | None
    cursor: str | None
    copies: int | None
    query: str
    columns: list[str] | None


class Count(Reply):
    """How many messages match."""

    count: int
    copies: int


class ValueCount(TypedDict):
    """How often a value occurs."""

    value: str
    count: int


class Bucket(TypedDict):
    """The messages of an interval."""

    time: str
    count: int
    by: NotRequired[dict[str, int]]
    other: NotRequired[int]


class Histogram(Reply):
    """How many messages match in each interval."""

    interval_ms: int
    buckets: list[Bucket]
    total: int
    later: int
    values: NotRequired[list[ValueCount]]
    other_values: NotRequired[int]
    copies: int


class Facet(TypedDict):
    """The most frequent values of a field."""

    messages: int
    distinct: int
    values: list[ValueCount]
    numbers: NotRequired[JsonObject]
    partial: NotRequired[str]


class Facets(Reply):
    """The most frequent values of several fields."""

    fields: dict[str, Facet]
    copies: int


class Column(TypedDict):
    """A column of a table."""

    name: str
    kind: Literal["text", "number", "severity", "time"]
    unit: NotRequired[Literal["bytes", "seconds"] | None]


class Table(Reply):
    """A table made by the stages of a query. `notes` says whether anything was cut."""

    columns: list[Column]
    rows: list[list[Any]]
    notes: list[str]
    query: str
    copies: int


class Context(Reply):
    """The messages around a message, oldest first."""

    message: Message
    before: list[Message]
    after: list[Message]
    more_before: bool
    more_after: bool


class Stage(TypedDict):
    """A stage of a query."""

    text: str
    start: int
    end: int
    name: str


class ParsedQuery(TypedDict):
    """A query as the server parses it."""

    query: str
    filter: str
    stages: list[Stage]


class ExportSummary(TypedDict):
    """The last line of an export."""

    messages: int
    copies: int
    missing: int
    damaged_parts: int
    damaged: list[str]


class TailStatus(TypedDict):
    """The counts of a tail since its previous status."""

    received: int
    matched: int
    shown: int
    sampled_one_in: int | None
    behind: int
    last_match: str | None


class LineError(TypedDict):
    """Why a message was rejected. `line` is its position in what was given, from 1."""

    line: int
    reason: str


class Ingested(TypedDict):
    """The fates of the messages that were sent."""

    accepted: int
    dropped: int
    rejected: int
    errors: list[LineError]


class DocumentProblem(TypedDict):
    """A problem of a router document."""

    path: str
    message: str
    line: NotRequired[int]
    column: NotRequired[int]


class TokenLimits(TypedDict, total=False):
    """How much a token may send."""

    messages_per_second: int
    bytes_per_second: int
    body_bytes: int


class Token(TypedDict):
    """An API token, without its secret."""

    id: int
    name: str
    role: Role
    logspaces: list[str] | None
    scope: str | None
    created_by: str
    created_at: str
    expires_at: str | None
    last_used: str | None
    limits: TokenLimits
    former_until: str | None


class CreatedToken(TypedDict):
    """A new token. Its secret, `token`, is in no other answer."""

    id: int
    name: str
    role: Role
    token: str


class User(TypedDict):
    """A user."""

    name: str
    role: Role
    logspaces: list[str] | None
    scope: str | None
    origin: str | None
    disabled: bool
    second_factor: bool
    created_at: str


_Begin = TypedDict("_Begin", {"from": "str | None"})  # `from` is a keyword of Python


class SavedSearch(_Begin):
    """A saved search."""

    id: int
    name: str
    folder: str
    tags: list[str]
    shared: bool
    owner: str
    mine: bool
    query: str
    to: str | None
    logspaces: list[str] | None
    view: Any
    created_at: str
    updated_at: str
    last_used: str | None


class SearchToSave(TypedDict, total=False):
    """A search to save, as parameters: `start` and `end` are its `from` and `to`."""

    name: Required[str]
    folder: str
    tags: list[str]
    shared: bool
    query: str
    start: str | None
    end: str | None
    logspaces: list[str] | None
    view: Any


class Retention(TypedDict, total=False):
    """How long messages are kept: an age, such as `90d`, and a size, such as `200GiB`."""

    age: str | None
    size: str | None


class Logspace(TypedDict):
    """A logspace."""

    id: str
    in_router: bool
    messages: int
    sealed_messages: int
    segments: int
    blocks_bytes: int
    index_bytes: int
    journal_bytes: int
    damaged_parts: int
    memory_bytes: int
    first_time: NotRequired[str | None]
    last_time: NotRequired[str | None]
    durability: NotRequired[Literal["fsync", "os"] | None]
    retention: Retention


class RouterChange(TypedDict):
    """A revision that was made live."""

    revision: int
    changes: list[str]
    warnings: list[str]
    unconfirmed: NotRequired[JsonObject | None]


class Validation(TypedDict):
    """Whether a router document is valid, and what it would change."""

    valid: bool
    problems: list[DocumentProblem]
    warnings: list[str]
    changes: list[str]
    document: NotRequired[JsonObject]
    toml: NotRequired[str]


class RevisionDiff(TypedDict):
    """The difference of two revisions, in sentences and as `diff -u` shows it."""

    changes: list[str]
    text: str


class Revision(TypedDict):
    """A revision of the router document."""

    revision: int
    author: str
    comment: str
    created_at: str
    live: bool


class RouterStatus(TypedDict):
    """The figures of the live router document."""

    revision: int
    applied_at: str
    time: str
    sources: list[JsonObject]
    routes: list[JsonObject]
    logspaces: list[JsonObject]
    destinations: list[JsonObject]
    unrouted_messages: int
    unconfirmed: NotRequired[JsonObject | None]


JobKind = Literal["verify", "reindex", "export"]
JobState = Literal["queued", "running", "cancelling", "done", "failed", "cancelled", "interrupted"]
ExportFormat = Literal["ndjson", "csv", "raw"]


class JobProgress(TypedDict):
    """The progress of a job; `total` is None as long as it is not known."""

    unit: Literal["bytes", "segments", "messages"]
    done: int
    total: int | None
    messages: int


class Job(TypedDict):
    """Long work that goes on at the server without its client.

    `result` is the result once there is one, and its members depend on `kind`. `problem` says why
    the job failed.
    """

    id: str
    kind: JobKind
    started_by: str
    logspaces: list[str]
    state: JobState
    progress: JobProgress
    created_at: str
    started_at: str | None
    finished_at: str | None
    expires_at: str | None
    result: JsonObject | None
    problem: JsonObject | None

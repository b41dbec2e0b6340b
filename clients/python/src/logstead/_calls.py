"""The requests of the API: one function for each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._call import (
    Answer,
    Call,
    as_json,
    ask,
    get,
    member,
    names,
    nothing,
    segment,
    send,
    time_text,
    without_none,
)
from .errors import IncompleteAnswer, LogsteadError, of_problem
from .types import (
    Context,
    Count,
    CreatedToken,
    ExportFormat,
    Facets,
    Histogram,
    Job,
    JsonObject,
    Logspace,
    Message,
    Order,
    ParsedQuery,
    Reply,
    Retention,
    Revision,
    RevisionDiff,
    Role,
    RouterChange,
    RouterStatus,
    SavedSearch,
    Scope,
    SearchPage,
    SearchToSave,
    Table,
    Time,
    Token,
    TokenLimits,
    User,
    Validation,
)

Revisions = int | Literal["*"]
"""The revision that a change replaces; `*` for whatever is live."""


# Searching


def scope_of(scope: Scope) -> dict[str, Any]:
    """Write the parameters of a search as members of a request."""
    unknown = scope.keys() - Scope.__annotations__.keys()
    if unknown:
        known = ", ".join(Scope.__annotations__)
        raise TypeError(f"unknown argument {min(unknown)!r}: a search has {known}")
    return without_none(
        **{"from": time_text(scope.get("start"))},
        to=time_text(scope.get("end")),
        timezone=scope.get("timezone"),
        logspaces=names(scope.get("logspaces")),
        copies=scope.get("copies"),
    )


def search_page(
    query: str,
    columns: Sequence[str] | None,
    limit: int | None,
    order: Order | None,
    cursor: str | None,
    scope: Scope,
) -> Call[SearchPage]:
    """Make the request for a page of messages."""
    body = without_none(
        query=query, columns=names(columns), limit=limit, order=order, cursor=cursor
    )
    return ask("search", as_json(SearchPage), body | scope_of(scope))


def entries_of(page: SearchPage, columns: Sequence[str] | None) -> list[Any]:
    """Return the messages of a page, or with columns, its rows, each with the id of its message."""
    if columns is None:
        return list(page["messages"])
    rows = page["rows"] or []
    return [dict(zip(columns, row["values"], strict=True)) | {"id": row["id"]} for row in rows]


def count(query: str, scope: Scope) -> Call[Count]:
    """Make the request for a number of messages."""
    return ask("count", as_json(Count), {"query": query} | scope_of(scope))


def histogram(
    query: str, buckets: int | None, interval: str | None, by: str | None, scope: Scope
) -> Call[Histogram]:
    """Make the request for a histogram."""
    body = without_none(query=query, buckets=buckets, interval=interval, by=by)
    return ask("histogram", as_json(Histogram), body | scope_of(scope))


def facets(
    query: str,
    fields: Sequence[str],
    limit: int | None,
    own_clauses: bool | None,
    numbers: bool | None,
    scope: Scope,
) -> Call[Facets]:
    """Make the request for facets."""
    body = without_none(
        query=query, fields=names(fields), limit=limit, own_clauses=own_clauses, numbers=numbers
    )
    return ask("facets", as_json(Facets), body | scope_of(scope))


def table(query: str, scope: Scope) -> Call[Table]:
    """Make the request for a table."""
    return ask("aggregate", as_json(Table), {"query": query} | scope_of(scope))


def parse(query: str) -> Call[ParsedQuery]:
    """Make the request that parses a query."""
    return ask("query", as_json(ParsedQuery), {"query": query, "edits": []})


def message(message_id: str) -> Call[Message]:
    """Make the request for a message."""
    return get(f"messages/{segment(message_id)}", as_json(Message))


def context(
    message_id: str,
    before: int | None,
    after: int | None,
    same: Sequence[str] | None,
    query: str | None,
    logspaces: Sequence[str] | None,
) -> Call[Context]:
    """Make the request for the messages around a message."""
    return get(
        f"messages/{segment(message_id)}/context",
        as_json(Context),
        before=before,
        after=after,
        same=names(same) or None,
        query=query,
        logspaces=names(logspaces),
    )


def require_complete(reply: Reply, *, partial: bool) -> None:
    """Raise if not everything was searched, unless that is acceptable."""
    if not partial and not reply["coverage"]["complete"]:
        reasons = "; ".join(warning["message"] for warning in reply["warnings"])
        raise IncompleteAnswer(
            f"not everything was searched: {reasons or 'the server does not say why'}. "
            "Narrow the search, or accept this with partial=True"
        )


# Tokens


def list_tokens() -> Call[list[Token]]:
    """Make the request for all tokens."""
    return get("tokens", member("tokens", list[Token]))


def create_token(
    name: str,
    role: Role,
    logspaces: Sequence[str] | None,
    scope: str | None,
    expires_at: Time | None,
    limits: TokenLimits | None,
) -> Call[CreatedToken]:
    """Make the request for a new token."""
    body = without_none(
        name=name,
        role=role,
        logspaces=names(logspaces),
        scope=scope,
        expires_at=time_text(expires_at),
        limits=limits,
    )
    return send("POST", "tokens", as_json(CreatedToken), body)


def rotate_token(token_id: int, overlap: str | None) -> Call[CreatedToken]:
    """Make the request for a new secret."""
    body = without_none(overlap=overlap)
    return send("POST", f"tokens/{segment(token_id)}/rotate", as_json(CreatedToken), body)


def remove_token(token_id: int) -> Call[None]:
    """Make the request that revokes a token."""
    return send("DELETE", f"tokens/{segment(token_id)}", nothing)


# Users


def list_users() -> Call[list[User]]:
    """Make the request for all users."""
    return get("users", member("users", list[User]))


def create_user(
    name: str, password: str, role: Role, logspaces: Sequence[str] | None, scope: str | None
) -> Call[User]:
    """Make the request for a new user."""
    body = without_none(
        name=name,
        password=password,
        role=role,
        logspaces=names(logspaces),
        scope=scope,
    )
    return send("POST", "users", as_json(User), body)


def change_user(
    name: str, role: Role, logspaces: Sequence[str] | None, scope: str | None
) -> Call[User]:
    """Make the request that changes what a user may do."""
    body = {"role": role, "logspaces": names(logspaces), "scope": scope}
    return send("PUT", f"users/{segment(name)}", as_json(User), body, is_repeatable=True)


def act_on_user(name: str, action: Literal["disable", "enable"]) -> Call[None]:
    """Make the request that disables or enables a user."""
    return send("POST", f"users/{segment(name)}/{action}", nothing, is_repeatable=True)


def set_password(name: str, password: str) -> Call[None]:
    """Make the request that sets a password."""
    return send("PUT", f"users/{segment(name)}/password", nothing, {"password": password})


def remove_user(name: str) -> Call[None]:
    """Make the request that removes a user."""
    return send("DELETE", f"users/{segment(name)}", nothing)


# Saved searches


@dataclass(frozen=True)
class SavedPage:
    """A part of the list of saved searches, and where it continues."""

    searches: list[SavedSearch]
    next: int | None


def list_saved(after: int | None) -> Call[SavedPage]:
    """Make the request for a part of the saved searches."""

    def read(answer: Answer) -> SavedPage:
        page = answer.json()
        return SavedPage(page["saved_searches"], page.get("next"))

    return get("saved-searches", read, after=after)


def create_saved(search: SearchToSave) -> Call[SavedSearch]:
    """Make the request that saves a search."""
    return send("POST", "saved-searches", as_json(SavedSearch), _saved(search))


def replace_saved(search_id: int, search: SearchToSave) -> Call[SavedSearch]:
    """Make the request that replaces a saved search."""
    path = f"saved-searches/{segment(search_id)}"
    return send("PUT", path, as_json(SavedSearch), _saved(search), is_repeatable=True)


def remove_saved(search_id: int) -> Call[None]:
    """Make the request that removes a saved search."""
    return send("DELETE", f"saved-searches/{segment(search_id)}", nothing)


def _saved(search: SearchToSave) -> dict[str, Any]:
    names = {"start": "from", "end": "to"}
    return {names.get(key, key): value for key, value in search.items()}


# Logspaces


def list_logspaces() -> Call[list[Logspace]]:
    """Make the request for all logspaces."""
    return get("logspaces", member("logspaces", list[Logspace]))


def put_logspace(
    logspace: str,
    retention: Retention | None,
    durability: Literal["fsync", "os"] | None,
    revision: Revisions | None,
    comment: str | None,
) -> Call[RouterChange]:
    """Make the request that creates or changes a logspace."""
    return send(
        "PUT",
        f"logspaces/{segment(logspace)}",
        as_json(RouterChange),
        without_none(retention=retention, durability=durability),
        params={"comment": comment},
        headers={} if revision is None else _if_match(revision),
    )


# The router document


@dataclass(frozen=True)
class RouterDocument:
    """The live router document."""

    revision: int
    """To be given to `put`, so that nobody's change is overwritten."""
    document: JsonObject


@dataclass(frozen=True)
class RouterText:
    """The live router document as TOML, with its comments."""

    revision: int
    toml: str


def get_router() -> Call[RouterDocument]:
    """Make the request for the live document."""
    return get(
        "router", lambda answer: RouterDocument(_revision(answer), answer.json()), format="json"
    )


def get_router_text() -> Call[RouterText]:
    """Make the request for the text of the live document."""
    return get(
        "router", lambda answer: RouterText(_revision(answer), answer.body.decode()), format="toml"
    )


def put_router(
    document: Mapping[str, Any] | str,
    revision: Revisions,
    comment: str | None,
    confirm_within: str | None,
    back_if_worse: bool | None,
) -> Call[RouterChange]:
    """Make the request that makes a document live."""
    return send(
        "PUT",
        "router",
        as_json(RouterChange),
        document if isinstance(document, str) else dict(document),
        params={
            "comment": comment,
            "confirm_within": confirm_within,
            "back_if_worse": back_if_worse,
        },
        headers=_if_match(revision),
    )


def confirm_router(revision: Revisions | None) -> Call[None]:
    """Make the request that confirms the live revision."""
    headers = {} if revision is None else _if_match(revision)
    return send("POST", "router/confirm", nothing, headers=headers)


def roll_back(
    to: int, revision: Revisions | None, comment: str | None, confirm_within: str | None
) -> Call[RouterChange]:
    """Make the request that makes an earlier revision live again."""
    return send(
        "POST",
        f"router/rollback/{segment(to)}",
        as_json(RouterChange),
        params={"comment": comment, "confirm_within": confirm_within},
        headers={} if revision is None else _if_match(revision),
    )


def validate(document: Mapping[str, Any] | str) -> Call[Validation]:
    """Make the request that checks a document."""
    body = document if isinstance(document, str) else dict(document)
    return ask("router/validate", as_json(Validation), body)


def diff(before: int, after: int) -> Call[RevisionDiff]:
    """Make the request for the difference of two revisions."""
    return get("router/diff", as_json(RevisionDiff), **{"from": before, "to": after})


@dataclass(frozen=True)
class RevisionPage:
    """A page of the list of revisions, and the cursor of the next one."""

    revisions: list[Revision]
    cursor: str | None


def revisions(cursor: str | None) -> Call[RevisionPage]:
    """Make the request for a page of the revisions."""

    def read(answer: Answer) -> RevisionPage:
        page = answer.json()
        return RevisionPage(page["revisions"], page.get("cursor"))

    return get("router/revisions", read, cursor=cursor)


def status() -> Call[RouterStatus]:
    """Make the request for the figures of the live document."""
    return get("router/status", as_json(RouterStatus))


def _if_match(revision: Revisions) -> dict[str, str]:
    return {"If-Match": "*" if revision == "*" else f'"{revision}"'}


def _revision(answer: Answer) -> int:
    # A proxy that compresses makes the tag a weak one, and each form of the document has its own.
    tag = answer.headers.get("ETag", "")
    match = re.match(r'(?:W/)?"([0-9]+)', tag)
    if match is None:
        raise LogsteadError(f"the answer has no revision as its ETag: {tag!r}")
    return int(match[1])


# Exports


def export(
    query: str,
    columns: Sequence[str] | None,
    order: Order | None,
    limit: int | None,
    scope: Scope,
) -> Call[Any]:
    """Make the request for all messages, as NDJSON that ends with a summary."""
    for name in columns or ():
        if "," in name:
            raise ValueError(f"the column {name!r} has a comma, which separates columns")
    return get(
        "export",
        nothing,
        query=query,
        columns=names(columns),
        order=order,
        limit=limit,
        format="ndjson",
        summary=True,
        **scope_of(scope),
    )


MESSAGE_STAGES = frozenset({"where", "extract", "parse", "eval", "fields", "raw"})
"""The stages that work on one message at a time; all others make a table."""


def table_stage(parsed: ParsedQuery) -> str | None:
    """Find the first stage that makes a table."""
    names = (stage["name"] for stage in parsed["stages"])
    return next((name for name in names if name not in MESSAGE_STAGES), None)


def refuse_table(parsed: ParsedQuery) -> None:
    """Raise if the query makes a table: an export would not say that it was cut."""
    stage = table_stage(parsed)
    if stage is not None:
        raise ValueError(f"the stage {stage!r} makes a table: use table(), not export()")


def chooses_columns(parsed: ParsedQuery) -> bool:
    """Tell whether a stage chooses the columns of the messages."""
    return any(stage["name"] in {"fields", "raw"} for stage in parsed["stages"])


def row_of(line: bytes) -> dict[str, Any]:
    """Read a line of an export."""
    row = json.loads(line.decode())
    if not isinstance(row, dict):
        raise LogsteadError(f"a line of the export is not an object: {line[:100]!r}")
    return row


# Jobs


WAIT_SECONDS_MAX = 30
"""The longest time for which the server holds an answer about a job."""


def verify(logspace: str) -> Call[Job]:
    """Make the request that starts to verify a logspace."""
    return send("POST", f"logspaces/{segment(logspace)}/verify", as_json(Job), {})


def reindex(logspace: str) -> Call[Job]:
    """Make the request that starts to rebuild the indexes of a logspace."""
    return send("POST", f"logspaces/{segment(logspace)}/reindex", as_json(Job), {})


def start_export(
    query: str,
    file_format: ExportFormat,
    columns: Sequence[str] | None,
    order: Order | None,
    limit: int | None,
    scope: Scope,
) -> Call[Job]:
    """Make the request that starts an export to a file of the server."""
    body = without_none(
        query=query, format=file_format, columns=names(columns), order=order, limit=limit
    )
    return send("POST", "exports", as_json(Job), body | scope_of(scope))


@dataclass(frozen=True)
class JobPage:
    """A page of the list of jobs, and the cursor of the next one."""

    jobs: list[Job]
    cursor: str | None


def jobs(cursor: str | None) -> Call[JobPage]:
    """Make the request for a page of the jobs."""

    def read(answer: Answer) -> JobPage:
        page = answer.json()
        return JobPage(page["jobs"], page.get("cursor"))

    return get("jobs", read, cursor=cursor)


def job(job_id: str, wait: float | None) -> Call[Job]:
    """Make the request for a job, whose answer waits this many seconds for its end."""
    seconds = None if wait is None else min(max(wait, 0), WAIT_SECONDS_MAX)
    text = None if seconds is None else f"{int(seconds * 1000)}ms"
    return get(f"jobs/{segment(job_id)}", as_json(Job), wait=text)


def cancel_job(job_id: str) -> Call[Job]:
    """Make the request that asks a job to end."""
    return send("POST", f"jobs/{segment(job_id)}/cancel", as_json(Job), {}, is_repeatable=True)


def remove_job(job_id: str) -> Call[None]:
    """Make the request that forgets a job."""
    return send("DELETE", f"jobs/{segment(job_id)}", nothing)


def job_result(job_id: str) -> Call[Any]:
    """Make the request for the file of an export."""
    return get(f"jobs/{segment(job_id)}/result", nothing)


def has_ended(of: Job) -> bool:
    """Tell whether a job has ended."""
    return of["finished_at"] is not None


def finished(of: Job) -> Job:
    """Return a job that is done; raise for one that ended otherwise."""
    if of["state"] == "done":
        return of
    problem = of["problem"]
    if problem is not None:
        raise of_problem(problem.get("status", 500), problem)
    work = f"{of['kind']} {', '.join(of['logspaces'])}"
    raise LogsteadError(f"{work}: job {of['id']} is {of['state']}, so there is no whole result")

"""The client for ordinary code, made of `_aio.py` by `tools/sync.py`."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

import httpx

from . import _calls, _frames, _tail
from ._calls import Revisions, RouterDocument, RouterText
from ._export import ExportLines
from ._frames import Columns, FrameRows, TypedColumn
from ._http import (
    Server,
    answer_of,
    failure_of,
    is_lasting,
    request_of,
    server_of_environment,
    stream_timeout,
)
from ._ingest import Ingestion, IngestOptions, Input
from ._retry import Attempts, Retry
from ._tail import EventStream, OnLoss, TailState, log_loss, may_reopen
from .errors import ConnectionFailed, LogsteadError

if TYPE_CHECKING:
    import builtins

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Self, Unpack

    from ._call import Call
    from .types import (
        Context,
        CreatedToken,
        ExportFormat,
        Facets,
        Histogram,
        Ingested,
        Job,
        Logspace,
        Message,
        Order,
        Retention,
        Revision,
        RevisionDiff,
        Role,
        RouterChange,
        RouterStatus,
        Row,
        SavedSearch,
        Scope,
        SearchPage,
        SearchToSave,
        Table,
        TailStatus,
        Time,
        Token,
        TokenLimits,
        User,
        Validation,
    )

T = TypeVar("T")


class Tail:
    """An open tail: an iterator over messages as they are stored, which reconnects by itself."""

    def __init__(self, connection: Connection, state: TailState, retry: Retry) -> None:
        self._state = state
        self._messages = self._follow(connection, retry)

    @property
    def position(self) -> str | None:
        """The position behind the last event, all messages of which were taken.

        Given as `since`, it continues the tail, even in another process.
        """
        return self._state.position

    @property
    def status(self) -> TailStatus | None:
        """The counts that the server sends every second; None before the first ones."""
        return self._state.status

    def close(self) -> None:
        """End the tail."""
        self._messages.close()

    def __iter__(self) -> Iterator[Message]:
        return self

    def __next__(self) -> Message:
        for message in self._messages:
            if message is not None:
                return message
        raise StopIteration

    def __enter__(self) -> Self:
        # The tail begins here, not with the first message that is read.
        next(self._messages)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _follow(
        self, connection: Connection, retry: Retry
    ) -> Generator[Message | None, None, None]:
        """Yield None when the server has said where the tail begins, and then messages."""
        attempts: Attempts | None = None
        has_begun = False
        while True:
            call = self._state.call()
            attempts = attempts or Attempts(retry, call, monotonic())
            try:
                with connection.stream(call, retry, silence=_tail.SILENCE) as chunks:
                    stream = EventStream()
                    for chunk in chunks:
                        for event in stream.feed(chunk):
                            attempts = None
                            messages = self._state.take(event)
                            for message in messages:
                                yield message
                            self._state.passed(event, len(messages))
                            if not has_begun:
                                has_begun = True
                                yield None
                failure = ConnectionFailed("the server ended the tail", was_sent=True)
            except ConnectionFailed as error:
                failure = error
            except LogsteadError as error:
                if not may_reopen(error):
                    raise
                failure = ConnectionFailed(str(error), was_sent=True)
            attempts = attempts or Attempts(retry, call, monotonic())
            sleep(attempts.after_failure(failure, monotonic()))


class Connection:
    """Sends requests, again if need be."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._http = httpx.Client(**server.settings())

    @property
    def patience(self) -> float:
        """The seconds for which an answer may wait, well before the server counts as silent."""
        return self._server.timeout / 2

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Send a request; return what its answer says."""
        with self._answered(call, self._server.retry, stream=False) as response:
            answer = answer_of(response)
        return call.read(answer)

    def send_any(self, call: Call[T]) -> T:
        """Send a request; return its answer even if that is a problem."""
        with self._answered(call, self._server.retry, stream=False, refuses=False) as response:
            return call.read(answer_of(response))

    @contextmanager
    def stream(
        self, call: Call[Any], retry: Retry | None = None, silence: float | None = None
    ) -> Iterator[Iterator[bytes]]:
        """Send a request; return the pieces of its answer as they come."""
        retry = retry or self._server.retry
        with self._answered(call, retry, stream=True, silence=silence) as response:
            yield _pieces(response)

    @contextmanager
    def _answered(
        self,
        call: Call[Any],
        retry: Retry,
        *,
        stream: bool,
        silence: float | None = None,
        refuses: bool = True,
    ) -> Iterator[httpx.Response]:
        timeout = stream_timeout(silence or self._server.timeout, self._server.timeout)
        request = self._http.build_request(**request_of(call), timeout=timeout)
        attempts = Attempts(retry, call, monotonic())
        while True:
            wait: float | None
            try:
                response = self._http.send(request, stream=stream)
                if not response.is_success:
                    response.read()
            except httpx.RequestError as error:
                failure = failure_of(error)
                if is_lasting(error):
                    raise failure from error
                wait = attempts.after_failure(failure, monotonic())
            else:
                wait = self._wait_after(response, attempts)
                if wait is None:
                    break
            sleep(wait)
        try:
            if refuses and not response.is_success:
                answer_of(response).refuse()
            yield response
        finally:
            response.close()

    def _wait_after(self, response: httpx.Response, attempts: Attempts) -> float | None:
        if response.is_success:
            return None
        return attempts.after_answer(answer_of(response), monotonic())


def _pieces(response: httpx.Response) -> Iterator[bytes]:
    try:
        for chunk in response.iter_bytes():
            yield chunk
    except httpx.RequestError as error:
        raise failure_of(error) from error


class Logstead:
    """A server. Use it in a `with` statement, or close it."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        timeout: float = 60.0,
        retry: Retry | None = None,
    ) -> None:
        """Connect to the server at `url` with an API token.

        `ca_file` has the certificates to trust in place of the system's. `timeout` is how many
        seconds the server may be silent, and `retry` says how long requests are tried again.
        """
        self._server = Server(url, token, ca_file, timeout, retry or Retry())
        self._connection = Connection(self._server)
        send = self._connection.send
        self.tokens = Tokens(send)
        """API tokens."""
        self.users = Users(send)
        """Users."""
        self.saved_searches = SavedSearches(send)
        """Saved searches."""
        self.logspaces = Logspaces(send)
        """Logspaces."""
        self.jobs = Jobs(self._connection)
        """Long work that goes on at the server without its client."""
        self.router = Router(send)
        """The router document."""

    @classmethod
    def from_env(cls, *, timeout: float = 60.0, retry: Retry | None = None) -> Self:
        """Connect to the server that the environment names.

        The variables are those of the command line: `LOGSTEAD_SERVER`, `LOGSTEAD_TOKEN` or
        `LOGSTEAD_TOKEN_FILE`, and `LOGSTEAD_CA_FILE`.
        """
        server = server_of_environment(os.environ, timeout, retry or Retry())
        return cls(
            server.url,
            token=server.token,
            ca_file=server.ca_file,
            timeout=server.timeout,
            retry=server.retry,
        )

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Searching

    @overload
    def search(
        self,
        query: str = "",
        *,
        columns: None = None,
        limit: int | None = None,
        order: Order = "newest",
        page_size: int = 1000,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> Iterator[Message]: ...

    @overload
    def search(
        self,
        query: str = "",
        *,
        columns: Sequence[str],
        limit: int | None = None,
        order: Order = "newest",
        page_size: int = 1000,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> Iterator[Row]: ...

    def search(
        self,
        query: str = "",
        *,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        order: Order = "newest",
        page_size: int = 1000,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> Iterator[Any]:
        """Find messages: all of them, page by page, or at most `limit`.

        With `columns`, each has only these fields and its id. Raises `IncompleteAnswer` if not
        everything was searched, unless `partial` is true.
        """
        cursor: str | None = None
        left = limit
        while left is None or left > 0:
            size = page_size if left is None else min(page_size, left)
            call = _calls.search_page(query, columns, size, order, cursor, scope)
            page = self._connection.send(call)
            entries = _calls.entries_of(page, columns)
            for entry in entries:
                yield entry
            _calls.require_complete(page, partial=partial)
            cursor = page["cursor"]
            if cursor is None:
                return
            left = None if left is None else left - len(entries)

    def search_page(
        self,
        query: str = "",
        *,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        order: Order | None = None,
        cursor: str | None = None,
        **scope: Unpack[Scope],
    ) -> SearchPage:
        """Find a page of messages; its `cursor` leads to the next. With `columns`, it has rows."""
        call = _calls.search_page(query, columns, limit, order, cursor, scope)
        return self._connection.send(call)

    def count(self, query: str = "", *, partial: bool = False, **scope: Unpack[Scope]) -> int:
        """Count messages."""
        reply = self._connection.send(_calls.count(query, scope))
        _calls.require_complete(reply, partial=partial)
        return reply["count"]

    def histogram(
        self,
        query: str = "",
        *,
        buckets: int | None = None,
        interval: str | None = None,
        by: str | None = None,
        **scope: Unpack[Scope],
    ) -> Histogram:
        """Count messages in each interval, optionally by the values of a field."""
        return self._connection.send(_calls.histogram(query, buckets, interval, by, scope))

    def table(self, query: str, **scope: Unpack[Scope]) -> Table:
        """Make the table of a query with stages, such as `error | stats count() by host`."""
        return self._connection.send(_calls.table(query, scope))

    def facets(
        self,
        query: str = "",
        *,
        fields: Sequence[str],
        limit: int | None = None,
        own_clauses: bool | None = None,
        numbers: bool | None = None,
        **scope: Unpack[Scope],
    ) -> Facets:
        """Find the most frequent values of fields."""
        call = _calls.facets(query, fields, limit, own_clauses, numbers, scope)
        return self._connection.send(call)

    def message(self, message_id: str) -> Message:
        """Get a message by its id."""
        return self._connection.send(_calls.message(message_id))

    def context(
        self,
        message_id: str,
        *,
        before: int | None = None,
        after: int | None = None,
        same: Sequence[str] | None = None,
        query: str | None = None,
        logspaces: Sequence[str] | None = None,
    ) -> Context:
        """Get the messages around a message; with `same`, those that agree with it in fields."""
        call = _calls.context(message_id, before, after, same, query, logspaces)
        return self._connection.send(call)

    # Exports and frames

    def export(
        self,
        query: str = "",
        *,
        columns: Sequence[str] | None = None,
        order: Order = "newest",
        limit: int | None = None,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> Iterator[Row]:
        """Read all messages, in one request, as they come; with `columns`, only these fields.

        Raises `IncompleteAnswer` at the end if messages are missing: if the connection broke, or,
        unless `partial` is true, if parts of the store cannot be read.
        """
        if "|" in query:
            _calls.refuse_table(self._connection.send(_calls.parse(query)))
        lines = ExportLines()
        with self._connection.stream(_calls.export(query, columns, order, limit, scope)) as chunks:
            try:
                for chunk in chunks:
                    for line in lines.feed(chunk):
                        yield _calls.row_of(line)
            except ConnectionFailed as error:
                raise lines.broken(str(error)) from error
        lines.end(partial=partial)

    def to_pandas(
        self,
        query: str = "",
        *,
        columns: Columns | None = None,
        order: Order = "newest",
        limit: int | None = None,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> pd.DataFrame:
        """Read messages, or the table of a query, into a frame of pandas."""
        _frames.require("pandas", "pandas")
        return _frames.to_pandas(self._gather(query, columns, order, limit, scope, partial=partial))

    def to_polars(
        self,
        query: str = "",
        *,
        columns: Columns | None = None,
        order: Order = "newest",
        limit: int | None = None,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> pl.DataFrame:
        """Read messages, or the table of a query, into a frame of Polars."""
        _frames.require("polars", "polars")
        return _frames.to_polars(self._gather(query, columns, order, limit, scope, partial=partial))

    def to_arrow(
        self,
        query: str = "",
        *,
        columns: Columns | None = None,
        order: Order = "newest",
        limit: int | None = None,
        partial: bool = False,
        **scope: Unpack[Scope],
    ) -> pa.Table:
        """Read messages, or the table of a query, into a table of Arrow."""
        _frames.require("pyarrow", "arrow")
        return _frames.to_arrow(self._gather(query, columns, order, limit, scope, partial=partial))

    def _gather(
        self,
        query: str,
        columns: Columns | None,
        order: Order,
        limit: int | None,
        scope: Scope,
        *,
        partial: bool,
    ) -> list[TypedColumn]:
        chosen: list[str] | None = None
        if "|" in query:
            parsed = self._connection.send(_calls.parse(query))
            if _calls.table_stage(parsed) is not None:
                table = self._connection.send(_calls.table(query, scope))
                _calls.require_complete(table, partial=partial)
                _frames.require_whole_table(table, limit, partial=partial)
                return _frames.columns_of_table(table, columns)
            if _calls.chooses_columns(parsed):
                call = _calls.search_page(query, None, 1, order, None, scope)
                page = self._connection.send(call)
                chosen = page["columns"]
        # The one place that chooses the format in which messages come: NDJSON, of which columns are
        # made here. A server that sends Arrow is to be asked for it here.
        rows = FrameRows(columns, chosen, limit)
        for row in self.export(
            query,
            columns=rows.fields,
            order=order,
            limit=rows.wanted,
            partial=partial,
            **scope,
        ):
            rows.add(row)
        return rows.columns()

    # Following and sending

    def tail(
        self,
        query: str = "",
        *,
        last: int | None = None,
        since: str | None = None,
        on_loss: OnLoss = log_loss,
        retry: Retry | None = None,
        **scope: Unpack[Scope],
    ) -> Tail:
        """Follow messages as they are stored, after the `last` stored ones.

        A broken connection is opened again for ten minutes, or as `retry` says, and continues
        where it broke. `on_loss` is told of messages that the server could not send; without it,
        they are logged.
        """
        state = TailState(query, last, since, on_loss, scope)
        return Tail(self._connection, state, retry or Retry(deadline=600.0))

    def ingest(
        self,
        messages: Iterable[Input],
        *,
        logspace: str | None = None,
        atomic: bool = False,
        host: str | None = None,
        timezone: str | None = None,
        format: Literal["text", "auto", "rfc5424", "rfc3164"] | None = None,  # noqa: A002
        written: Time | None = None,
        key: str | None = None,
    ) -> Ingested:
        """Store messages: objects, or lines of text.

        They are sent in as many requests as need be, each of which can be repeated safely. With
        the same `key` (the beginning of each `Idempotency-Key`), the same messages are not stored
        again even by another call. An error has the counts of what was stored before it.
        """
        options = IngestOptions(logspace, atomic, host, timezone, format, written)
        ingestion = Ingestion(messages, options if key is None else replace(options, key=key))
        try:
            while (call := ingestion.next_call()) is not None:
                ingestion.take(self._connection.send_any(call))
            return ingestion.result()
        except LogsteadError as error:
            ingestion.annotate(error)
            raise


class Send(Protocol):
    """Sends a request."""

    def __call__(self, call: Call[T], /) -> T: ...


class Tokens:
    """API tokens. These requests are for administrators."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(self) -> builtins.list[Token]:
        """List all tokens."""
        return self._send(_calls.list_tokens())

    def create(
        self,
        name: str,
        role: Role,
        *,
        logspaces: Sequence[str] | None = None,
        scope: str | None = None,
        expires_at: Time | None = None,
        limits: TokenLimits | None = None,
    ) -> CreatedToken:
        """Create a token; the secret, `token`, is only in this answer."""
        call = _calls.create_token(name, role, logspaces, scope, expires_at, limits)
        return self._send(call)

    def rotate(self, token_id: int, *, overlap: str | None = None) -> CreatedToken:
        """Make a new secret; the present one keeps working for the time `overlap`."""
        return self._send(_calls.rotate_token(token_id, overlap))

    def remove(self, token_id: int) -> None:
        """Revoke a token."""
        self._send(_calls.remove_token(token_id))


class Users:
    """Users. These requests are for administrators."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(self) -> builtins.list[User]:
        """List all users."""
        return self._send(_calls.list_users())

    def create(
        self,
        name: str,
        password: str,
        role: Role,
        *,
        logspaces: Sequence[str] | None = None,
        scope: str | None = None,
    ) -> User:
        """Create a user."""
        return self._send(_calls.create_user(name, password, role, logspaces, scope))

    def change(
        self, name: str, role: Role, *, logspaces: Sequence[str] | None, scope: str | None
    ) -> User:
        """Change what a user may do. All three are required, so that none grants by omission."""
        return self._send(_calls.change_user(name, role, logspaces, scope))

    def disable(self, name: str) -> None:
        """End a user's sessions, and prevent the user from logging in."""
        self._send(_calls.act_on_user(name, "disable"))

    def enable(self, name: str) -> None:
        """Let a user log in again."""
        self._send(_calls.act_on_user(name, "enable"))

    def set_password(self, name: str, password: str) -> None:
        """Set a user's password."""
        self._send(_calls.set_password(name, password))

    def remove(self, name: str) -> None:
        """Remove a user."""
        self._send(_calls.remove_user(name))


class SavedSearches:
    """Saved searches: the caller's own, and those that are shared."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(self) -> builtins.list[SavedSearch]:
        """List all saved searches that the caller sees."""
        page = self._send(_calls.list_saved(None))
        searches = page.searches
        while page.next is not None:
            page = self._send(_calls.list_saved(page.next))
            searches += page.searches
        return searches

    def create(self, **search: Unpack[SearchToSave]) -> SavedSearch:
        """Save a search. A search saved with a token has to be shared."""
        return self._send(_calls.create_saved(search))

    def replace(self, search_id: int, **search: Unpack[SearchToSave]) -> SavedSearch:
        """Replace a saved search."""
        return self._send(_calls.replace_saved(search_id, search))

    def remove(self, search_id: int) -> None:
        """Remove a saved search."""
        self._send(_calls.remove_saved(search_id))


class Logspaces:
    """Logspaces."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list(self) -> builtins.list[Logspace]:
        """List all logspaces."""
        return self._send(_calls.list_logspaces())

    def put(
        self,
        logspace: str,
        *,
        retention: Retention | None = None,
        durability: Literal["fsync", "os"] | None = None,
        revision: Revisions | None = None,
        comment: str | None = None,
    ) -> RouterChange:
        """Create or change a logspace, as a revision of the router document."""
        call = _calls.put_logspace(logspace, retention, durability, revision, comment)
        return self._send(call)


class Jobs:
    """Long work that goes on at the server without its client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._send = connection.send

    def verify(self, logspace: str) -> Job:
        """Start to compare everything in a logspace with its checksums."""
        return self._send(_calls.verify(logspace))

    def reindex(self, logspace: str) -> Job:
        """Start to rebuild the indexes of a logspace from its messages."""
        return self._send(_calls.reindex(logspace))

    def export(
        self,
        query: str = "",
        *,
        format: ExportFormat = "ndjson",  # noqa: A002
        columns: Sequence[str] | None = None,
        order: Order | None = None,
        limit: int | None = None,
        **scope: Unpack[Scope],
    ) -> Job:
        """Start to write all messages, or the table of a query, to a file of the server."""
        call = _calls.start_export(query, format, columns, order, limit, scope)
        return self._send(call)

    def list(self) -> builtins.list[Job]:
        """List the jobs that this caller may see, the newest first."""
        page = self._send(_calls.jobs(None))
        found = page.jobs
        while page.cursor is not None:
            page = self._send(_calls.jobs(page.cursor))
            found += page.jobs
        return found

    def get(self, job_id: str) -> Job:
        """Get a job as it is now."""
        return self._send(_calls.job(job_id, None))

    def wait(self, job_id: str, *, within: float | None = None) -> Job:
        """Wait until a job is done.

        Raises `ProblemError` if it failed, and `LogsteadError` if it was cancelled or interrupted.
        After `within` seconds, raises `TimeoutError`; the job goes on.
        """
        end = None if within is None else monotonic() + within
        while True:
            left = _calls.WAIT_SECONDS_MAX if end is None else end - monotonic()
            job = self._send(_calls.job(job_id, min(left, self._connection.patience)))
            if _calls.has_ended(job):
                return _calls.finished(job)
            if left <= 0:
                raise TimeoutError(f"job {job_id} is {job['state']} after {within} s")

    def cancel(self, job_id: str) -> Job:
        """Ask a job to end, which it does within moments."""
        return self._send(_calls.cancel_job(job_id))

    def remove(self, job_id: str) -> None:
        """Forget a job that has ended, and remove its file."""
        self._send(_calls.remove_job(job_id))

    @contextmanager
    def download(self, job_id: str) -> Iterator[Iterator[bytes]]:
        """Read the file of an export that is done, piece by piece."""
        with self._connection.stream(_calls.job_result(job_id)) as pieces:
            yield pieces


class Router:
    """The router document, which says where messages come from and where they go."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def get(self) -> RouterDocument:
        """Get the live document and its revision."""
        return self._send(_calls.get_router())

    def get_toml(self) -> RouterText:
        """Get the text of the live document, with its comments, and its revision."""
        return self._send(_calls.get_router_text())

    def put(
        self,
        document: Mapping[str, Any] | str,
        *,
        revision: Revisions,
        comment: str | None = None,
        confirm_within: str | None = None,
        back_if_worse: bool | None = None,
    ) -> RouterChange:
        """Make a document (an object, or TOML) live in place of `revision`.

        If another one is live by now, this raises `Conflict`; "*" replaces whatever is live.
        """
        call = _calls.put_router(document, revision, comment, confirm_within, back_if_worse)
        return self._send(call)

    def confirm(self, *, revision: Revisions | None = None) -> None:
        """Confirm a document that was put with `confirm_within`."""
        self._send(_calls.confirm_router(revision))

    def roll_back(
        self,
        to: int,
        *,
        revision: Revisions | None = None,
        comment: str | None = None,
        confirm_within: str | None = None,
    ) -> RouterChange:
        """Make an earlier revision live again."""
        return self._send(_calls.roll_back(to, revision, comment, confirm_within))

    def validate(self, document: Mapping[str, Any] | str) -> Validation:
        """Check a document without making it live."""
        return self._send(_calls.validate(document))

    def diff(self, before: int, after: int) -> RevisionDiff:
        """Compare two revisions."""
        return self._send(_calls.diff(before, after))

    def revisions(self) -> builtins.list[Revision]:
        """List all revisions, newest first."""
        page = self._send(_calls.revisions(None))
        revisions = page.revisions
        while page.cursor is not None:
            page = self._send(_calls.revisions(page.cursor))
            revisions += page.revisions
        return revisions

    def status(self) -> RouterStatus:
        """Get the figures of the live document."""
        return self._send(_calls.status())

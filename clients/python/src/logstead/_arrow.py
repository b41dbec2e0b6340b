"""Messages that come as an Arrow stream, and the frames made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import _frames
from ._export import broken, require_whole, summary_of
from ._frames import ColumnType, TypedColumn
from .errors import ColumnError, IncompleteAnswer

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

REPEATING = frozenset({"logspace", "source", "peer", "host", "program", "msgid", "copy_of"})
"""Texts of which the server sends each distinct one once for many messages."""

_END = b"\xff\xff\xff\xff\x00\x00\x00\x00\n"


def is_readable() -> bool:
    """Tell whether pandas and Arrow can read a stream; Polars always can."""
    return find_spec("pyarrow") is not None


def column_names(kinds: Mapping[str, ColumnType]) -> list[str]:
    """Write columns as the server reads them, with their types."""
    names = []
    for name, kind in kinds.items():
        is_natural = kind == "text" and name in REPEATING
        names.append(name if is_natural else f"{name}:{kind}")
    return names


@dataclass
class ArrowRows:
    """A complete stream with columns of these types."""

    body: bytearray
    kinds: Mapping[str, ColumnType]


class ArrowBody:
    """Gathers the pieces of a stream, behind which the server says how many messages it has."""

    def __init__(self, kinds: Mapping[str, ColumnType], rows_max: int | None) -> None:
        """Begin with nothing; without a limit, at most this many rows may come."""
        self._kinds = kinds
        self._rows_max = rows_max
        self._body = bytearray()

    def feed(self, piece: bytes) -> None:
        """Take a piece."""
        # Joining the pieces at the end would need twice the memory, and read all of it again.
        self._body += piece

    def broken(self, why: str) -> IncompleteAnswer:
        """Make the error of a stream that broke."""
        return broken(f"{len(self._body)} bytes", why)

    def end(self, *, partial: bool) -> ArrowRows:
        """Take the end; raise if that is not the end of the stream, or its values do not fit."""
        body, self._body = self._body, bytearray()
        begin = body.rfind(b"\n", 0, -1) + 1
        summary = summary_of(bytes(body[begin:])) if body.endswith(b"\n") else None
        if summary is None or not body.endswith(_END, 0, begin):
            raise broken(f"{len(body)} bytes", "it ends without its summary")
        require_whole(summary, partial=partial)
        if self._rows_max is not None and summary["messages"] > self._rows_max:
            raise IncompleteAnswer(
                f"more than {self._rows_max} messages match: narrow the search, or give a limit="
            )
        for unfit in summary["unfit"]:
            kind = self._kinds.get(unfit["column"])
            raise ColumnError(
                f"column {unfit['column']!r} has the type {kind!r}, but {unfit['values']} values "
                f"do not fit, such as {unfit['example']!r}"
            )
        return ArrowRows(body, self._kinds)


def to_arrow(rows: ArrowRows | Sequence[TypedColumn]) -> pa.Table:
    """Make a table of Arrow."""
    if not isinstance(rows, ArrowRows):
        return _frames.to_arrow(rows)
    import pyarrow as pa  # noqa: PLC0415 - an extra

    table = pa.ipc.open_stream(pa.py_buffer(rows.body)).read_all()
    for at, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.string()))
    return table


def to_pandas(rows: ArrowRows | Sequence[TypedColumn]) -> pd.DataFrame:
    """Make a frame of pandas."""
    if not isinstance(rows, ArrowRows):
        return _frames.to_pandas(rows)
    import pandas as pd  # noqa: PLC0415 - an extra
    import pyarrow as pa  # noqa: PLC0415 - an extra

    table = to_arrow(rows)
    kinds: dict[Any, Any] = {
        pa.string(): pd.StringDtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=kinds.get)
    for name, kind in rows.kinds.items():
        if kind == "list":  # of lists, not of arrays
            frame[name] = pd.Series(table.column(name).to_pylist(), dtype="object")
    return frame


def to_polars(rows: ArrowRows | Sequence[TypedColumn]) -> pl.DataFrame:
    """Make a frame of Polars."""
    if not isinstance(rows, ArrowRows):
        return _frames.to_polars(rows)
    import polars as pl  # noqa: PLC0415 - an extra

    if is_readable():
        # Polars copies a stream before it reads it, but shares the memory of a table.
        shared = pl.from_arrow(to_arrow(rows))
        assert isinstance(shared, pl.DataFrame)
        return shared
    frame = pl.read_ipc_stream(bytes(rows.body))
    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))

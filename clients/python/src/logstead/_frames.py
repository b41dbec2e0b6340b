"""Rows as columns with types, for pandas, Polars and Arrow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from .errors import ColumnError, IncompleteAnswer
from .types import Table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

ColumnType = Literal["text", "integer", "number", "boolean", "time", "list"]
"""The type of a column. `list` has all values of a field, as texts."""
Columns = Sequence[str] | Mapping[str, ColumnType]
"""The names of columns, or their types by name."""

STANDARD: dict[str, ColumnType] = {
    "time": "time",
    "received": "time",
    "logspace": "text",
    "id": "text",
    "source": "text",
    "peer": "text",
    "host": "text",
    "program": "text",
    "pid": "text",
    "msgid": "text",
    "severity": "integer",
    "facility": "integer",
    "message": "text",
    "flags": "list",
    "copy_of": "text",
}
"""The columns that every message has; its other fields come after them."""
_TYPES: dict[str, ColumnType] = STANDARD | {"device_time": "time"}

MOST_ROWS = 1_000_000
"""The rows of a frame for which no limit was given."""
_MOST_FIELDS = 1000

_PARTS = frozenset(
    {"id", "flags", "severity_name", "facility_name", "raw_base64", "device_time", "fields"}
)
"""Parts of a message that are no fields: a query cannot name them."""
_FIELDS_MAX = 256

_SEVERITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_FACILITIES = (
    *("kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron"),
    *("authpriv", "ftp", "ntp", "audit", "alert", "clock"),
    *(f"local{number}" for number in range(8)),
)
_NUMBERS_OF_NAMES: dict[str, dict[str, int]] = {
    "severity": {name: number for number, name in enumerate(_SEVERITIES)},
    "facility": {name: number for number, name in enumerate(_FACILITIES)},
}


@dataclass(frozen=True)
class TypedColumn:
    """A column: its values are of its type or None; times are nanoseconds since 1970."""

    name: str
    type: ColumnType
    values: list[Any]


class FrameRows:
    """Gathers the rows of an export into columns."""

    def __init__(
        self, columns: Columns | None, chosen: Sequence[str] | None, limit: int | None
    ) -> None:
        """Begin with the columns to make, or those that the query chose; None for all."""
        self._limit = limit
        self._chosen = chosen is not None
        self._declared = declared(columns)
        self._takes_all = columns is None and chosen is None
        names = list(columns if columns is not None else chosen or STANDARD)
        self._raw: dict[str, list[Any]] = {name: [] for name in names}
        self._rows = 0

    @property
    def fields(self) -> list[str] | None:
        """The fields to ask for; None if only whole messages have all columns."""
        names = list(self._raw)
        if self._takes_all or self._chosen or len(names) > _FIELDS_MAX:
            return None
        return names if _PARTS.isdisjoint(names) else None

    @property
    def kinds(self) -> dict[str, ColumnType] | None:
        """The types of the columns, if the server can send them with these types."""
        names = self.fields or []
        if len({name.lower() for name in names}) < max(len(names), 1):
            return None
        return {name: self._kind(name) for name in names}

    @property
    def rows_max(self) -> int | None:
        """How many rows a frame may have for which no limit was given."""
        return MOST_ROWS if self._limit is None else None

    @property
    def wanted(self) -> int:
        """How many rows to ask for: without a limit, one more than a frame may have."""
        return MOST_ROWS + 1 if self._limit is None else self._limit

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row."""
        if self._limit is None and self._rows == MOST_ROWS:
            raise IncompleteAnswer(
                f"more than {MOST_ROWS} messages match: narrow the search, or give a limit="
            )
        fields: Mapping[str, Any] = row.get("fields") or {}
        if self._takes_all:
            for name in fields.keys() - self._raw.keys():
                self._begin(name)
        for name, values in self._raw.items():
            values.append(row[name] if name in row else fields.get(name))
        self._rows += 1

    def columns(self) -> list[TypedColumn]:
        """Return the columns: fields that were found are in the order of their names."""
        found = sorted(self._raw.keys() - STANDARD.keys()) if self._takes_all else []
        names = [*STANDARD, *found] if self._takes_all else list(self._raw)
        return [self._column(name) for name in names]

    def _kind(self, name: str) -> ColumnType:
        return self._declared.get(name) or _TYPES.get(name, "text")

    def _begin(self, name: str) -> None:
        if len(self._raw) >= len(STANDARD) + _MOST_FIELDS:
            raise IncompleteAnswer(
                f"the messages have more than {_MOST_FIELDS} fields: choose some with columns="
            )
        self._raw[name] = [None] * self._rows

    def _column(self, name: str) -> TypedColumn:
        kind = self._kind(name)
        values = self._raw[name]
        if name in STANDARD:  # empty if a message has none
            values = [None if value == "" else value for value in values]
        return typed(name, kind, values)


def columns_of_table(table: Table, columns: Columns | None) -> list[TypedColumn]:
    """Make columns of a table, with the types that its columns have or are declared to have."""
    kinds: dict[str, ColumnType] = {
        "text": "text",
        "number": "number",
        "severity": "integer",
        "time": "time",
    }
    declared_types = declared(columns)
    at = {column["name"]: index for index, column in enumerate(table["columns"])}
    result = []
    for name in at if columns is None else columns:
        if name not in at:
            raise ColumnError(f"the table has no column {name!r}, but: {', '.join(at)}")
        column = table["columns"][at[name]]
        values = [row[at[name]] for row in table["rows"]]
        if column["kind"] == "severity":
            values = [_NUMBERS_OF_NAMES["severity"].get(value, value) for value in values]
        result.append(typed(name, declared_types.get(name) or kinds[column["kind"]], values))
    return result


def require_whole_table(table: Table, limit: int | None, *, partial: bool) -> None:
    """Raise if a table was cut, unless that is acceptable."""
    if limit is not None:
        raise ValueError("limit is for messages: end the query with `| limit 10`")
    if table["notes"] and not partial:
        raise IncompleteAnswer(
            f"the table is cut: {'; '.join(table['notes'])}. Accept this with partial=True"
        )


def declared(columns: Columns | None) -> Mapping[str, ColumnType]:
    """Return the declared types; raise if the columns are not columns."""
    if isinstance(columns, str):
        raise TypeError("columns: give a list of names, or types by name")
    return columns if isinstance(columns, Mapping) else {}


# Types


def typed(name: str, kind: ColumnType, values: Iterable[Any]) -> TypedColumn:
    """Read the values of a column as its type; raise if one is of another."""
    read = _READERS.get(kind)
    if read is None:
        raise ColumnError(f"column {name!r} has the type {kind!r}, but not one of {list(_READERS)}")
    numbers = _NUMBERS_OF_NAMES.get(name, {}) if kind == "integer" else {}
    result = []
    for value in values:
        plain = numbers.get(value, value) if isinstance(value, str) else value
        try:
            result.append(None if plain is None else read(plain))
        except ValueError as error:
            raise ColumnError(
                f"column {name!r} has the type {kind!r}, but {plain!r} does not: {error}"
            ) from error
    return TypedColumn(name, kind, result)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def _list(value: Any) -> list[str]:
    return [_text(item) for item in value] if isinstance(value, list) else [_text(value)]


_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def _integer(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    else:
        text = _single(value)
        if text == "":
            return None
        if not _INTEGER.fullmatch(text):
            raise ValueError("it is not an integer")
        number = int(text)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError("it does not fit in 64 bits")
    return number


def _number(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    text = _single(value)
    if text == "":
        return None
    if not _NUMBER.fullmatch(text):
        raise ValueError("it is not a number")
    return float(text)


def _boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    text = _single(value).lower()
    if text not in {"", "true", "false"}:
        raise ValueError("it is neither true nor false")
    return None if text == "" else text == "true"


def _time(value: Any) -> int | None:
    text = _single(value)
    return None if text == "" else nanoseconds(text)


def _single(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        raise ValueError('a field with several values needs the type "list" or "text"')
    raise ValueError("it is not a text")


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "time": _time,
    "list": _list,
}

_STAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SECONDS_KEPT = 100_000
_seconds: dict[str, int] = {}


def nanoseconds(text: str) -> int:
    """Read RFC 3339 as nanoseconds since 1970."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise ValueError("it is not a time with a zone, such as 2026-11-22T05:11:01.123456789Z")
    day, clock, fraction, zone = match.groups()
    result = _second(f"{day}T{clock}{zone}") * 10**9 + int((fraction or "0").ljust(9, "0"))
    if not -(1 << 63) <= result < 1 << 63:
        raise ValueError('nanoseconds of 64 bits do not reach that far: declare it as "text"')
    return result


def _second(text: str) -> int:
    """Read a time in whole seconds; many messages share one."""
    known = _seconds.get(text)
    if known is None:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        known = (moment - _EPOCH) // timedelta(seconds=1)
        if len(_seconds) >= _SECONDS_KEPT:
            _seconds.clear()
        _seconds[text] = known
    return known


# Libraries


def require(library: str, extra: str) -> None:
    """Raise if a library is not installed, before anything is read for it."""
    if find_spec(library) is None:
        raise ImportError(f"{library} is not installed: pip install 'logstead[{extra}]'")


def to_pandas(columns: Sequence[TypedColumn]) -> pd.DataFrame:
    """Make a frame of pandas."""
    import pandas as pd  # noqa: PLC0415 - an extra

    kinds = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}

    def series(column: TypedColumn) -> pd.Series[Any]:
        if column.type == "time":
            stamps = pd.array(column.values, dtype="Int64")
            plain = stamps.to_numpy(dtype="int64", na_value=pd.NaT.value).astype("datetime64[ns]")
            utc: pd.Series[Any] = pd.Series(plain).dt.tz_localize("UTC")
            return utc
        kind = kinds.get(column.type, "object")
        made: pd.Series[Any] = pd.Series(column.values, dtype=kind)
        return made

    frame: pd.DataFrame = pd.DataFrame({column.name: series(column) for column in columns})
    return frame


def to_polars(columns: Sequence[TypedColumn]) -> pl.DataFrame:
    """Make a frame of Polars."""
    import polars as pl  # noqa: PLC0415 - an extra

    kinds: dict[str, Any] = {
        "text": pl.String,
        "integer": pl.Int64,
        "number": pl.Float64,
        "boolean": pl.Boolean,
        "time": pl.Int64,
        "list": pl.List(pl.String),
    }

    def series(column: TypedColumn) -> pl.Series:
        made = pl.Series(column.name, column.values, dtype=kinds[column.type])
        return made.cast(pl.Datetime("ns", "UTC")) if column.type == "time" else made

    return pl.DataFrame([series(column) for column in columns])


def to_arrow(columns: Sequence[TypedColumn]) -> pa.Table:
    """Make a table of Arrow."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "time": pa.timestamp("ns", tz="UTC"),
        "list": pa.list_(pa.string()),
    }
    arrays = [pa.array(column.values, type=kinds[column.type]) for column in columns]
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])

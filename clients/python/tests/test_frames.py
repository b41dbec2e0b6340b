from __future__ import annotations

import time
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Program
from polars.testing import assert_frame_equal

from logstead import ColumnError, IncompleteAnswer, Logstead, _frames
from logstead._frames import FrameRows, nanoseconds, typed

TIME = "2026-11-22T05:11:01.123456789Z"
COLUMNS: Any = {
    "time": "time",
    "severity": "integer",
    "message": "text",
    "took": "integer",
    "share": "number",
    "ok": "boolean",
    "tags": "list",
    "at": "time",
}


def send_three(logs: Logstead, program: Program) -> None:
    fields = {"took": 1250, "share": 0.5, "ok": True, "tags": ["a", "b"], "at": TIME}
    stamp = "2026-11-22T05:11:0{}.123456789Z"
    logs.ingest(
        [
            program.message("ü 世界", time=stamp.format(1), severity="err", **fields),
            program.message("b", time=stamp.format(2)),
            program.message("c", time=stamp.format(3), took="", tags="only"),
        ]
    )


def test_pandas_has_the_right_types(logs: Logstead, program: Program) -> None:
    send_three(logs, program)
    frame = logs.to_pandas(program.query, columns=COLUMNS, order="oldest")
    types = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert types == {
        "time": "datetime64[ns, UTC]",
        "severity": "Int64",
        "message": "string",
        "took": "Int64",
        "share": "float64",
        "ok": "boolean",
        "tags": "object",
        "at": "datetime64[ns, UTC]",
    }
    assert frame["time"][0] == pd.Timestamp(TIME)
    assert frame["time"][0].nanosecond == 789
    assert frame.loc[0, ["severity", "message", "took", "share", "ok"]].tolist() == [
        *(3, "ü 世界", 1250, 0.5, True)
    ]
    assert frame["took"].isna().tolist() == [False, True, True]
    assert frame["at"].isna().tolist() == [False, True, True]
    assert frame["tags"].tolist() == [["a", "b"], None, ["only"]]


def test_polars_and_arrow_have_the_same(logs: Logstead, program: Program) -> None:
    send_three(logs, program)
    frame = logs.to_polars(program.query, columns=COLUMNS, order="oldest")
    assert frame.schema == {
        "time": pl.Datetime("ns", "UTC"),
        "severity": pl.Int64,
        "message": pl.String,
        "took": pl.Int64,
        "share": pl.Float64,
        "ok": pl.Boolean,
        "tags": pl.List(pl.String),
        "at": pl.Datetime("ns", "UTC"),
    }
    assert frame["time"].to_physical().to_list()[0] == 1795324261123456789
    assert frame["tags"].to_list() == [["a", "b"], None, ["only"]]
    table = logs.to_arrow(program.query, columns=COLUMNS, order="oldest")
    assert table.schema.field("time").type == pa.timestamp("ns", tz="UTC")
    arrow = pl.from_arrow(table)
    assert isinstance(arrow, pl.DataFrame)
    assert_frame_equal(arrow, frame)
    database = duckdb.connect()
    database.register("polars", frame)
    database.register("arrow", table)
    for name in ("polars", "arrow"):
        database.execute(f"select count(*), sum(took), max(epoch_ns(time)) from {name}")
        assert database.fetchall() == [(3, 1250, 1795324263123456789)]


def test_arrow_and_json_give_the_same_frames(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_three(logs, program)
    logs.ingest([program.message("", host="h", pid="x7", severity=6, facility="mail", took=-1)])
    columns: Any = COLUMNS | {"host": "text", "pid": "text", "facility": "integer", "none": "text"}
    columns |= {"msgid": "text", "flag": "text", "raw": "text", "level": "text", "peer": "list"}

    def frames(query: str) -> list[Any]:
        options: Any = {"columns": columns, "order": "oldest"}
        arrow = logs.to_arrow(query, **options)
        return [logs.to_pandas(query, **options), logs.to_polars(query, **options), arrow]

    queries = [program.query, f"{program.query} missing"]
    from_arrow = [frames(query) for query in queries]
    monkeypatch.setattr(FrameRows, "kinds", None)
    from_json = [frames(query) for query in queries]
    for arrow, plain in zip(from_arrow, from_json, strict=True):
        pd.testing.assert_frame_equal(arrow[0], plain[0])
        assert_frame_equal(arrow[1], plain[1])
        assert arrow[2].schema == plain[2].schema
        assert arrow[2].to_pylist() == plain[2].to_pylist()
    assert len(from_arrow[0][0]) == 4


def test_values_that_do_not_fit_are_an_error_in_each_format(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.ingest([program.message("a", took="12ms"), program.message("b", took=3)])
    for _ in range(2):
        with pytest.raises(ColumnError, match=r"'took' has the type 'integer'.*12ms"):
            logs.to_polars(program.query, columns={"took": "integer"})
        monkeypatch.setattr(FrameRows, "kinds", None)


def test_an_empty_answer_has_the_same_types(logs: Logstead, program: Program) -> None:
    send_three(logs, program)
    nothing = f"{program.query} missing"
    for columns in (COLUMNS, ["time", "took"]):
        full_pandas = logs.to_pandas(program.query, columns=columns)
        empty_pandas = logs.to_pandas(nothing, columns=columns)
        assert empty_pandas.dtypes.equals(full_pandas.dtypes)
        assert len(empty_pandas) == 0
        full = logs.to_polars(program.query, columns=columns)
        assert logs.to_polars(nothing, columns=columns).schema == full.schema
        arrow = logs.to_arrow(program.query, columns=columns)
        assert logs.to_arrow(nothing, columns=columns).schema == arrow.schema
    assert logs.to_polars(nothing).schema["time"] == pl.Datetime("ns", "UTC")
    table = f"{nothing} | stats count(), max(time) as last by severity"
    assert logs.to_polars(table).schema == {
        "severity": pl.Int64,
        "count": pl.Float64,
        "last": pl.Datetime("ns", "UTC"),
    }


def test_all_columns_and_then_the_fields(logs: Logstead, program: Program) -> None:
    send_three(logs, program)
    frame = logs.to_polars(program.query)
    assert frame.columns == [*_frames.STANDARD, "at", "ok", "share", "tags", "took"]
    assert frame["tags"].to_list() == ["only", None, "a\nb"]
    assert frame["flags"].dtype == pl.List(pl.String)


def test_stages_choose_columns_and_make_tables(logs: Logstead, program: Program) -> None:
    send_three(logs, program)
    chosen = logs.to_polars(f"{program.query} | fields took, time, severity")
    assert chosen.columns == ["took", "time", "severity"]
    assert chosen["severity"].to_list() == [None, None, 3]
    assert chosen["time"].dtype == pl.Datetime("ns", "UTC")
    empty = logs.to_polars(f"{program.query} missing | fields took, time, severity")
    assert empty.columns == chosen.columns
    query = f"{program.query} | stats count(), sum(took) as took, max(time) as last by severity"
    table = logs.to_polars(
        query, columns={"severity": "integer", "count": "integer", "last": "time"}
    )
    assert table.columns == ["severity", "count", "last"]
    assert table["count"].dtype == pl.Int64
    assert dict(zip(table["severity"], table["count"], strict=True)) == {3: 1, None: 2}
    with pytest.raises(ColumnError, match="no column"):
        logs.to_polars(query, columns=["nope"])


def test_columns_are_the_same_from_fields_and_from_whole_messages(
    logs: Logstead, program: Program
) -> None:
    """Columns that are no fields, such as the id, need whole messages; others do not."""
    send_three(logs, program)
    logs.ingest(
        [program.message("d", host="h", tags=["x", "y"], pid=7, severity=6, facility="mail")]
    )
    fields: Any = {"tags": "list", "took": "text"} | _frames.STANDARD
    del fields["id"], fields["flags"]
    whole = fields | {"id": "text", "flags": "list"}
    assert FrameRows(fields, None, None).fields == list(fields)
    assert FrameRows(whole, None, None).fields is None
    few = logs.to_polars(program.query, columns=fields)
    assert_frame_equal(few, logs.to_polars(program.query, columns=whole).select(few.columns))
    assert few["host"].to_list() == ["h", None, None, None]
    assert few["facility"].to_list()[0] == 2


def test_a_cut_table_is_an_error(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message("x", number=number) for number in range(10_001)])
    with pytest.raises(IncompleteAnswer, match="cut"):
        logs.to_pandas(f"{program.query} | stats count() by number")
    cut = logs.to_pandas(f"{program.query} | stats count() by number", partial=True)
    assert len(cut) == 10_000


def test_more_rows_than_a_frame_has_are_an_error(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_frames, "MOST_ROWS", 5)
    logs.ingest([program.message("x")] * 6)
    with pytest.raises(IncompleteAnswer, match="limit"):
        logs.to_polars(program.query)
    assert len(logs.to_polars(program.query, limit=6)) == 6
    assert len(logs.to_polars(program.query, limit=2)) == 2


def test_a_hundred_thousand_rows_take_little_time(logs: Logstead, program: Program) -> None:
    number = 100_000
    logs.ingest(program.message(f"m {n}", took=n, host=f"web-{n % 9}") for n in range(number))
    columns: Any = {"time": "time", "host": "text", "took": "integer"}
    began = time.monotonic()
    frame = logs.to_pandas(program.query, columns=columns)
    assert (len(frame), int(frame["took"].sum())) == (number, number * (number - 1) // 2)
    polars = logs.to_polars(program.query, columns=columns)
    assert (len(polars), polars["took"].sum()) == (number, number * (number - 1) // 2)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "12ms"),
        ("integer", "1_000"),
        ("integer", "1.5"),
        ("integer", str(1 << 63)),
        ("number", "1_0"),
        ("number", "nan"),
        ("number", ["1", "2"]),
        ("boolean", "yes"),
        ("time", "2026-11-22"),
        ("time", "1600-01-01T00:00:00Z"),
        ("nonsense", "x"),
    ],
)
def test_values_of_another_type_are_an_error(kind: Any, value: Any) -> None:
    with pytest.raises(ColumnError, match="took"):
        typed("took", kind, [value])


def test_times_are_read_to_the_nanosecond() -> None:
    assert nanoseconds(TIME) == pd.Timestamp(TIME).value
    for text in ("1969-12-31T23:59:59.5Z", "2026-11-22T05:11:01+02:00", "2262-01-01T00:00:00Z"):
        assert nanoseconds(text) == pd.Timestamp(text).as_unit("ns").value

"""Files that the server exports, read by the libraries that people read them with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import httpx
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import Program
from polars.testing import assert_frame_equal
from server import TOKEN, Server

from logstead import Logstead

COLUMNS = "time,host,pid,severity,message,took:integer,share:number,ok:boolean,tags:list,at:time"
NANOSECONDS = 1795324261123456789
MANY = 40_000


def download(server: Server, path: Path, **parameters: Any) -> Path:
    authorization = {"Authorization": f"Bearer {TOKEN}"}
    url = f"{server.url}/api/v1/export"
    answer = httpx.get(url, params={"order": "oldest"} | parameters, headers=authorization)
    assert answer.status_code == 200, answer.text
    path.write_bytes(answer.content)
    return path


def send(logs: Logstead, program: Program) -> None:
    stamp = "2026-11-22T05:11:0{}.123456789Z"
    fields = {"took": 1250, "share": 0.5, "ok": True, "tags": ["a", "b"], "at": stamp.format(1)}
    logs.ingest(
        [
            program.message("ü 世界", time=stamp.format(1), host="h", severity="err", **fields),
            program.message("b", time=stamp.format(2), pid=7, took="12ms", tags="c"),
            program.message("", time=stamp.format(3)),
        ]
    )


@pytest.mark.parametrize("format_", ["arrow", "parquet"])
def test_a_file_is_read_with_its_types(
    server: Server, logs: Logstead, program: Program, tmp_path: Path, format_: str
) -> None:
    send(logs, program)
    path = download(server, tmp_path / "file", query=program.query, format=format_, columns=COLUMNS)
    if format_ == "arrow":
        with path.open("rb") as file:
            table = pa.ipc.open_stream(file).read_all()
        polars = pl.read_ipc_stream(path).with_columns(pl.col("host").cast(pl.String))
        relation = duckdb.from_arrow(table)
        pandas = table.to_pandas()
    else:
        table = pyarrow.parquet.read_table(path)
        polars = pl.read_parquet(path)
        relation = duckdb.from_parquet(str(path))
        pandas = pd.read_parquet(path)
    table.validate(full=True)
    assert table.column_names == [name.split(":")[0] for name in COLUMNS.split(",")]
    assert table.schema.field("time").type == pa.timestamp("ns", tz="UTC")
    assert polars.schema == {
        "time": pl.Datetime("ns", "UTC"),
        "host": pl.String,
        "pid": pl.Int64,
        "severity": pl.Int64,
        "message": pl.String,
        "took": pl.Int64,
        "share": pl.Float64,
        "ok": pl.Boolean,
        "tags": pl.List(pl.String),
        "at": pl.Datetime("ns", "UTC"),
    }
    assert polars["time"].to_physical().to_list()[0] == NANOSECONDS
    assert polars["tags"].to_list() == [["a", "b"], ["c"], None]
    assert polars["took"].to_list() == [1250, None, None]
    assert polars["host"].to_list() == ["h", None, None]
    assert polars["pid"].to_list() == [None, 7, None]
    from_arrow = pl.from_arrow(table)
    assert isinstance(from_arrow, pl.DataFrame)
    assert_frame_equal(from_arrow.with_columns(pl.col("host").cast(pl.String)), polars)
    assert [str(kind) for kind in relation.types] == [
        *("TIMESTAMPTZ_NS", "VARCHAR", "BIGINT", "BIGINT", "VARCHAR"),
        *("BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR[]", "TIMESTAMPTZ_NS"),
    ]
    counted = relation.aggregate("count(*), sum(took), min(epoch_ns(time)), count(ok)")
    assert counted.fetchall() == [(3, 1250, NANOSECONDS, 1)]
    assert pandas["time"][0] == pd.Timestamp(NANOSECONDS, tz="UTC")
    assert pandas["message"].fillna("null").tolist() == ["ü 世界", "b", "null"]


@pytest.mark.parametrize("format_", ["arrow", "parquet"])
def test_no_messages_and_tables_are_files_too(
    server: Server, logs: Logstead, program: Program, tmp_path: Path, format_: str
) -> None:
    send(logs, program)
    read: Any = pl.read_ipc_stream if format_ == "arrow" else pl.read_parquet
    nothing = f"{program.query} missing"
    empty = read(download(server, tmp_path / "empty", query=nothing, format=format_))
    assert (len(empty), empty.schema["time"]) == (0, pl.Datetime("ns", "UTC"))
    query = f"{program.query} | stats count(), max(time) as last, avg(took) as mean by severity"
    table = read(download(server, tmp_path / "table", query=query, format=format_))
    assert table.schema == {
        "severity": pl.Int64,
        "count": pl.Int64,
        "last": pl.Datetime("ns", "UTC"),
        "mean": pl.Float64,
    }
    assert dict(zip(table["severity"], table["count"], strict=True)) == {3: 1, None: 2}


def test_a_long_file_has_batches_with_different_names(
    server: Server, logs: Logstead, program: Program, tmp_path: Path
) -> None:
    logs.ingest(program.message(f"m {n}", took=n, host=f"h-{n // 100}") for n in range(MANY))
    common: dict[str, Any] = {"query": program.query, "columns": "host,took:integer"}
    stream = download(server, tmp_path / "stream", format="arrow", **common)
    file = download(server, tmp_path / "file", format="parquet", **common)
    with stream.open("rb") as opened:
        batches = list(pa.ipc.open_stream(opened))
    assert len(batches) > 1
    polars = pl.read_ipc_stream(stream).with_columns(pl.col("host").cast(pl.String))
    assert_frame_equal(polars, pl.read_parquet(file))
    assert polars.sort("took")["host"].to_list() == [f"h-{n // 100}" for n in range(MANY)]
    counted = duckdb.from_parquet(str(file)).aggregate("count(distinct host), sum(took)")
    assert counted.fetchall() == [(MANY // 100, MANY * (MANY - 1) // 2)]

from __future__ import annotations

import json
from pathlib import Path

import pytest
from between import Between, cut_body, refuse
from conftest import Program
from server import TOKEN, Server

from logstead import IncompleteAnswer, Logstead, Retry, Unavailable
from logstead._arrow import ArrowBody
from logstead._export import ExportLines

MANY = 20_000


def summary(messages: int, **other: object) -> bytes:
    end: dict[str, object] = {
        "messages": messages,
        "copies": 0,
        "missing": 0,
        "damaged_parts": 0,
        "damaged": [],
    }
    end["unfit"] = []
    return json.dumps(end | other).encode() + b"\n"


def test_an_export_has_all_messages_in_order(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message(f"m {number}") for number in range(2500)])
    rows = list(logs.export(program.query, order="oldest"))
    assert [row["message"] for row in rows] == [f"m {number}" for number in range(2500)]
    assert len(list(logs.export(program.query, limit=7))) == 7
    assert list(logs.export(f"{program.query} nothing")) == []


def test_stages_of_messages_are_exported_but_not_tables(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message("took 12", host="a"), program.message("took 7", host="b")])
    query = f'{program.query} | extract "took <ms>" | where ms>10 | fields host, ms'
    assert list(logs.export(query)) == [{"host": "a", "ms": "12"}]
    assert list(logs.export(program.query, columns=["host", "nope"], order="oldest")) == [
        {"host": "a", "nope": None},
        {"host": "b", "nope": None},
    ]
    with pytest.raises(ValueError, match="comma"):
        list(logs.export(columns=["a,b"]))
    with pytest.raises(ValueError, match="table"):
        list(logs.export(f"{program.query} | stats count() by host"))


def test_numbers_and_booleans_are_as_they_were_sent(logs: Logstead, program: Program) -> None:
    sent = {"took": 12, "share": 0.5, "ok": True, "word": "7", "tags": [1, "b"]}
    logs.ingest([program.message("x", **sent)])
    assert next(logs.export(program.query))["fields"] == sent
    assert next(logs.export(program.query, columns=["ok", "took"])) == {"ok": True, "took": 12}


def test_a_server_killed_during_an_export_is_an_error(own_server: Server) -> None:
    with own_server.client(retry=Retry(deadline=0)) as logs:
        logs.ingest([{"message": f"m {number} {'x' * 500}"} for number in range(MANY)])
        rows = logs.export()
        next(rows)
        own_server.kill()
        with pytest.raises(IncompleteAnswer, match="broke after"):
            list(rows)


@pytest.mark.parametrize("length", [1, 20, 200, 3000])
def test_an_export_that_ends_early_is_an_error(
    server: Server, logs: Logstead, program: Program, length: int
) -> None:
    logs.ingest([program.message(f"m {number}") for number in range(50)])
    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults.append(cut_body(length))
        with pytest.raises(IncompleteAnswer):
            list(client.export(program.query))
        between.faults.append(cut_body(length))
        with pytest.raises(IncompleteAnswer):
            client.to_polars(program.query)
        between.faults.append(cut_body(length))
        with pytest.raises(IncompleteAnswer):
            client.to_polars(program.query, columns=["time", "host", "message"])
        assert len(list(client.export(program.query))) == 50


def test_busy_servers_are_asked_again(server: Server, logs: Logstead, program: Program) -> None:
    logs.ingest([program.message("x")])
    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults += [refuse(503, {"Retry-After": "0"}), refuse(429), refuse(502)]
        assert len(list(client.export(program.query))) == 1
        assert len(between.requests) == 4


def test_a_deadline_ends_the_waiting(server: Server) -> None:
    problem = b'{"type": "urn:busy", "title": "Busy", "status": 503, "detail": "later"}'
    with Between(server.url) as between:
        between.faults += [refuse(503, {"Retry-After": "3600"}, problem)] * 2
        with Logstead(between.url, token=TOKEN) as client, pytest.raises(Unavailable) as raised:
            client.count()
        assert len(between.requests) == 1
        assert (raised.value.type, raised.value.detail) == ("urn:busy", "later")


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_rows_are_told_from_the_summary_however_they_arrive(size: int) -> None:
    # The last row has the form of a summary.
    body = b'{"a":1}\n' + summary(1) + summary(2)
    lines = ExportLines()
    found = [row for at in range(0, len(body), size) for row in lines.feed(body[at : at + size])]
    assert found == [b'{"a":1}', summary(1).strip()]
    assert lines.end(partial=False)["messages"] == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"a":1}\n',
        summary(1),
        summary(0).strip(),
        b'{"a":1}\n' + summary(2),
        b'{"a":1}\n' + summary(1)[:-3],
        b'{"a":1}\n' + summary(1, missing=1),
        b'{"a":1}\n' + summary(1, damaged_parts=1, damaged=["main: x"]),
    ],
)
def test_what_is_not_complete_never_looks_so(body: bytes) -> None:
    lines = ExportLines()
    lines.feed(body)
    with pytest.raises(IncompleteAnswer):
        lines.end(partial=False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        summary(1),
        b"\xff\xff\xff\xff\0\0\0\0",
        b"\xff\xff\xff\xff\0\0\0\0\n",
        b"\xff\xff\xff\xff\0\0\0\0\n" + summary(1)[:-1],
        b"\xff\xff\xff\xff\0\0\0\0\n" + summary(1, missing=1),
        b"\xff\xff\xff\xff\0\0\0\0\n" + summary(3),
        b"no end\n" + summary(1),
    ],
)
def test_a_stream_that_is_not_complete_never_looks_so(body: bytes) -> None:
    stream = ArrowBody({"took": "integer"}, rows_max=2)
    stream.feed(body)
    with pytest.raises(IncompleteAnswer):
        stream.end(partial=False)


def test_a_damaged_store_is_told(own_server: Server) -> None:
    with own_server.client() as logs:
        logs.ingest([{"message": f"m {number}"} for number in range(2000)])
        own_server.end()
        damage(own_server.folder / "data")
        own_server.start()
    with own_server.client() as logs:
        with pytest.raises(IncompleteAnswer, match="partial=True"):
            list(logs.export())
        assert len(list(logs.export(partial=True))) < 2000
        with pytest.raises(IncompleteAnswer, match="partial=True"):
            logs.to_polars(columns=["message"])
        assert len(logs.to_polars(columns=["message"], partial=True)) < 2000


def damage(data: Path) -> None:
    """Changes a byte in the middle of the largest part of the store."""
    files = [path for path in data.rglob("*") if path.is_file() and "main" in str(path)]
    largest = max(files, key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 0xFF
    largest.write_bytes(content)

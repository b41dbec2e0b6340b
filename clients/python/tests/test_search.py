from __future__ import annotations

import shutil
import subprocess
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import Program
from server import TOKEN, Server

from logstead import (
    ConnectionFailed,
    Forbidden,
    Logstead,
    NotFound,
    ProblemError,
    Retry,
    Unauthorized,
)

TIME = "2026-11-22T05:11:01.123456789Z"


def test_pages_with_equal_times_have_each_message_once(logs: Logstead, program: Program) -> None:
    sent = [program.message(f"m {number}", time=TIME) for number in range(25)]
    logs.ingest(sent)
    for order in ("newest", "oldest"):
        found = [m["message"] for m in logs.search(program.query, order=order, page_size=4)]
        assert sorted(found) == sorted(f"m {number}" for number in range(25))
    assert len(list(logs.search(program.query, page_size=4, limit=10))) == 10
    assert list(logs.search(program.query, limit=0)) == []


def test_a_search_may_have_columns(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message(f"m {number}", tags=["a", "b"], time=TIME) for number in range(5)])
    found = list(logs.search(program.query, columns=["message", "tags", "nope"], page_size=2))
    assert sorted(row["message"] for row in found) == [f"m {number}" for number in range(5)]
    assert all((row["tags"], row["nope"]) == (["a", "b"], None) for row in found)
    assert logs.message(found[0]["id"])["message"] == found[0]["message"]
    page = logs.search_page(program.query, columns=["message"], limit=1)
    assert page["rows"] is not None
    assert page["rows"][0]["values"][0].startswith("m ")


def test_a_page_leads_to_the_next(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message(f"m {number}") for number in range(5)])
    first = logs.search_page(program.query, limit=3)
    second = logs.search_page(program.query, limit=3, cursor=first["cursor"])
    assert [len(first["messages"]), len(second["messages"]), second["cursor"]] == [3, 2, None]


def test_a_range_has_a_start_and_an_end(logs: Logstead, program: Program) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
    hours = [noon + timedelta(hours=hour) for hour in range(4)]
    logs.ingest([program.message(f"at {hour.hour}", time=hour) for hour in hours])
    assert logs.count(program.query, start=hours[1], end=hours[3]) == 2
    assert logs.count(program.query, start="2026-11-20T14:30:00", timezone="Europe/Vienna") == 2
    with pytest.raises(ValueError, match="no time zone"):
        logs.count(start=datetime(2026, 11, 20))


def test_unicode_comes_back(logs: Logstead, program: Program) -> None:
    text = 'Grüße, 世界 🌍 \u2028 "quoted" \\ \t tab'
    logs.ingest([program.message(text, ключ="значение")])
    (found,) = logs.search(program.query)
    assert found["message"] == text
    assert found["fields"] == {"ключ": "значение"}
    assert logs.count(f'{program.query} "世界"') == 1
    assert [row["message"] for row in logs.export(program.query)] == [text]


def test_counts_tables_facets_and_histograms(logs: Logstead, program: Program) -> None:
    day = "2026-11-20T0{}:00:00Z"
    logs.ingest([program.message("x", host=f"web-{n % 2}", time=day.format(n)) for n in range(5)])
    assert logs.count(program.query) == 5
    table = logs.table(f"{program.query} | stats count() by host | sort -count")
    assert [column["name"] for column in table["columns"]] == ["host", "count"]
    assert table["rows"] == [["web-0", 3], ["web-1", 2]]
    facets = logs.facets(program.query, fields=["host", "nope"], limit=1)
    assert facets["fields"]["host"]["values"] == [{"value": "web-0", "count": 3}]
    assert facets["fields"]["nope"]["distinct"] == 0
    histogram = logs.histogram(
        program.query, interval="1h", by="host", start="2026-11-20", end="2026-11-21"
    )
    assert histogram["total"] == 5
    assert histogram["buckets"][0]["by"] == {"web-0": 1}


def test_a_message_and_its_context(logs: Logstead, program: Program) -> None:
    at = "2026-11-20T00:00:0{}Z"
    logs.ingest([program.message(f"m {n}", time=at.format(n)) for n in range(5)])
    middle = next(logs.search(f'{program.query} "m 2"'))
    assert logs.message(middle["id"]) == middle
    around = logs.context(middle["id"], before=1, after=1, same=["program"])
    assert [m["message"] for m in around["before"] + around["after"]] == ["m 1", "m 3"]
    assert around["more_before"]


def test_a_broken_query_says_where(logs: Logstead) -> None:
    with pytest.raises(ProblemError) as raised:
        list(logs.search("severity>=err AND"))
    error = raised.value
    assert (error.status, error.path, error.line, error.column) == (400, "query", 1, 17)
    assert error.suggestion == "severity>=err"
    assert error.request_id
    assert error.request_id in str(error)
    assert "^" in str(error)
    for ask in (logs.count, logs.table, logs.histogram, lambda query: list(logs.export(query))):
        with pytest.raises(ProblemError):
            ask("(a")


def test_refusals_have_classes(server: Server, logs: Logstead) -> None:
    with server.client(token="wrong") as stranger, pytest.raises(Unauthorized):
        stranger.count()
    token = logs.tokens.create("only-main", "analyst", logspaces=["main"])
    with server.client(token=token["token"]) as analyst:
        with pytest.raises(Forbidden):
            analyst.count(logspaces=["other"])
        with pytest.raises(NotFound):
            analyst.message("main:999999999")


def test_an_address_without_a_server_is_told_at_once() -> None:
    nobody = Logstead("http://127.0.0.1:1", retry=Retry(deadline=0))
    with nobody, pytest.raises(ConnectionFailed):
        nobody.count()
    with pytest.raises(ValueError, match="http://"):
        Logstead("127.0.0.1:8080")
    with pytest.raises(ValueError, match="https://"):
        Logstead("http://127.0.0.1", ca_file="ca.pem")


def test_the_environment_names_the_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGSTEAD_TOKEN", "LOGSTEAD_TOKEN_FILE", "LOGSTEAD_CA_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOGSTEAD_SERVER", server.url)
    file = server.folder / "token"
    file.write_text(f"{TOKEN}\n")
    monkeypatch.setenv("LOGSTEAD_TOKEN_FILE", str(file))
    with Logstead.from_env() as logs:
        assert logs.count() >= 0
    monkeypatch.setenv("LOGSTEAD_TOKEN", TOKEN)
    with pytest.raises(ValueError, match="not both"):
        Logstead.from_env()
    monkeypatch.delenv("LOGSTEAD_SERVER")
    with pytest.raises(ValueError, match="LOGSTEAD_SERVER"):
        Logstead.from_env()


def test_mistakes_in_arguments_are_not_ignored(logs: Logstead) -> None:
    with pytest.raises(TypeError, match="unknown argument 'since'"):
        logs.count("x", since="-1h")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="list of names"):
        logs.count("x", logspaces="main")
    with pytest.raises(TypeError, match="list of names"):
        logs.facets(fields="host")
    with pytest.raises(ProblemError):
        logs.count("x", logspaces=[])


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_of_ones_own_is_trusted_if_it_is_named(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    make += (
        f" -subj /CN=logstead -addext subjectAltName=IP:127.0.0.1 -keyout {key} -out {certificate}"
    )
    subprocess.run(make.split(), check=True, capture_output=True)
    tls = Server(tmp_path, f"web.tls.certificate={certificate}", f"web.tls.key={key}")
    try:
        with tls.client(ca_file=certificate) as logs:
            assert logs.count() == 0
        with tls.client() as stranger:
            began = time.monotonic()
            with pytest.raises(ConnectionFailed, match="CERTIFICATE_VERIFY_FAILED"):
                stranger.count()
            assert time.monotonic() - began < 10, "it is not tried again"
    finally:
        tls.end()

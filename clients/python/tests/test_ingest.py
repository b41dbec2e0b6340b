from __future__ import annotations

import gzip
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from between import Between, Handler, lose_answer, refuse
from conftest import Program
from server import TOKEN, Server

from logstead import ConnectionFailed, Logstead, ProblemError, Retry, Unavailable, _ingest

QUICK = Retry(deadline=20, first_wait=0.01)


def test_objects_and_texts_are_stored(logs: Logstead, program: Program) -> None:
    moment = datetime(2026, 11, 22, 6, 11, 1, 5, tzinfo=timezone(timedelta(hours=1)))
    answer = logs.ingest([program.message("hello", time=moment, status=200, tags=["a", "b"])])
    assert answer == {"accepted": 1, "dropped": 0, "rejected": 0, "errors": []}
    (found,) = logs.search(program.query)
    assert found["time"] == "2026-11-22T05:11:01.000005Z"
    assert found["fields"] == {"status": "200", "tags": ["a", "b"]}

    line = f"<13>Nov 22 05:11:01 web1 {program.name}: a text"
    assert logs.ingest([line], format="auto", logspace="other")["accepted"] == 1
    assert next(logs.search(program.query, logspaces=["other"]))["host"] == "web1"
    assert logs.ingest([]) == {"accepted": 0, "dropped": 0, "rejected": 0, "errors": []}


def test_a_lost_answer_stores_nothing_twice(
    server: Server, logs: Logstead, program: Program
) -> None:
    with Between(server.url) as between:
        with Logstead(between.url, token=TOKEN, retry=QUICK) as client:
            between.faults += [lose_answer, refuse(503), lose_answer]
            answer = client.ingest([program.message(f"m {number}") for number in range(10)])
        assert answer["accepted"] == 10
        assert len(between.requests) == 4
        assert len({request[2]["idempotency-key"] for request in between.requests}) == 1
    assert logs.count(program.query) == 10


def test_a_key_makes_a_whole_call_repeatable(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ingest, "MESSAGES_IN_BODY", 3)
    messages = [program.message(f"m {number}") for number in range(10)]
    for _ in range(2):
        assert logs.ingest(messages, key=program.name)["accepted"] == 10
    assert logs.count(program.query) == 10


def test_large_input_is_split_and_compressed(
    server: Server, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ingest, "BYTES_IN_BODY", 10_000)
    with Between(server.url) as between:
        with Logstead(between.url, token=TOKEN) as client:
            sent = (program.message(f"m {number} {'x' * 1000}") for number in range(30))
            assert client.ingest(sent)["accepted"] == 30
            assert client.count(program.query) == 30
        sent_bodies = [(headers, body) for _, _, headers, body in between.requests[:-1]]
    assert len(sent_bodies) > 3
    for headers, body in sent_bodies[:-1]:
        assert headers["content-encoding"] == "gzip"
        assert len(gzip.decompress(body)) <= 10_000


def test_bodies_too_long_for_the_server_are_halved(server: Server, program: Program) -> None:
    token = TOKEN
    with server.client() as logs:
        made = logs.tokens.create(f"small-{program.name[:8]}", "ingest", limits={"body_bytes": 900})
        token = made["token"]
        with server.client(token=token) as small:
            messages = [program.message(f"m {number}") for number in range(40)]
            assert small.ingest(messages)["accepted"] == 40
            with pytest.raises(ProblemError) as raised:
                small.ingest([program.message("y" * 2000)])
            assert raised.value.status == 413
        found = [message["message"] for message in logs.search(program.query, order="oldest")]
        assert found == [f"m {number}" for number in range(40)]


def test_bad_messages_do_not_stop_the_others(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ingest, "MESSAGES_IN_BODY", 2)
    deep: dict[str, Any] = {"a": 1}
    for _ in range(40):
        deep = {"a": deep}
    good = program.message("good")
    answer = logs.ingest([good, good, deep, deep, good, deep])
    assert (answer["accepted"], answer["rejected"]) == (3, 3)
    assert [error["line"] for error in answer["errors"]] == [3, 4, 6]
    with pytest.raises(ProblemError) as raised:
        logs.ingest([deep, deep, deep])
    assert raised.value.ingested is not None
    assert raised.value.ingested["rejected"] == 3


def test_atomic_stores_all_or_nothing(
    logs: Logstead, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep: Any = 1
    for _ in range(40):
        deep = {"a": deep}
    with pytest.raises(ProblemError):
        logs.ingest([program.message("good"), deep], atomic=True)
    assert logs.count(program.query) == 0
    monkeypatch.setattr(_ingest, "MESSAGES_IN_BODY", 2)
    with pytest.raises(ValueError, match="atomic"):
        logs.ingest([program.message("good")] * 3, atomic=True)
    assert logs.count(program.query) == 0


def test_an_error_says_what_was_stored_before_it(
    server: Server, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ingest, "MESSAGES_IN_BODY", 5)

    def second_time(handler: Handler, body: bytes) -> bool:
        handler.answer(*handler.ask(body))
        return True

    with Between(server.url) as between:
        between.faults += [second_time, refuse(503, {"Retry-After": "100"})]
        with Logstead(between.url, token=TOKEN) as client, pytest.raises(Unavailable) as raised:
            client.ingest([program.message("x")] * 10)
    assert raised.value.ingested is not None
    assert raised.value.ingested["accepted"] == 5


def test_a_lost_answer_to_what_cannot_be_repeated_is_an_error(
    server: Server, logs: Logstead, program: Program
) -> None:
    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults.append(lose_answer)
        with pytest.raises(ConnectionFailed):
            client.tokens.create(program.name, "analyst")
    assert [token["name"] for token in logs.tokens.list()].count(program.name) == 1


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ("a text", TypeError),
        ({"message": "x"}, TypeError),
        ([{"message": "x"}, "text"], TypeError),
        ([7], TypeError),
        (["two\nlines"], ValueError),
        ([" "], ValueError),
        ([{"message": float("nan")}], ValueError),
        ([{"message": "\ud800"}], ValueError),
        ([{"message": object()}], TypeError),
        ([{"message": "x", "time": datetime(2026, 1, 1)}], ValueError),
    ],
)
def test_input_that_means_nothing_is_refused(
    logs: Logstead, messages: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        logs.ingest(messages)

from __future__ import annotations

import json
import logging
import threading

import pytest
from between import Between, break_after, refuse
from conftest import Program
from server import TOKEN, Server

from logstead import Logstead, Loss, ProblemError, Retry, Unauthorized
from logstead._tail import Event, EventStream, TailState

QUICK = Retry(deadline=20, first_wait=0.01)


def take(tail: object, number: int) -> list[str]:
    return [next(tail)["message"] for _ in range(number)]  # type: ignore[call-overload]


def test_a_tail_has_each_message_once_across_a_restart(own_server: Server) -> None:
    with own_server.client() as logs:
        with logs.tail("m") as tail:
            logs.ingest([{"message": f"m {number}"} for number in range(700)])
            assert take(tail, 700) == [f"m {number}" for number in range(700)]

            def restart() -> None:
                own_server.restart()
                with own_server.client() as other:
                    other.ingest([{"message": f"m {number}"} for number in range(700, 720)])

            restarting = threading.Thread(target=restart)
            restarting.start()
            assert take(tail, 20) == [f"m {number}" for number in range(700, 720)]
            restarting.join()
            position = tail.position
        logs.ingest([{"message": "m 720"}])
        with logs.tail("m", since=position) as tail:
            # The position moves on when the next message is asked for.
            assert take(tail, 1)[0] in {"m 700", "m 720"}


def test_a_tail_may_begin_with_stored_messages(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message(f"m {number}") for number in range(5)])
    with logs.tail(program.query, last=3) as tail:
        assert take(tail, 3) == ["m 2", "m 3", "m 4"]
        logs.ingest([program.message("m 5")])
        assert take(tail, 1) == ["m 5"]
        assert tail.status is not None


def test_a_broken_connection_repeats_and_skips_nothing(
    server: Server, logs: Logstead, program: Program
) -> None:
    logs.ingest([program.message("m 0")])
    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults += [break_after(length) for length in (60, 150, 400, 700, 900)]
        between.faults.insert(2, refuse(503))
        with client.tail(program.query, last=1, retry=QUICK) as tail:
            assert take(tail, 1) == ["m 0"]
            for number in range(1, 30):
                logs.ingest([program.message(f"m {number}")])
                assert take(tail, 1) == [f"m {number}"]
        assert len(between.requests) >= 5


def test_a_sampled_tail_says_what_it_lost(own_server: Server) -> None:
    own_server.settings = ("limits.tail_rate_max=10",)
    own_server.restart()
    losses: list[Loss] = []
    with own_server.client() as logs, logs.tail(on_loss=losses.append) as tail:

        def send() -> None:
            while not losses:
                logs.ingest([{"message": f"m {number}"} for number in range(100)])

        sender = threading.Thread(target=send)
        sender.start()
        for _ in tail:
            if losses:
                break
        sender.join()
    assert losses
    assert losses[0].messages is not None
    assert "one in" in losses[0].reason


def test_what_is_wrong_for_good_ends_a_tail(server: Server, logs: Logstead) -> None:
    with pytest.raises(ProblemError) as raised:
        next(logs.tail("(a"))
    assert raised.value.column == 1
    with server.client(token="wrong") as stranger, pytest.raises(Unauthorized):
        next(stranger.tail())
    with pytest.raises(ProblemError):
        next(logs.tail(since="nonsense"))
    with pytest.raises(ValueError, match="range"):
        logs.tail(start="-1h")


# Without a server


def event(name: str, position: str, **data: object) -> Event:
    return Event(name, position, json.dumps(data))


def status(position: str, **changes: object) -> Event:
    counts: dict[str, object] = {"received": 0, "matched": 0, "shown": 0, "sampled_one_in": None}
    return event("status", position, **(counts | {"behind": 0, "last_match": None} | changes))


def follow(state: TailState, *events: Event) -> dict[str, str]:
    """Takes events; returns where a new connection continues."""
    for taken in events:
        state.passed(taken, len(state.take(taken)))
    call = state.call()
    return call.params | call.headers


def test_a_tail_continues_behind_what_was_taken() -> None:
    losses: list[Loss] = []

    def state(last: int | None) -> TailState:
        return TailState("", last, None, losses.append, {})

    assert follow(state(None), status("p1"))["Last-Event-ID"] == "p1"
    stored = [event("messages", "p1", messages=[{}, {}]), event("messages", "p1", messages=[{}])]
    # Nothing stored has come: begin again. All have come: continue. Some: say so.
    again = follow(state(3), status("p1"))
    assert "Last-Event-ID" not in again
    assert again["last"] == "3"
    assert follow(state(3), status("p1"), *stored)["Last-Event-ID"] == "p1"
    assert losses == []
    assert follow(state(3), status("p1"), stored[0])["Last-Event-ID"] == "p1"
    assert [loss.messages for loss in losses] == [1]
    assert follow(state(3), status("p1"), status("p2"))["Last-Event-ID"] == "p2"
    live = event("messages", "p2", messages=[{}])
    assert follow(state(3), status("p1"), live)["Last-Event-ID"] == "p2"


def test_losses_are_told(caplog: pytest.LogCaptureFixture) -> None:
    losses: list[Loss] = []
    state = TailState("", None, None, losses.append, {})
    gap = event("gap", "p1", messages=7, reason="retention has removed them")
    sampled = status("p2", matched=10, shown=4, sampled_one_in=3)
    follow(state, gap, sampled)
    assert [loss.messages for loss in losses] == [7, 6, None]
    logging.getLogger("logstead").setLevel(logging.WARNING)
    logged = TailState("", None, None, __import__("logstead")._tail.log_loss, {})
    follow(logged, gap)
    assert "the tail lost 7 messages: retention has removed them" in caplog.text


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_events_are_read_however_they_arrive(size: int, end: str) -> None:
    text = ": hello||event: a|id: 1|data: ü|data:b||data: c||event: cut|data: off"
    body = text.replace("|", end).encode()
    stream = EventStream()
    found = [
        event for at in range(0, len(body), size) for event in stream.feed(body[at : at + size])
    ]
    assert found == [Event("a", "1", "ü\nb"), Event("message", "1", "c")]

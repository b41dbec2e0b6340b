from __future__ import annotations

import pytest
from between import Between, Handler, refuse
from conftest import Program
from server import TOKEN, Server

from logstead import Conflict, Forbidden, Logstead, NotFound, ProblemError, Unauthorized


def test_tokens(server: Server, logs: Logstead, program: Program) -> None:
    made = logs.tokens.create(program.name, "ingest", limits={"messages_per_second": 1000})
    listed = {token["id"]: token for token in logs.tokens.list()}
    assert listed[made["id"]]["limits"] == {"messages_per_second": 1000}
    rotated = logs.tokens.rotate(made["id"])
    with server.client(token=rotated["token"]) as sender:
        assert sender.ingest([program.message("x")])["accepted"] == 1
        with pytest.raises(Forbidden):
            sender.count()
        logs.tokens.remove(made["id"])
        with pytest.raises(Unauthorized):
            sender.ingest([program.message("x")])
    with pytest.raises(ProblemError) as raised:
        logs.tokens.create("Not A Name", "analyst")
    assert raised.value.path == "name"


def test_users(logs: Logstead, program: Program) -> None:
    name = program.name
    made = logs.users.create(name, "a long enough passphrase", "analyst", logspaces=["main"])
    assert (made["role"], made["logspaces"]) == ("analyst", ["main"])
    changed = logs.users.change(name, "operator", logspaces=None, scope=None)
    assert (changed["role"], changed["logspaces"]) == ("operator", None)
    logs.users.disable(name)
    assert next(user for user in logs.users.list() if user["name"] == name)["disabled"]
    logs.users.enable(name)
    logs.users.set_password(name, "another long passphrase")
    logs.users.remove(name)
    with pytest.raises(NotFound):
        logs.users.remove(name)
    with pytest.raises(Conflict):
        logs.users.change("admin", "analyst", logspaces=None, scope=None)


def test_saved_searches(logs: Logstead, program: Program) -> None:
    folder = program.name
    for number in range(3):
        made = logs.saved_searches.create(
            name=f"s {number}", folder=folder, query="severity>=err", start="-1h", shared=True
        )
    assert (made["from"], made["mine"]) == ("-1h", True)
    changed = logs.saved_searches.replace(
        made["id"], name="t", folder=folder, shared=True, end="now"
    )
    assert (changed["name"], changed["from"], changed["to"]) == ("t", None, "now")
    logs.saved_searches.remove(made["id"])
    names = [search["name"] for search in logs.saved_searches.list() if search["folder"] == folder]
    assert sorted(names) == ["s 0", "s 1"]
    with pytest.raises(Conflict):
        logs.saved_searches.create(name="s 0", folder=folder, shared=True)


def test_a_long_list_of_saved_searches_is_whole(server: Server) -> None:
    """The server sends it in parts, however long those are."""

    def part(number: int) -> object:
        def fault(handler: Handler, _body: bytes) -> bool:
            cursor = f'"{number + 1}"' if number < 2 else "null"
            body = f'{{"saved_searches": [{{"id": {number}}}], "cursor": {cursor}}}'
            handler.answer(200, {}, body.encode())
            return True

        return fault

    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults += [part(number) for number in range(3)]  # type: ignore[misc]
        assert [search["id"] for search in client.saved_searches.list()] == [0, 1, 2]
        paths = [path for _, path, _, _ in between.requests]
        assert paths == [f"/api/v1/saved-searches{end}" for end in ("", "?cursor=1", "?cursor=2")]


def test_a_long_list_of_revisions_is_whole(server: Server) -> None:
    page = b'{"revisions": [{"revision": 2}], "cursor": "next"}'
    rest = b'{"revisions": [{"revision": 1}], "cursor": null}'
    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults += [refuse(200, body=page), refuse(200, body=rest)]
        assert [revision["revision"] for revision in client.router.revisions()] == [2, 1]
        assert between.requests[1][1].endswith("?cursor=next")


def test_the_router_document(own_server: Server) -> None:
    with own_server.client() as logs:
        first = logs.router.get()
        text = logs.router.get_toml()
        assert first.revision == text.revision
        toml = f"# a comment\n{text.toml}"
        change = logs.router.put(toml, revision=first.revision, comment="a comment")
        assert logs.router.get_toml().toml.startswith("# a comment")
        with pytest.raises(Conflict) as raised:
            logs.router.put(first.document, revision=first.revision)
        assert raised.value.status == 412

        live = logs.router.get()
        live.document["logspaces"].append({"id": "audit", "retention": {"age": "365d"}})
        assert logs.router.validate(live.document)["changes"]
        second = logs.router.put(live.document, revision=live.revision, confirm_within="10m")
        assert logs.router.status()["unconfirmed"]
        logs.router.confirm(revision=second["revision"])
        assert "audit" in logs.router.diff(change["revision"], second["revision"])["text"]
        assert "audit" in [logspace["id"] for logspace in logs.logspaces.list()]

        logs.logspaces.put("audit", retention={"age": "30d"}, comment="shorter")
        audit = next(space for space in logs.logspaces.list() if space["id"] == "audit")
        assert audit["retention"]["age"] == "30d"
        back = logs.router.roll_back(first.revision)
        assert back["revision"] == max(revision["revision"] for revision in logs.router.revisions())
        logs.router.put(live.document, revision="*")


def test_all_problems_of_a_document(logs: Logstead) -> None:
    toml = 'version = 1\n[[routes]]\nid = "r"\nwhere = "(a"\nto = ["nowhere"]\n'
    checked = logs.router.validate(toml)
    assert not checked["valid"]
    with pytest.raises(ProblemError) as raised:
        logs.router.put(toml, revision=logs.router.get().revision)
    assert raised.value.problems
    assert raised.value.problems[0]["path"] in str(raised.value)


def test_a_weak_tag_is_a_revision(server: Server) -> None:
    """A proxy that compresses weakens tags."""

    def weaken(handler: Handler, body: bytes) -> bool:
        status, headers, content = handler.ask(body)
        tag = headers.pop("etag")
        handler.answer(status, headers | {"ETag": f"W/{tag}"}, content)
        return True

    with Between(server.url) as between, Logstead(between.url, token=TOKEN) as client:
        between.faults.append(weaken)
        assert client.router.get().revision == client.router.get().revision

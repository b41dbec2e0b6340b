"""The calls of calls.txt, made with the client that openapi-generator makes for Python."""

import os
import sys
from collections.abc import Callable
from typing import Any

import openapi_client as api

configuration = api.Configuration(
    host=os.environ["LOGSTEAD_SERVER"], access_token=os.environ["LOGSTEAD_TOKEN"]
)
client = api.ApiClient(configuration)
search, router = api.SearchApi(client), api.RouterApi(client)
accounts, logspaces = api.AccountsApi(client), api.LogspacesApi(client)
ingest, system = api.IngestApi(client), api.SystemApi(client)
saved_searches, senders = api.SavedSearchesApi(client), api.SendersApi(client)

QUERY = "program=calls"
failed: list[str] = []


def attempt(name: str, call: Callable[[], Any]) -> None:
    try:
        told = call()
    except Exception as error:  # noqa: BLE001
        told = repr(error)[:500]
    if told is True:
        print("ok", name, flush=True)
    else:
        failed.append(name)
        print(f"no {name}: {told}", flush=True)


def send(media: str, body: object, host: str | None = None) -> int:
    """Sends a body whose type is not the one that the method for it takes."""
    request = client.param_serialize(
        method="POST",
        resource_path="/api/v1/ingest",
        query_params=[] if host is None else [("host", host)],
        header_params={"Content-Type": media, "Accept": "application/json"},
        body=body,
        auth_settings=["bearerAuth"],
    )
    response = client.call_api(*request)
    response.read()
    return client.response_deserialize(response, {"200": "Ingested"}).data.accepted


def tail() -> bool:
    response = search.tail_messages_without_preload_content(query=QUERY, last=2)
    for line in response:
        for part in line.decode().splitlines():
            if part.startswith("data:"):
                event = api.TailEvent.from_json(part[5:]).actual_instance
                if isinstance(event, api.MessagesTailEvent):
                    response.close()
                    return len(event.messages) == 2
    return False


attempt("ingest_text", lambda: send("text/plain", "disk is full", "nas-1") == 1)
one = {"message": "one", "program": "calls", "tags": ["a", "b"]}
attempt("ingest_object", lambda: send("application/json", one) == 1)
two = [{"message": "two", "program": "calls", "n": 2}, {"message": "three", "program": "calls", "n": 3}]
attempt("ingest_list", lambda: ingest.ingest_messages(two, idempotency_key="two").accepted == 2)
four = '{"message": "four", "program": "calls", "n": 4}\n'
attempt("ingest_ndjson", lambda: send("application/x-ndjson", four) == 1)

page = search.search_messages(api.SearchRequest(query=QUERY, limit=3))
attempt("search", lambda: len(page.messages) == 3 and page.cursor is not None)
following = search.search_messages(api.SearchRequest(query=QUERY, limit=3, cursor=page.cursor))
attempt("next_page", lambda: following.messages[0].fields["tags"].actual_instance == ["a", "b"])
attempt("count", lambda: search.count_messages(api.CountRequest(query=QUERY)).count == 4)
asked = api.HistogramRequest(query=QUERY, by="program")
attempt("histogram", lambda: search.compute_histogram(asked).total == 4)
fields = api.FacetsRequest(query=QUERY, fields=["n"])
attempt("facets", lambda: search.compute_facets(fields).fields["n"].distinct == 3)
table = api.AggregateRequest(query=f"{QUERY} | stats count()")
attempt("aggregate", lambda: search.aggregate_messages(table).rows[0][0].actual_instance == 4)


def export() -> bool:
    response = search.export_messages_without_preload_content(query=QUERY)
    return len(response.read().splitlines()) == 4


attempt("export", export)
attempt("tail", tail)

live = router.get_router_with_http_info()
document = live.data
attempt("get_router", lambda: len(document.sources) == 2)
document.logspaces.append(api.Logspace(id="new", durability="fsync", retention=api.Retention()))
attempt("validate_router", lambda: router.validate_router(document).valid)
etag = (live.headers or {}).get("ETag") or (live.headers or {}).get("etag")
attempt("put_router", lambda: router.put_router(etag, document, confirm_within="1h").revision == 2)
attempt("confirm_router", lambda: router.confirm_router() is not None)
trace = api.TraceRequest(raw="<11>a", source="syslog")
attempt("trace_message", lambda: len(router.trace_message(trace).routes) == 2)
draft = api.RouterTestRequest(document=document.to_dict(), query=QUERY)
attempt("test_router", lambda: router.test_router(draft) is not None)
attempt("get_router_status", lambda: router.get_router_status() is not None)
attempt("list_revisions", lambda: len(router.list_revisions().revisions) == 2)
attempt("roll_back_router", lambda: router.roll_back_router(1).revision == 3)

attempt("list_senders", lambda: len(senders.list_senders().senders) > 0)
attempt("list_logspaces", lambda: len(logspaces.list_logspaces().logspaces) > 1)
retention = api.LogspaceRequest(retention=api.Retention(age="30d"))
attempt("put_logspace", lambda: logspaces.put_logspace("other", retention).revision > 3)
attempt("verify_logspace", lambda: logspaces.verify_logspace("main") is not None)
csv = "host,owner\nweb-1,shop\n"
attempt("put_lookup", lambda: router.put_lookup("hosts.csv", csv.encode()) is None)
attempt("get_lookup", lambda: "web-1,shop" in router.get_lookup("hosts.csv"))

created = accounts.create_token(api.TokenRequest(name="calls", role="ingest"))
attempt("create_token", lambda: created.token != "")
change = api.TokenChange(name="renamed")
attempt("update_token", lambda: accounts.update_token(created.id, change).name == "renamed")
attempt("list_tokens", lambda: len(accounts.list_tokens().tokens) > 0)
attempt("delete_token", lambda: accounts.delete_token(created.id) is None)
analyst = api.UserChange(
    role="analyst", logspaces=None, scope=None, password="a long enough passphrase"
)
attempt("put_user", lambda: accounts.put_user("ana", analyst).name == "ana")
attempt("list_users", lambda: len(accounts.list_users().users) > 0)
everything = api.SavedSearchRequest(name="all", query="*", shared=True)
attempt("create_saved_search", lambda: saved_searches.create_saved_search(everything).id > 0)
attempt("list_saved_searches", lambda: saved_searches.list_saved_searches() is not None)
attempt("list_audit", lambda: len(accounts.list_audit_entries().entries) > 0)
attempt("about", lambda: system.get_about().version != "")
attempt("openapi", lambda: system.get_openapi() is not None)
sys.exit(1 if failed else 0)

"""The examples of docs/reference, which shows what is between the markers. They run one by one."""

import os

import httpx

from logstead import Logstead

logs = Logstead.from_env()

# example: send
stored = logs.ingest(
    [
        {
            "host": "web-1",
            "program": "shop",
            "level": "error",
            "message": "timed out",
            "took_ms": 1250,
        },
        {"host": "web-2", "program": "shop", "level": "info", "message": "GET /cart", "took_ms": 3},
    ]
)
print(stored["accepted"], "stored")
# end

# example: lines
stored = logs.ingest(["disk is almost full", "disk is full"], host="nas-1")
print(stored["accepted"], "stored")
# end

# example: search
for message in logs.search("program=shop severity>=warning", start="-1h"):
    print(message["host"], message["message"])
# end

# example: columns
for row in logs.search("program=shop", columns=["host", "took_ms"], order="oldest"):
    print(row["host"], row["took_ms"])
# end

# example: context
found = logs.search_page("program=shop", order="oldest", limit=1)
around = logs.context(found["messages"][0]["id"], before=5, after=5, same=["program"])
print(len(around["before"]), "before,", len(around["after"]), "after")
# end

# example: count
print(logs.count("program=shop took_ms>1000", start="-1h"), "slow")
# end

# example: histogram
histogram = logs.histogram("program=shop", start="-1h", buckets=60, by="host")
print(sum(bucket["count"] for bucket in histogram["buckets"]), "of", histogram["total"])
# end

# example: facets
facets = logs.facets("program=shop", fields=["host"], limit=10)
print(facets["fields"]["host"]["distinct"], "hosts")
# end

# example: table
table = logs.table("program=shop | stats count(), max(took_ms) as slowest")
print(*[column["name"] for column in table["columns"]])
print(*[f"{cell:g}" for cell in table["rows"][0]])
# end

# example: export
for row in logs.export("program=shop", start="-1d", order="oldest"):
    print(row["message"])
# end

# example: tail
with logs.tail("program=shop", last=1) as tail:
    for message in tail:
        print(message["message"])
        break
# end

# example: apply
document = """
version = 1
[[sources]]
id = "http"
kind = "http"
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
"""
live = logs.router.get()
change = logs.router.put(document, revision=live.revision, comment="from a file")
print("revision", change["revision"])
# end

# example: edit
live = logs.router.get()
live.document["logspaces"].append({"id": "audits", "retention": {"age": "365d"}})
change = logs.router.put(live.document, revision=live.revision)
print("revision", change["revision"])
# end

# example: logspace
change = logs.logspaces.put("audits", retention={"age": "730d", "size": "10GiB"})
print("revision", change["revision"])
# end

# example: token
token = logs.tokens.create("shop", "ingest", limits={"messages_per_second": 1000})
secret = token["token"]  # the server never tells it again
print(token["name"], token["role"], "*" * min(len(secret), 3))
# end

# example: user
user = logs.users.create("ana", "a long enough passphrase", "analyst", logspaces=["main"])
print(user["name"], user["role"])
# end

# example: saved-search
saved = logs.saved_searches.create(name="errors", query="severity>=err", start="-1h", shared=True)
print(saved["name"], saved["query"])
# end

# example: audit
answer = httpx.get(
    f"{os.environ['LOGSTEAD_SERVER']}/api/v1/audit",
    params={"limit": 1},
    headers={"Authorization": f"Bearer {os.environ['LOGSTEAD_TOKEN']}"},
)
print(answer.json()["entries"][0]["action"])
# end

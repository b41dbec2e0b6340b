"""Elasticsearch's client for Python, by its helper for bulk requests: elastic.py VERSION HOST TOKEN."""

import importlib
import json
import sys
import time

version, host, token = sys.argv[1:]
elasticsearch = importlib.import_module(f"elasticsearch{version}")
helpers = importlib.import_module(f"elasticsearch{version}.helpers")

client = elasticsearch.Elasticsearch(f"http://{host}", api_key=token)


def answers():
    """Asks who is there, as applications do when they start."""
    return client.info()["version"]["number"].startswith(f"{version}.")


assert answers(), client.info()


def send(texts):
    actions = [{"_op_type": "create", "_index": "logs", "message": text} for text in texts]
    # The client tries again at once and gives up after three times, so waiting is up to the application.
    for _ in range(600):
        try:
            helpers.bulk(client, actions, max_retries=10)
            return
        except elasticsearch.ConnectionError:
            time.sleep(0.1)
    sys.exit("there was no connection for a minute")


waiting = []
for line in sys.stdin:
    waiting.append(json.loads(line))
    if len(waiting) == 500:
        send(waiting)
        waiting = []
send(waiting)

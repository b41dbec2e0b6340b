"""Handlers of other projects for Python's own logging: logging_handler.py NAME HOST TOKEN."""

import json
import logging
import sys

name, host, token = sys.argv[1:]
address, port = host.split(":")


class Plain:
    """The message alone: the library's own formatter makes JSON of it, with times in it."""

    def format(self, record):
        return record.getMessage(), {}


def handler():
    if name == "pygelf":
        from pygelf import GelfTcpHandler

        return GelfTcpHandler(host=address, port=int(port))
    if name == "graypy":
        from graypy import GELFUDPHandler

        return GELFUDPHandler(address, int(port))
    if name == "python-logging-loki":
        from logging_loki import LokiHandler

        url = f"http://{host}/loki/api/v1/push"
        return LokiHandler(url=url, tags={"service": "clients"}, auth=("any", token), version="1")
    if name == "loki-logger-handler":
        from loki_logger_handler.loki_logger_handler import LokiLoggerHandler

        return LokiLoggerHandler(
            url=f"http://{host}/loki/api/v1/push",
            labels={"service": "clients"},
            timeout=1,
            default_formatter=Plain(),
            message_in_json_format=False,
            additional_headers={"Authorization": f"Bearer {token}"},
        )
    if name == "splunk-handler":
        from splunk_handler import SplunkHandler

        return SplunkHandler(
            host=address, port=port, token=token, index="main", protocol="http", verify=False,
            retry_count=20, retry_backoff=0.1, queue_size=0, flush_interval=1,
        )
    if name == "splunk-hec-handler":
        from splunk_hec_handler import SplunkHecHandler

        return SplunkHecHandler(address, token, port=int(port), proto="http", ssl_verify=False)
    sys.exit(f"no handler {name}")


logger = logging.getLogger("clients")
logger.propagate = False
logger.setLevel(logging.INFO)
logger.addHandler(handler())
# A handler tells on standard error what it could not send, and goes on.
logging.raiseExceptions = True
for line in sys.stdin:
    logger.info(json.loads(line))
logging.shutdown()

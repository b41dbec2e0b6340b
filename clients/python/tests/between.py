"""A server in front of the real one that answers some requests itself, or breaks them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

Fault = Callable[["Handler", bytes], bool]
"""Handles a request in place of the server, and returns true; or returns false."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    between: Between

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self.pass_on()

    def do_POST(self) -> None:
        self.pass_on()

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.between.requests.append((self.command, self.path, headers, body))
        with self.between.lock:
            fault = self.between.faults.pop(0) if self.between.faults else None
        if fault is not None and fault(self, body):
            return
        if "/tail?" in self.path:
            self.relay(None)
        else:
            self.answer(*self.ask(body))

    def ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection(self.between.host, timeout=30)
        try:
            headers = dict(self.headers) | {"Accept-Encoding": "identity"}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def relay(self, length: int | None) -> None:
        """Passes on an answer as it comes, and breaks it after this many bytes."""
        connection = HTTPConnection(self.between.host, timeout=30)
        connection.request("GET", self.path, headers=dict(self.headers))
        response = connection.getresponse()
        self.send_response(response.status)
        self.send_header("Content-Type", response.headers["Content-Type"])
        self.end_headers()
        with closing(connection), suppress(OSError):  # the client may have gone
            while length != 0 and (byte := response.read(1)):
                self.wfile.write(byte)
                length = None if length is None else length - 1
        self.hang_up()

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in {"transfer-encoding", "content-length", "trailer", "date"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class Between:
    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.lock = threading.Lock()
        handler = type("Bound", (Handler,), {"between": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Between:
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.server.shutdown()
        self.server.server_close()


def refuse(status: int, headers: dict[str, str] | None = None, body: bytes = b"{}") -> Fault:
    """Answers with this status, without asking the server."""

    def fault(handler: Handler, _body: bytes) -> bool:
        handler.answer(status, headers or {}, body)
        return True

    return fault


def lose_answer(handler: Handler, body: bytes) -> bool:
    """Lets the server do its work, and breaks the connection in place of the answer."""
    handler.ask(body)
    handler.hang_up()
    return True


def break_after(length: int) -> Fault:
    """Passes on the first bytes of a tail, and breaks the connection."""

    def fault(handler: Handler, _body: bytes) -> bool:
        handler.relay(length)
        return True

    return fault


def cut_body(length: int) -> Fault:
    """Ends the answer early, in a way that looks complete on the wire."""

    def fault(handler: Handler, body: bytes) -> bool:
        status, headers, content = handler.ask(body)
        handler.answer(status, headers, content[:-length])
        return True

    return fault

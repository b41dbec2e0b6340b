"""The settings of httpx that both clients use, and its errors as ours."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from ._call import Answer, Call
from ._retry import Retry
from .errors import ConnectionFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_SECRET = 64 << 10


@dataclass(frozen=True)
class Server:
    """A server, and the credentials for it."""

    url: str
    token: str | None = field(repr=False)
    ca_file: str | os.PathLike[str] | None
    timeout: float
    retry: Retry

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"{self.url!r} is not an address: start it with http:// or https://")
        if self.ca_file is not None and not self.url.startswith("https://"):
            raise ValueError("ca_file is only for an address that begins with https://")

    def settings(self) -> dict[str, Any]:
        """Return the arguments of an httpx client."""
        headers = {"User-Agent": f"logstead-python/{version('logstead')}"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        context: ssl.SSLContext | bool = True
        if self.url.startswith("https://"):  # httpx would trust authorities of its own
            file = None if self.ca_file is None else os.fspath(self.ca_file)
            context = ssl.create_default_context(cafile=file)
        return {
            "base_url": f"{self.url.rstrip('/')}/api/v1/",
            "headers": headers,
            "timeout": self.timeout,
            "verify": context,
        }

    def __str__(self) -> str:
        return self.url


def server_of_environment(environment: Mapping[str, str], timeout: float, retry: Retry) -> Server:
    """Read the variables that the command line reads as well."""
    url = environment.get("LOGSTEAD_SERVER")
    if not url:
        raise ValueError("set LOGSTEAD_SERVER to the address of the server")
    token, file = environment.get("LOGSTEAD_TOKEN"), environment.get("LOGSTEAD_TOKEN_FILE")
    if token and file:
        raise ValueError("set LOGSTEAD_TOKEN or LOGSTEAD_TOKEN_FILE, but not both")
    if file:
        token = _secret(Path(file))
    return Server(url, token or None, environment.get("LOGSTEAD_CA_FILE") or None, timeout, retry)


def _secret(path: Path) -> str:
    with path.open("rb") as file:
        text = file.read(_LONGEST_SECRET + 1)
    lines = text.decode().splitlines()
    if len(text) > _LONGEST_SECRET or len(lines) != 1 or not lines[0]:
        raise ValueError(f"LOGSTEAD_TOKEN_FILE: {path} does not have exactly one line, the token")
    return lines[0]


def request_of(call: Call[Any]) -> dict[str, Any]:
    """Return the arguments of an httpx request."""
    return {
        "method": call.method,
        "url": call.path,
        "params": call.params,
        "headers": call.headers,
        "content": call.body,
    }


def failure_of(error: httpx.RequestError) -> ConnectionFailed:
    """Make our error of one of httpx."""
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    not_sent = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
    return ConnectionFailed(detail, was_sent=not isinstance(error, not_sent))


def is_lasting(error: BaseException | None) -> bool:
    """Tell whether a failure is the same at each attempt: a certificate is not trusted."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def stream_timeout(silence: float, timeout: float) -> httpx.Timeout:
    """Make the timeouts of a stream that is never silent for long."""
    return httpx.Timeout(timeout, read=silence)


def answer_of(response: httpx.Response) -> Answer:
    """Make our answer of one of httpx, whose body has been read."""
    return Answer(response.status_code, response.headers, response.content)

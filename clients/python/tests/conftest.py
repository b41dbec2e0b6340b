from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from server import Server

from logstead import Logstead


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that do not stop it: each has programs of its own."""
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.end()


@pytest.fixture
def logs(server: Server) -> Iterator[Logstead]:
    with server.client() as client:
        yield client


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may stop."""
    running = Server(tmp_path)
    yield running
    if running.process.poll() is None:
        running.end()


@dataclass
class Program:
    """A program whose messages are those of one test."""

    name: str

    @property
    def query(self) -> str:
        return f"program={self.name}"

    def message(self, text: str, **fields: object) -> dict[str, object]:
        return {"message": text, "program": self.name} | fields


@pytest.fixture
def program() -> Program:
    return Program(f"p{uuid.uuid4().hex}")

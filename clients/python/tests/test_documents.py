"""Every example of the documents, run against a server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from server import REPOSITORY, TOKEN, Server

from logstead import Logstead

DOCUMENTS = [REPOSITORY / "docs/python.md", Path(__file__).parents[1] / "README.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.name))
def test_the_examples_run(
    document: Path, own_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    monkeypatch.setenv("LOGSTEAD_SERVER", own_server.url)
    monkeypatch.setenv("LOGSTEAD_TOKEN", TOKEN)
    monkeypatch.delenv("LOGSTEAD_TOKEN_FILE", raising=False)
    monkeypatch.delenv("LOGSTEAD_CA_FILE", raising=False)
    examples = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
    assert examples
    with Logstead.from_env() as logs:
        logs.ingest(
            {"message": f"m {n}", "program": "shop", "severity": "err", "took_ms": n, "host": "a"}
            for n in range(3)
        )
        names = {"logs": logs}
        for example in examples:
            code = example.replace(
                'Logstead("https://logs.example.org", token="…", ca_file="ca.pem", timeout=60)',
                f'Logstead("{own_server.url}", token="{TOKEN}", timeout=60)',
            )
            exec(compile(code, f"an example of {document.name}", "exec"), names)
            names["logs"] = logs  # an example may have closed its own
        if "patient" in names:
            names["patient"].close()

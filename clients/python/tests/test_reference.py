from __future__ import annotations

import os
import subprocess
import sys

from server import REPOSITORY, TOKEN, Server


def test_the_examples_of_the_reference(own_server: Server) -> None:
    script = REPOSITORY / "clients/python/examples/reference.py"
    environment = os.environ | {"LOGSTEAD_SERVER": own_server.url, "LOGSTEAD_TOKEN": TOKEN}
    told = subprocess.run(
        [sys.executable, str(script)], env=environment, text=True, capture_output=True, check=False
    )
    assert told.stderr == ""
    assert told.stdout == (REPOSITORY / "docs/reference/examples.txt").read_text()

"""The real server, on a free port, with a data folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

from logstead import AsyncLogstead, Logstead, Retry

REPOSITORY = Path(__file__).parents[3]
TOKEN = "python-administrator-token"
ROUTER = """
version = 1

[[sources]]
id = "http"
kind = "http"

[[logspaces]]
id = "main"
retention = { age = "365d" }

[[logspaces]]
id = "other"
retention = { age = "365d" }

[[routes]]
id = "default"
to = ["main"]
"""


def binary() -> Path:
    named = os.environ.get("LOGSTEAD")
    built = [REPOSITORY / "target" / profile / "logstead" for profile in ("quick", "debug")]
    candidates = [Path(named)] if named else built
    found = next((path for path in candidates if path.exists()), None)
    if found is None:
        raise FileNotFoundError("build the server, or name it in LOGSTEAD")
    return found


class Server:
    """After a restart it has the same port, as a service has."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self.listen = "127.0.0.1:0"
        (folder / "router.toml").write_text(ROUTER)
        (folder / "logstead.toml").write_text("")
        self.start()

    def start(self) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not re.match(r"LOGSTEAD_|CREDENTIALS_DIRECTORY", name)
        }
        environment |= {"LOGSTEAD_CONFIG": "/dev/null", "LOGSTEAD_ADMIN_TOKEN": TOKEN}
        environment["LOGSTEAD_ADMIN_PASSWORD"] = "correct horse battery"
        arguments = [str(binary()), "serve", "--data", str(self.folder / "data")]
        arguments += ["--router", str(self.folder / "router.toml")]
        arguments += ["--config", str(self.folder / "logstead.toml")]
        for setting in (f"web.listen={self.listen}", *self.settings):
            arguments += ["--set", setting]
        log = (self.folder / "log").open("ab")
        with log:
            self.process = subprocess.Popen(
                arguments, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            ready = re.match(r"ready: console (\S+)", line)
            if ready:
                self.url = ready[1]
                self.listen = self.url.split("//")[1]
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        raise AssertionError(f"the server ended:\n{(self.folder / 'log').read_text()}")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def restart(self) -> None:
        self.end()
        self.start()

    def client(self, **options: Any) -> Logstead:
        return Logstead(self.url, **self.options(options))

    def async_client(self, **options: Any) -> AsyncLogstead:
        return AsyncLogstead(self.url, **self.options(options))

    def options(self, others: dict[str, Any]) -> dict[str, Any]:
        return {"token": TOKEN, "retry": Retry(deadline=20)} | others

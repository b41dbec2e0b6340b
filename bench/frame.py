"""How long five columns of many messages take into a frame of pandas, Polars and Arrow.

python bench/frame.py --binary target/release/logstead

It needs the Python client, pandas, Polars and pyarrow. It fills a new server with messages made from a seed, and removes it.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "clients/python/tests"))

COLUMNS = ["time", "host", "program", "severity", "message"]
TEMPLATES = [
    ("sshd", 38, "Accepted publickey for deploy from 10.0.{}.{} port {} ssh2"),
    ("nginx", 134, "GET /api/v2/items/{} HTTP/1.1 200 {} upstream 10.0.0.{}"),
    ("postgres", 131, "could not serialize access due to concurrent update, transaction {}"),
    ("app", 132, "request finished status=200 bytes={} duration_ms={} user={}"),
]


def write_lines(path: Path, messages: int) -> None:
    chance = random.Random(1)
    with path.open("w") as file:
        for number in range(messages):
            program, priority, template = TEMPLATES[chance.randrange(4)]
            second, part = divmod(number, 1000)
            stamp = f"2026-01-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
            text = template.format(*(chance.randrange(256) for _ in range(3)))
            host = chance.randrange(200)
            file.write(f"<{priority}>1 {stamp}.{part:03}Z host-{host} {program} {number % 30000} - - {text}\n")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--messages", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    os.environ["LOGSTEAD"] = str(Path(options.binary).resolve())
    from server import Server

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(folder)
        server.end()
        write_lines(folder / "lines", options.messages)
        arguments = ["import", "lines", "--logspace", "main", "--data", "data"]
        subprocess.run([os.environ["LOGSTEAD"], *arguments], cwd=folder, check=True)
        (folder / "lines").unlink()
        server.start()
        try:
            measure(server, options.messages, options.runs)
        finally:
            server.end()


def measure(server: object, messages: int, runs: int) -> None:
    with server.client(timeout=600) as logs:
        print(f"{logs.count()} messages; seconds, and of CPU in the client and in the server")
        for library in ("arrow", "polars", "pandas"):
            read = getattr(logs, f"to_{library}")
            for _ in range(runs):
                begin = (time.monotonic(), time.process_time(), cpu_seconds(server.process.pid))
                frame = read(columns=COLUMNS, order="oldest", limit=messages)
                end = (time.monotonic(), time.process_time(), cpu_seconds(server.process.pid))
                assert len(frame) == messages
                print(library, *(f"{b - a:6.2f}" for a, b in zip(begin, end, strict=True)), flush=True)


if __name__ == "__main__":
    main()

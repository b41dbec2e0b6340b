"""Makes the client for ordinary code of the one for asyncio, so that they never differ.

python tools/sync.py          writes src/logstead/_sync.py
"""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src/logstead"

WORDS = {
    "async def": "def",
    "async for": "for",
    "async with": "with",
    "await ": "",
    "asyncio.sleep": "sleep",
    "import asyncio\n": "",
    "from time import monotonic": "from time import monotonic, sleep",
    "asynccontextmanager": "contextmanager",
    "AsyncGenerator[Message | None, None]": "Generator[Message | None, None, None]",
    "AsyncGenerator": "Generator",
    "AsyncIterator": "Iterator",
    "Awaitable[T]": "T",
    " Awaitable,": "",
    "Generator, Iterator, Iterable, Mapping": "Generator, Iterable, Iterator, Mapping",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "StopAsyncIteration": "StopIteration",
    "anext(": "next(",
    "aclose()": "close()",
    "aread()": "read()",
    "aiter_bytes()": "iter_bytes()",
    "for asyncio, of which `tools/sync.py` makes `_sync.py`, the client for other code": (
        "for ordinary code, made of `_aio.py` by `tools/sync.py`"
    ),
}


def without_asyncio(text: str) -> str:
    """Rewrite a module for asyncio as one without."""
    for old, new in WORDS.items():
        text = text.replace(old, new)
    return re.sub(r"\bAsync(?=[A-Z])", "", text)


if __name__ == "__main__":
    module = (SOURCE / "_aio.py").read_text()
    (SOURCE / "_sync.py").write_text(without_asyncio(module))

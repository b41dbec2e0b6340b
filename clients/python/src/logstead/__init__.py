"""A client of the log store Logstead.

with Logstead("https://logs.example.org", token="…") as logs:
    for message in logs.search("severity>=err", start="-1h"):
        print(message["time"], message["host"], message["message"])
"""

from ._aio import AsyncLogstead, AsyncTail
from ._calls import RouterDocument, RouterText
from ._frames import Columns, ColumnType
from ._retry import Retry
from ._sync import Logstead, Tail
from ._tail import Loss
from .errors import (
    ColumnError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    IncompleteAnswer,
    LogsteadError,
    NotFound,
    ProblemError,
    Unauthorized,
    Unavailable,
)

__all__ = [
    "AsyncLogstead",
    "AsyncTail",
    "ColumnError",
    "ColumnType",
    "Columns",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "IncompleteAnswer",
    "Logstead",
    "LogsteadError",
    "Loss",
    "NotFound",
    "ProblemError",
    "Retry",
    "RouterDocument",
    "RouterText",
    "Tail",
    "Unauthorized",
    "Unavailable",
]

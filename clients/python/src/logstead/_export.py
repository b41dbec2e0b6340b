"""The check that an export is complete."""

from __future__ import annotations

import json
from typing import cast

from .errors import IncompleteAnswer
from .types import ExportSummary

_KEYS = ExportSummary.__annotations__.keys()


class ExportLines:
    """The lines of an export, of which the last one says how many there are.

    A line is passed on only when another one follows, so the summary is never taken for a row, nor
    a row for the summary.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._last: list[bytes] = []
        self._rows = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take a piece of the body; return the rows that are known to be rows."""
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return []
        lines = b"".join([*self._rest, chunk]).split(b"\n")
        self._rest = [lines.pop()]
        lines = self._last + lines
        self._last = [lines.pop()]
        self._rows += len(lines)
        return lines

    def end(self, *, partial: bool) -> ExportSummary:
        """Take the end of the body; raise if that is not the end of the export."""
        summary = self._summary()
        if summary is None:
            raise self.broken("it ends without its summary")
        if summary["messages"] != self._rows:
            raise self.broken(f"its summary counts {summary['messages']} messages", summary)
        require_whole(summary, partial=partial)
        return summary

    def broken(self, why: str, summary: ExportSummary | None = None) -> IncompleteAnswer:
        """Make the error of an export that broke."""
        return broken(f"{self._rows} messages", why, summary)

    def _summary(self) -> ExportSummary | None:
        if not self._last or any(self._rest):
            return None
        return summary_of(self._last[0])


def summary_of(line: bytes) -> ExportSummary | None:
    """Read the last line of an export; None if it is another one."""
    try:
        summary = json.loads(line)
    except ValueError:
        return None
    is_summary = isinstance(summary, dict) and summary.keys() >= _KEYS
    return cast("ExportSummary", summary) if is_summary else None


def require_whole(summary: ExportSummary, *, partial: bool) -> None:
    """Raise if parts of the store are missing, unless that is acceptable."""
    if not partial and (summary["missing"] or summary["damaged_parts"]):
        raise IncompleteAnswer(
            f"{summary['damaged_parts']} parts of the store cannot be read, and at least "
            f"{summary['missing']} messages are missing: {'; '.join(summary['damaged'])}. "
            "Accept this with partial=True",
            summary,
        )


def broken(after: str, why: str, summary: ExportSummary | None = None) -> IncompleteAnswer:
    """Make the error of an export that broke."""
    return IncompleteAnswer(f"the export broke after {after}: {why}", summary)

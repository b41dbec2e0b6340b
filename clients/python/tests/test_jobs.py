from __future__ import annotations

import asyncio
import json

import pytest
from conftest import Program
from server import Server

from logstead import Logstead, LogsteadError, NotFound, ProblemError, _calls


def test_a_logspace_is_verified_and_reindexed(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message("one")])
    verified = logs.jobs.wait(logs.jobs.verify("main")["id"])
    assert verified["result"] is not None
    assert (verified["result"]["kind"], verified["result"]["intact"]) == ("verify", True)
    reindexed = logs.jobs.wait(logs.jobs.reindex("main")["id"], within=60)
    assert reindexed["result"] is not None
    assert reindexed["result"]["complete"]
    ids = [job["id"] for job in logs.jobs.list()]
    assert ids.index(reindexed["id"]) < ids.index(verified["id"])
    assert logs.jobs.cancel(verified["id"])["state"] == "done"
    logs.jobs.remove(verified["id"])
    with pytest.raises(NotFound):
        logs.jobs.get(verified["id"])


def test_an_export_is_downloaded(logs: Logstead, program: Program) -> None:
    logs.ingest([program.message(f"m {number}") for number in range(100)])
    job = logs.jobs.export(program.query, columns=["message"], order="oldest")
    done = logs.jobs.wait(job["id"])
    assert done["result"] is not None
    assert done["result"]["messages"] == 100
    with logs.jobs.download(job["id"]) as pieces:
        lines = b"".join(pieces).splitlines()
    assert [json.loads(line)["message"] for line in lines] == [f"m {n}" for n in range(100)]


def test_a_job_that_is_not_done_raises(logs: Logstead) -> None:
    with pytest.raises(ProblemError):
        logs.jobs.verify("nowhere")
    job = logs.jobs.verify("main")
    job["state"] = "cancelled"
    with pytest.raises(LogsteadError, match="is cancelled"):
        _calls.finished(job)
    job["problem"] = {"status": 507, "title": "The disk is full", "detail": "no room"}
    with pytest.raises(ProblemError, match="no room"):
        _calls.finished(job)


def test_jobs_are_awaited(server: Server) -> None:
    async def run() -> None:
        async with server.async_client() as logs:
            job = await logs.jobs.verify("main")
            assert (await logs.jobs.wait(job["id"]))["state"] == "done"

    asyncio.run(run())

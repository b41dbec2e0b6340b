from __future__ import annotations

import ast
import asyncio
import sys
from pathlib import Path

import pytest
from between import Between, cut_body, lose_answer, refuse
from conftest import Program
from server import TOKEN, Server

import logstead
from logstead import AsyncLogstead, IncompleteAnswer, ProblemError, Retry

PACKAGE = Path(__file__).parents[1] / "src/logstead"


def test_the_client_for_ordinary_code_is_made_of_this_one() -> None:
    sys.path.insert(0, str(PACKAGE.parents[1] / "tools"))
    from sync import without_asyncio  # type: ignore[import-not-found] # noqa: PLC0415

    made = without_asyncio((PACKAGE / "_aio.py").read_text())
    committed = (PACKAGE / "_sync.py").read_text()
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(committed)), "run tools/sync.py"


def test_everything_works_with_asyncio(server: Server, program: Program) -> None:
    async def run() -> None:
        async with server.async_client() as logs:
            query = program.query
            sent = [program.message(f"m {number}", took=number) for number in range(30)]
            assert (await logs.ingest(sent))["accepted"] == 30
            found = [message["message"] async for message in logs.search(query, page_size=7)]
            assert sorted(found) == sorted(message["message"] for message in sent)  # type: ignore[type-var]
            assert len([row async for row in logs.export(query)]) == 30
            counts = await asyncio.gather(*(logs.count(f"{query} took<{n}") for n in range(10)))
            assert counts == list(range(10))
            frame = await logs.to_polars(query, columns={"took": "integer"})
            assert frame["took"].sum() == sum(range(30))
            assert len(await logs.to_pandas(f"{query} | top 5 took")) == 5
            assert (await logs.to_arrow(query)).num_rows == 30
            assert (await logs.router.get()).revision >= 1
            with pytest.raises(ProblemError) as raised:
                await logs.table("(a")
            assert raised.value.column == 1

            async with logs.tail(query, last=2) as tail:
                assert [(await anext(tail))["message"] for _ in range(2)] == ["m 28", "m 29"]
                await logs.ingest([program.message("m 30")])
                assert (await anext(tail))["message"] == "m 30"

    asyncio.run(run())


def test_faults_are_handled_with_asyncio(server: Server, program: Program) -> None:
    async def run() -> None:
        quick = Retry(deadline=20, first_wait=0.01)
        with Between(server.url) as between:
            async with AsyncLogstead(between.url, token=TOKEN, retry=quick) as logs:
                between.faults += [lose_answer, refuse(503, {"Retry-After": "0"})]
                sent = [program.message(f"m {number}") for number in range(10)]
                assert (await logs.ingest(sent))["accepted"] == 10
                assert await logs.count(program.query) == 10
                between.faults.append(cut_body(30))
                with pytest.raises(IncompleteAnswer):
                    [row async for row in logs.export(program.query)]

    asyncio.run(run())


def test_the_package_has_types() -> None:
    assert logstead.__file__ is not None
    assert (Path(logstead.__file__).parent / "py.typed").exists()

"""The types of answers, compared with the server's own description of them."""

from __future__ import annotations

import json
import types as builtin_types
import typing
from typing import Any, Literal, get_args, get_origin

import pytest
from server import REPOSITORY
from typing_extensions import NotRequired, Required

from logstead import types
from logstead.errors import ProblemError

# Names that the module has for type checkers only, as Python 3.10 lacks them.
vars(types).update(NotRequired=NotRequired, Required=Required)

DESCRIPTION = json.loads((REPOSITORY / "web/openapi.json").read_text())

ANSWERS: list[tuple[type, str, str]] = [
    (types.SearchPage, "post", "search"),
    (types.Count, "post", "count"),
    (types.Histogram, "post", "histogram"),
    (types.Facets, "post", "facets"),
    (types.Table, "post", "aggregate"),
    (types.ParsedQuery, "post", "query"),
    (types.Message, "get", "messages/{id}"),
    (types.Context, "get", "messages/{id}/context"),
    (types.Ingested, "post", "ingest"),
    (types.CreatedToken, "post", "tokens"),
    (types.CreatedToken, "post", "tokens/{id}/rotate"),
    (types.User, "post", "users"),
    (types.User, "put", "users/{name}"),
    (types.SavedSearch, "post", "saved-searches"),
    (types.SavedSearch, "put", "saved-searches/{id}"),
    (types.RouterChange, "put", "logspaces/{id}"),
    (types.RouterChange, "put", "router"),
    (types.RouterChange, "post", "router/rollback/{revision}"),
    (types.Validation, "post", "router/validate"),
    (types.RevisionDiff, "get", "router/diff"),
    (types.RouterStatus, "get", "router/status"),
    (types.Job, "post", "logspaces/{id}/verify"),
    (types.Job, "post", "logspaces/{id}/reindex"),
    (types.Job, "post", "exports"),
    (types.Job, "get", "jobs/{id}"),
    (types.Job, "post", "jobs/{id}/cancel"),
]
LISTS: list[tuple[type, str, str]] = [
    (types.Token, "tokens", "tokens"),
    (types.User, "users", "users"),
    (types.SavedSearch, "saved-searches", "saved_searches"),
    (types.Logspace, "logspaces", "logspaces"),
    (types.Revision, "router/revisions", "revisions"),
    (types.Job, "jobs", "jobs"),
]


def answer(method: str, path: str) -> dict[str, Any]:
    responses = DESCRIPTION["paths"][f"/api/v1/{path}"][method]["responses"]
    success = next(response for status, response in responses.items() if status.startswith("2"))
    schema: dict[str, Any] = success["content"]["application/json"]["schema"]
    return schema


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, with the members of all its parts, and the parts that it may be."""
    if "$ref" in schema:
        _, _, kind, name = schema["$ref"].split("/")
        return resolved(DESCRIPTION["components"][kind][name])
    if "allOf" in schema:
        parts = [resolved(part) for part in schema["allOf"]]
        own = {key: value for key, value in schema.items() if key != "allOf"}
        parts.append(own)
        merged: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        for part in parts:
            merged["properties"] |= part.get("properties", {})
            merged["required"] += part.get("required", [])
        return merged if merged["properties"] else parts[0]
    return schema


def alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = resolved(schema)
    if "oneOf" in found:
        return [one for part in found["oneOf"] for one in alternatives(part)]
    if isinstance(found.get("type"), list):
        return [found | {"type": kind} for kind in found["type"]]
    return [found]


def compare(kind: Any, schema: dict[str, Any], path: str) -> None:
    """Fails unless everything that the schema allows is of the type."""
    if kind is Any:
        return
    origin = get_origin(kind)
    if origin in {typing.Union, builtin_types.UnionType}:
        members = get_args(kind)
        for part in alternatives(schema):
            if part.get("type") == "null":
                assert type(None) in members, f"{path} may be null"
            else:
                fitting = [member for member in members if fits(member, part)]
                assert fitting, f"{path}: {part}"
                compare(fitting[0], part, path)
        return
    parts = alternatives(schema)
    assert len(parts) == 1, f"{path} may be of several types: {parts}"
    (part,) = parts
    assert fits(kind, part), f"{path}: {part} is not {kind}"
    if typing.is_typeddict(kind):
        compare_members(kind, part, path)
    elif origin is list:
        compare(get_args(kind)[0], part["items"], f"{path}[]")
    elif origin is dict and get_args(kind)[1] is not Any:
        compare(get_args(kind)[1], part["additionalProperties"], f"{path}{{}}")


def fits(kind: Any, schema: dict[str, Any]) -> bool:
    origin = get_origin(kind)
    if origin is Literal:
        return set(schema.get("enum", [])) <= set(get_args(kind)) and "enum" in schema
    expected = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}
    if typing.is_typeddict(kind) or origin is dict:
        return schema.get("type") == "object" or "properties" in schema
    return bool(schema.get("type") == expected.get(origin or kind))


def members(kind: type) -> dict[str, tuple[Any, bool]]:
    """The types of the members, and whether each is always there."""
    found: dict[str, tuple[Any, bool]] = {}
    for base in getattr(kind, "__orig_bases__", ()):
        if typing.is_typeddict(base):
            found |= members(base)
    hints = typing.get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        origin = get_origin(hint)
        is_required = getattr(kind, "__total__", True)
        if origin is NotRequired or origin is Required:
            found[name] = (get_args(hint)[0], origin is Required)
        else:
            found.setdefault(name, (hint, is_required))
    return found


def compare_members(kind: type, schema: dict[str, Any], path: str) -> None:
    properties = schema["properties"]
    for name, (hint, is_required) in members(kind).items():
        assert name in properties, f"{path} has no {name}"
        if is_required:
            assert name in schema.get("required", []), f"{path}.{name} may be absent"
        compare(hint, properties[name], f"{path}.{name}")


@pytest.mark.parametrize(("kind", "method", "path"), ANSWERS, ids=str)
def test_answers_have_the_described_members(kind: type, method: str, path: str) -> None:
    compare(kind, answer(method, path), f"{method} {path}")


@pytest.mark.parametrize(("kind", "path", "name"), LISTS, ids=str)
def test_lists_have_the_described_members(kind: type, path: str, name: str) -> None:
    compare(list[kind], resolved(answer("get", path))["properties"][name], path)  # type: ignore[valid-type]


def test_the_events_of_a_tail_are_the_described_ones() -> None:
    responses = DESCRIPTION["paths"]["/api/v1/tail"]["get"]["responses"]
    events = alternatives(responses["200"]["content"]["text/event-stream"]["schema"])
    status = next(event for event in events if "sampled_one_in" in event["properties"])
    compare(types.TailStatus, status, "status")
    assert any({"messages", "reason"} <= event["properties"].keys() for event in events)


def test_problems_have_the_described_members() -> None:
    responses = DESCRIPTION["paths"]["/api/v1/count"]["post"]["responses"]
    refusal = resolved(responses["401"])
    problem = resolved(refusal["content"]["application/problem+json"]["schema"])
    known = vars(ProblemError(400, {})).keys() - {"problem"}
    assert known <= problem["properties"].keys()
    compare(list[types.DocumentProblem], problem["properties"]["problems"], "problems")

"""Whether a value fits a JSON schema, for the part of JSON Schema that our questions use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def unfit(value: Any, schema: Mapping[str, Any], at: str = "$") -> str:
    """The first thing that does not fit, with its place, in words; "" when all does.

    >>> unfit({"a": [1, "x"]}, {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}})
    '$.a[1] is no integer'
    """
    return next(_wrong(value, schema, at), "")


def _wrong(value: Any, schema: Mapping[str, Any], at: str) -> Iterator[str]:
    kind = schema.get("type")
    number = kind in ("integer", "number")
    if kind and (not isinstance(value, _TYPES[kind]) or (number and isinstance(value, bool))):
        yield f"{at} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is none of the values that are allowed"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        yield f"{at} is longer than {schema['maxLength']} characters"
    if isinstance(value, list):
        yield from _items(value, schema, at)
    if isinstance(value, dict):
        yield from _properties(value, schema, at)


def _items(value: list[Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    low, high = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if not low <= len(value) <= high:
        yield f"{at} has {len(value)} items, not {low} to {high}"
    for number, item in enumerate(value):
        yield from _wrong(item, schema.get("items", {}), f"{at}[{number}]")


def _properties(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    yield from (f"{at} has no {name}" for name in schema.get("required", ()) if name not in value)
    if schema.get("additionalProperties") is False:
        yield from (f"{at} has {name[:40]!r}, which nobody asked for" for name in value if name not in properties)
    for name, inner in properties.items():
        if name in value:
            yield from _wrong(value[name], inner, f"{at}.{name}")

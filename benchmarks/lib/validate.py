"""Checks a value against a JSON schema, as far as lib/schema.json uses the language."""

from typing import Any

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any] | None = None, at: str = "$") -> list[str]:
    """What is wrong, a line each, with the place."""
    root = root or schema
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "type" in schema and not is_a(value, schema["type"]):
        return [f"{at}: {type(value).__name__} is not {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{at}: {value!r} is not one of {schema['enum']}"]
    found = []
    if "minimum" in schema and isinstance(value, (int, float)) and value < schema["minimum"]:
        found.append(f"{at}: {value} is below {schema['minimum']}")
    if isinstance(value, dict):
        found += object_faults(value, schema, root, at)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += faults(item, schema["items"], root, f"{at}[{i}]")
    return found


def is_a(value: Any, kind: str | list[str]) -> bool:
    kinds = [kind] if isinstance(kind, str) else kind
    if isinstance(value, bool):
        return "boolean" in kinds
    return any(isinstance(value, TYPES[name]) for name in kinds)


def object_faults(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    known = schema.get("properties", {})
    found = [f"{at}: {name!r} is missing" for name in schema.get("required", []) if name not in value]
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            found += faults(item, known[name], root, f"{at}.{name}")
        elif others is False:
            found.append(f"{at}: {name!r} is not known")
        elif isinstance(others, dict):
            found += faults(item, others, root, f"{at}.{name}")
    return found

"""The JSON Schema of device files, for editors that check and complete TOML."""

from __future__ import annotations

import json
from typing import Any

from reclaim import _core

BASE = "The name of a drive, or the path of a device file, that this one starts from."


def schema() -> dict[str, Any]:
    """Give the JSON Schema of a device file: every key, and of every policy its names and parameters.

    Values that depend on others, and what is required below the first level, are left to `reclaim device
    check`: a file may start from another one, and then says only in what it differs.

    >>> sorted(schema()["$defs"]["gc.concurrency"]["properties"]["kind"]["enum"])
    ['adaptive', 'all', 'channels', 'python']
    """
    found = dict(json.loads(_core.schema()))
    known = found["$defs"]
    for section in known.values():
        section.pop("required", None)
    for seam in json.loads(_core.catalogue()):
        *above, name = seam["key"].split(".")
        section = found
        for each in above:
            section = known[section["properties"][each]["$ref"].rpartition("/")[2]]
        section["properties"][name]["$ref"] = f"#/$defs/{seam['key']}"
        known[seam["key"]] = _choice(seam)
    found["anyOf"] = [{"required": ["base"]}, {"required": found.pop("required")}]
    found["properties"] = {"base": {"type": "string", "description": BASE}} | found["properties"]
    return found


def schema_text() -> str:
    """Give it as a file has it: docs/device.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _choice(seam: dict[str, Any]) -> dict[str, Any]:
    """A policy of one kind: its name, and the parameters that the policy of this name takes."""
    about = "; ".join(f"{each['name']}: {each['about']}" for each in seam["policies"])
    names = [each["name"] for each in seam["policies"]]
    parameters = [each["parameters"].get("properties", {}) for each in seam["policies"]]
    takes = [
        {
            "if": {"properties": {"kind": {"const": name}}, "required": ["kind"]},
            "then": {"propertyNames": {"enum": ["kind", *own]}},
        }
        for name, own in zip(names, parameters, strict=True)
    ]
    every = {key: _parameter(node) for own in parameters for key, node in own.items()}
    kind = {"enum": names, "description": about}
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {"kind": kind, **every},
        "allOf": takes,
    }


def _parameter(node: dict[str, Any]) -> dict[str, Any]:
    """What a parameter is; its values are checked when the file is read: policies share names, not types."""
    return {key: node[key] for key in ("description", "default") if key in node}

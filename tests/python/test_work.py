"""Every key of a configuration is declared as part of the work or of the drive, and studies keep to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from reclaim import _core
from reclaim.experiment.work import CLASSES, class_of, not_the_drive

SCHEMA = json.loads(_core.schema())
DECLARED_BY_KEY = ("host",)
"""Sections of which some keys are of the work and others of the drive: each key is declared by itself."""


def keys(
    schema: Mapping[str, Any], section: Mapping[str, Any] | None = None, above: str = ""
) -> Iterator[str]:
    """Every key of a schema, or of a section of it."""
    for name, node in (schema if section is None else section).get("properties", {}).items():
        key = f"{above}.{name}" if above else name
        parts = (node, *node.get("allOf", []), *node.get("anyOf", []))
        refs = [part["$ref"] for part in parts if "$ref" in part]
        yield key
        yield from keys(schema, schema["$defs"][refs[0].rpartition("/")[2]] if refs else node, key)


def test_every_key_is_of_the_work_or_of_the_drive() -> None:
    found = [key for key in keys(SCHEMA) if key not in DECLARED_BY_KEY]
    assert len(found) > 150
    assert [key for key in found if class_of(key) is None] == [], "declare them in experiment/work.py"
    assert set(CLASSES) <= set(keys(SCHEMA))
    assert class_of("host.something_new") is None, "a new key of host must be declared"


def test_policies_are_of_the_drive_and_studies_leave_the_work() -> None:
    for kind in json.loads(_core.catalogue()):
        assert class_of(kind["key"]) == "drive"
        assert not_the_drive(f"{kind['key']}.kind", "tuned") == ""
    for key in ("trace.max_requests", "host.time_scale", "seed", "warmup.kind", "measure.after"):
        said = not_the_drive(key, "tuned")
        assert all(word in said for word in (f'"{key}"', "[axes]"))

"""Every key of a configuration is declared as part of the work or of the drive, and studies keep to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from reclaim import _core
from reclaim.bench.work import CLASSES, class_of, not_the_drive

SCHEMA = json.loads(_core.schema())
DECLARED_BY_KEY = ("host",)
"""Sections of which some keys are of the work and others of the drive: each key is declared by itself."""


def keys(section: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every key of a section of the schema."""
    for name, node in section.get("properties", {}).items():
        key = f"{above}.{name}" if above else name
        refs = [
            part["$ref"] for part in (node, *node.get("allOf", []), *node.get("anyOf", [])) if "$ref" in part
        ]
        below = SCHEMA["$defs"][refs[0].rpartition("/")[2]] if refs else node
        yield key
        yield from keys(below, key)


def test_every_key_is_of_the_work_or_of_the_drive() -> None:
    found = [key for key in keys(SCHEMA) if key not in DECLARED_BY_KEY]
    assert len(found) > 150
    assert [key for key in found if class_of(key) is None] == [], "declare them in bench/work.py"


def test_no_key_is_declared_that_there_is_not() -> None:
    assert set(CLASSES) <= set(keys(SCHEMA))


def test_a_new_key_of_host_must_be_declared() -> None:
    assert class_of("host.something_new") is None


@pytest.mark.parametrize("kind", [each["key"] for each in json.loads(_core.catalogue())])
def test_policies_are_of_the_drive(kind: str) -> None:
    assert class_of(kind) == "drive"
    assert not_the_drive(f"{kind}.kind", "tuned") == ""


@pytest.mark.parametrize(
    "key", ["trace.max_requests", "host.time_scale", "seed", "warmup.kind", "measure.after", "trace.merge"]
)
def test_the_work_is_not_moved_by_studies_of_drives(key: str) -> None:
    said = not_the_drive(key, "tuned")
    assert f'"{key}" is part of the work' in said
    assert "[axes]" in said

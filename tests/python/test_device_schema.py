"""Editors check and complete device files with today's schema, which takes every device file there is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import reclaim
from reclaim.device_schema import schema_text
from reclaim.paper.paper import folders

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "device.schema.json"
EXAMPLES = sorted((ROOT / "examples" / "devices").glob("*.toml"))
OF_PAPERS = [each for folder in folders() for each in folder.glob("*.toml") if "geometry" in each.read_text()]


def faults(text: str) -> list[str]:
    """What an editor would underline: where, and why."""
    validator = jsonschema.Draft202012Validator(json.loads(FILE.read_text()))
    return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(tomllib.loads(text))]


def is_device(file: Path) -> bool:
    """Experiments and papers have settings of a geometry, too."""
    return bool({"base", "geometry"} & set(tomllib.loads(file.read_text())))


def test_the_schema_is_todays() -> None:
    assert FILE.read_text() == schema_text(), "reclaim device schema > docs/device.schema.json"


@pytest.mark.parametrize("file", [*EXAMPLES, *filter(is_device, OF_PAPERS)], ids=lambda each: each.name)
def test_device_files_are_without_fault(file: Path) -> None:
    assert faults(file.read_text()) == []


def test_presets_are_without_fault_with_every_key() -> None:
    presets = {name: faults(reclaim.Device.preset(name).to_toml()) for name in reclaim.presets()}
    assert len(presets) > 10
    assert {name: found for name, found in presets.items() if found} == {}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("nme = 1", "'nme' was unexpected"),
        ('[gc.victim]\nkind = "gredy"', "$.gc.victim.kind: 'gredy' is not one of ['greedy', "),
        ('[gc.victim]\nkind = "greedy"\nd = 3', "$.gc.victim: 'd' is not one of ['kind', 'ties']"),
        ("[geometry]\nchannels = -1", "$.geometry.channels: -1 is less than the minimum of 0"),
    ],
)
def test_faults_are_found(text: str, where: str) -> None:
    (fault,) = faults('base = "gc-bypass-mini"\nname = "x"\n' + text)
    assert where in fault


def test_a_file_has_a_base_or_all_sections() -> None:
    assert faults('name = "x"') != []
    assert faults('base = "gc-bypass-mini"') == []


@pytest.mark.parametrize("kind", ["device", "experiment"])
def test_examples_name_their_schema(kind: str) -> None:
    files = sorted((ROOT / "examples" / f"{kind}s").glob("*.toml"))
    assert files
    for file in files:
        first = file.read_text().partition("\n")[0]
        assert first.startswith("#:schema "), file
        named = (file.parent / first.removeprefix("#:schema ")).resolve()
        assert named == ROOT / "docs" / f"{kind}.schema.json"


def test_the_command_prints_it_by_both_names(command: Any) -> None:
    for group in ("device", "config"):
        done = command(group, "schema")
        assert (done.returncode, done.stdout) == (0, FILE.read_text())

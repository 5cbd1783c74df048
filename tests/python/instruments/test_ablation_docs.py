"""What docs/ablation.md shows is what the experiment that ships gives; its keys are those of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from instruments.documented import ROOT, Documented


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Documented:
    return Documented("ablation.md", "ablate", tmp_path_factory.mktemp("docs"))


def test_the_page_shows_what_is_printed_and_its_python_gives_the_same(page: Documented) -> None:
    page.shows_what_is_printed("out/parts/ablation", {"ablation-read-p99.png": "waterfall-read_p99_ns.png"})
    page.gives_the_same_from_python("out/parts/log.jsonl")


def test_the_section_on_the_page_is_that_of_the_experiment(page: Documented) -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", page.text(), re.MULTILINE | re.DOTALL)
    written = (ROOT / "examples/experiments/parts.toml").read_text()

    def settings(text: str) -> list[str]:
        return [line.partition("#")[0].strip() for line in text[text.index("[ablate]") :].splitlines()]

    assert [settings(each) for each in shown] == [settings(written)]


def keys_of(value: Any) -> Iterator[str]:
    """Keys of a file but those that are names of parts, keys, metrics, workloads, codes."""
    if isinstance(value, list):
        for each in value:
            yield from keys_of(each)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key in ("by_workload", "keys"):
                yield from keys_of(list(inner.values()))
            elif key not in ("place", "values", "no_value", "warnings", "doubts"):
                yield from keys_of(inner)


def test_the_page_says_what_every_key_of_the_file_is(page: Documented) -> None:
    found = json.loads((page.folder / "out/parts/ablation/ablation.json").read_text())
    section = page.text().partition("## The files")[2].partition("## From Python")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert sorted(set(keys_of(found)) - named) == []
    assert {"conclusion", "no_value", "drawn_error", "median"} <= set(keys_of(found))

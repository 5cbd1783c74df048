"""Whatever stands in a file of TOML or JSON, it is read, or there is one error for it."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from reclaim.mistakes import line_of
from reclaim.parsing import DEEPEST, UnreadableError, json_value, toml, toml_file


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 3000,
        "a = " + "[" * 3000 + "]" * 3000,
        "a = " + "{ b = " * 3000,
        "a." * 3000 + "b = 1",
        "[" + "a." * 3000 + "b]",
        "a = " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "a = " + "1" * 5000,
        "a = 2024-99-99",
        "a = 1\na = 2",
        '"',
    ],
)
def test_toml_that_cannot_be_read(text: str) -> None:
    with pytest.raises(UnreadableError):
        toml(text)


@pytest.mark.parametrize("text", ["[" * 3000, "[" * 3000 + "]" * 3000, '{"a":' * 3000, "1" * 5000, "", "{"])
def test_json_that_cannot_be_read(text: str) -> None:
    with pytest.raises(UnreadableError):
        json_value(text)


def test_what_anybody_needs_can_be_read() -> None:
    deep = DEEPEST - 1
    assert toml("a = " + "[" * deep + "]" * deep)
    assert json_value('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}


def test_a_file_from_windows(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    assert toml_file(file) == {"a": 1, "b": 2}
    file.write_bytes(b"a = 1\nb = \n")
    with pytest.raises(reclaim.InputError, match=r"x\.toml:2:5: not a TOML file: Invalid value"):
        toml_file(file)


def test_a_line_among_thousands_is_found_at_once() -> None:
    """Each look at a part of the list reads it again: it is done for one line in thousands."""
    values = "".join(f'  "v{each}", # [x]\n' for each in range(20_000))
    text = f'name = "x"\n[axes]\n"gc.victim" = [\n{values}]\n'
    text += "seed = [\n  1,\n  [\n   2,\n  ],\n  3 ]\n[set]\nsed = 1\n"
    assert line_of(text, ("axes", "gc.victim", 12_345)) == 4 + 12_345
    assert line_of(text, ("axes", "seed", 0)) == 20_006
    assert line_of(text, ("axes", "seed", 2)) == 20_010
    assert line_of(text, ("set", "sed")) == 20_012

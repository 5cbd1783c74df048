"""docs/experiment-keys.md is made of the models that read experiment files.

RECLAIM_UPDATE_DOCS=1 writes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reclaim.experiment.schema import schema
from reclaim.parsing import toml_value

PAGE = Path(__file__).parents[3] / "docs" / "experiment-keys.md"
START = """# Keys of experiments

This page is made from the program: `RECLAIM_UPDATE_DOCS=1 pytest tests/python/study/test_keys_page.py`.

[Experiments](bench.md) are what `reclaim check`, `sweep`, `ablate`, `sensitivity` and `tune` read.
"""
FAR = 2**32
KINDS = {"string": "text", "boolean": "true or false", "integer": "a whole number", "number": "a number"}


def target(node: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """A node with what it refers to; of a list, that of its entries."""
    node = node.get("items", node)
    named = known[node["$ref"].rpartition("/")[2]] if "$ref" in node else {}
    return {**named, **node}


def kind(node: dict[str, Any], known: dict[str, Any]) -> str:
    """What a value is, in a few words."""
    if node.get("type") == "array":
        inner = kind(node.get("items", {}), known)
        return "a list" if inner == "a value" else f"a list: {inner}"
    node = target(node, known)
    if "enum" in node:
        few = [str(each) for each in node["enum"]]
        return ", ".join(f"`{each}`" for each in few) if len(few) <= 6 else "a name"
    if "anyOf" in node:
        return " or ".join(dict.fromkeys(kind(each, known) for each in node["anyOf"]))
    ends = [
        f"{word} {node[key]}"
        for key, word in (("minimum", "from"), ("maximum", "to"))
        if node.get(key, FAR) < FAR
    ]
    if isinstance(node.get("type"), list):
        return "a value" if "array" in node["type"] else " or ".join(KINDS[each] for each in node["type"])
    return " ".join([KINDS.get(node.get("type", ""), "a table" if "type" in node else "a value"), *ends])


def tables(node: dict[str, Any], known: dict[str, Any], title: str) -> Iterator[str]:
    """A table of the keys of a section, then those of the sections in it."""
    rows, inner = [], []
    for key, value in node["properties"].items():
        default = "required" if key in node.get("required", ()) else ""
        default = f"`{toml_value(value['default'])}`" if "default" in value else default
        about = str(value.get("description") or target(value, known).get("description", "")).replace(
            "\n", " "
        )
        rows.append(f"| `{key}` | {about} | {kind(value, known)} | {default} |\n")
        options = [
            target(each, known) for each in (target(value, known), *value.get("items", {}).get("anyOf", []))
        ]
        options += [target(each, known) for each in target(value, known).get("anyOf", [])]
        inner += [(key, each) for each in options if each.get("additionalProperties") is False][:1]
    head = "| key | what it is | value | if left out |\n|---|---|---|---|\n"
    yield f"\n{title}\n\n{head}{''.join(rows)}"
    for key, each in inner:
        above = title.partition("`")[2].rpartition("`")[0].strip("[]")
        left, right = ("[[", "]]") if node["properties"][key].get("type") == "array" else ("[", "]")
        yield from tables(each, known, f"### `{left}{above + '.' if above else ''}{key}{right}`")


def test_the_page_is_todays() -> None:
    experiment = schema()
    page = START + "".join(tables(experiment, experiment["$defs"], "## Top level"))
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page, "RECLAIM_UPDATE_DOCS=1 writes it"

"""The JSON Schema of experiment files, for editors that check and complete TOML."""

from __future__ import annotations

import json
from typing import Any, get_args

from reclaim import _core
from reclaim.bench.ablate_section import DEFAULT_ORDERINGS, MOST_ORDERINGS
from reclaim.bench.comparisons import SECTION as COMPARISONS
from reclaim.bench.extends import EXTENDS, WITHOUT
from reclaim.bench.parts import By, Load
from reclaim.bench.reader import MOST_REPEATS, RECORDED
from reclaim.bench.sensitivity import BUDGET, MOST_COMBINATIONS
from reclaim.bench.tune_schema import tune
from reclaim.results.sets.metrics import measurable

VALUE = {"$ref": "#/$defs/value"}
RECORDS = {
    "timeline": "What went on over simulated time, 2,048 intervals a point.",
    "gc": "One row per collected block.",
    "requests": "One row per request.",
    "audit": "Check the drive's invariants and every page's data.",
}


def _keys(node: dict[str, Any], known: dict[str, Any], above: str = "") -> dict[str, str]:
    """Every key of a configuration that a schema names, with dots, and what it is."""
    found: dict[str, str] = {}
    if "$ref" in node:
        node = {**known[node["$ref"].rpartition("/")[2]], **node}
    for key, inner in node.get("properties", {}).items():
        name = f"{above}.{key}" if above else key
        deeper = _keys(inner, known, name)
        about = str(inner.get("description", ""))
        # A policy is chosen by the key of its kind; its parameters are settings that no schema lists.
        policy = set(deeper) == {f"{name}.kind"} and name != "warmup"
        found |= {name: about} if policy or not deeper else deeper
    return found


def _settings(about: str, keys: dict[str, str], value: dict[str, Any]) -> dict[str, Any]:
    properties = {key: {**value, "description": text} for key, text in keys.items()}
    return {"type": "object", "description": about, "properties": properties}


def _comparisons(text: dict[str, Any]) -> dict[str, Any]:
    """The list `[[comparisons]]`."""
    return {
        "type": "array",
        "description": "What reports show side by side, one after the other, instead of all schemes.",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["scheme", "to"],
            "properties": {
                "name": {**text, "description": "What it is called (default: as the scheme)."},
                "scheme": {**text, "description": "A scheme of this experiment."},
                "to": {**text, "description": "The scheme that it is meant to improve on."},
                "about": {**text, "description": "A sentence or two."},
            },
        },
    }


def _ablate(text: dict[str, Any]) -> dict[str, Any]:
    """The section `[ablate]`."""
    keys = {"type": "array", "minItems": 1, "uniqueItems": True, "items": text}
    metrics = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": list(measurable())}}
    return {
        "type": "object",
        "description": "What `reclaim ablate` takes apart: two schemes of this experiment.",
        "additionalProperties": False,
        "required": ["from", "to", "metrics"],
        "properties": {
            "from": {**text, "description": "Name of the scheme that it starts from."},
            "to": {**text, "description": "Name of the scheme that it arrives at."},
            "metrics": {**metrics, "description": "Columns of points.parquet."},
            "parts": {
                "type": "object",
                "description": "Keys that go together, by the name of the part; other keys: by policy kind.",
                "additionalProperties": keys,
            },
            "orderings": {
                "type": "integer",
                "minimum": 2,
                "maximum": MOST_ORDERINGS,
                "multipleOf": 2,
                "default": DEFAULT_ORDERINGS,
                "description": "Orders of the parts that are drawn where there are more than six.",
            },
            "seed": {
                "type": "integer",
                "minimum": 0,
                "default": 1,
                "description": "What the orders are drawn with.",
            },
        },
    }


def _sensitivity(text: dict[str, Any]) -> dict[str, Any]:
    """Schema of the section that names a comparison to study."""
    patterns = {"type": "array", "items": text}
    budget = f"^{BUDGET.pattern.replace('?P<number>', '?:').replace('?P<unit>', '?:')}$"
    return {
        "type": "object",
        "description": "A comparison of two schemes whose dependence on the model is studied.",
        "additionalProperties": False,
        "required": ["metric"],
        "properties": {
            "base": {**text, "description": "Scheme A (default: the first)."},
            "other": {**text, "description": "Scheme B (default: the second)."},
            "metric": {**text, "description": "A column of points.parquet, such as write_mean_ns."},
            "budget": {**text, "pattern": budget, "description": 'Runs or minutes: "600 points", "20 min".'},
            "load": {"enum": list(get_args(Load)), "default": "arrivals", "description": "What stays."},
            "keys": {**patterns, "description": "Patterns of the keys that are moved (default: all)."},
            "without": {**patterns, "description": "Patterns of keys that are not."},
            "combinations": {"type": "integer", "minimum": 0, "maximum": MOST_COMBINATIONS, "default": 64},
        },
    }


def schema() -> dict[str, Any]:
    """Give the schema."""
    configuration = json.loads(_core.schema())
    keys = _keys(configuration, configuration.get("$defs", {}))
    keys.pop("name", None)
    text = {"type": "string", "minLength": 1}
    names = {"type": "array", "minItems": 1}
    setting = _settings("Settings by dotted keys.", keys, VALUE)
    values = {"type": "array", "minItems": 1, "items": VALUE}
    groups = {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/settings"}}
    axis = {"$ref": "#/$defs/axis"}
    axes = {**_settings("", keys, axis), "additionalProperties": axis}
    presets = [name for name, _ in _core.presets()]
    schemes = [name for name, _ in _core.schemes()]
    trace = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {**text, "description": "What tables call it."},
            "source": {**text, "description": "A file beside this one, or a name of the catalogue."},
            "generate": {"type": "object", "description": "What `reclaim trace generate` takes."},
            "set": {"$ref": "#/$defs/settings"},
        },
    }
    scheme = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            "name": {**text, "description": "What tables call it."},
            "schemes": {"type": "array", "items": {"enum": schemes}},
            "set": {"$ref": "#/$defs/settings"},
            "for_traces": {
                "description": "Settings by trace, for each of them: a table, or a TOML file with one.",
                "anyOf": [
                    text,
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/settings"}},
                ],
            },
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of Reclaim",
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "anyOf": [{"required": ["devices", "traces"]}, {"required": [EXTENDS]}],
        "dependentRequired": {WITHOUT: [EXTENDS]},
        "properties": {
            "name": {**text, "description": "What the experiment is called: of its folder, its report."},
            "about": {**text, "description": "One line."},
            EXTENDS: {
                **text,
                "description": "Another experiment, beside this one: what this one leaves as it is.",
            },
            WITHOUT: {
                "type": "array",
                "minItems": 1,
                "items": text,
                "description": 'Keys of what is extended that are left out: "record", "set.trace.remap".',
            },
            "devices": {
                **names,
                "description": "Presets, or .toml files beside this one.",
                "items": {"anyOf": [{"enum": presets}, {**text, "pattern": r"\.toml$|/"}]},
            },
            "traces": {
                **names,
                "description": "Files beside this one, names of the catalogue or of what is extended.",
                "items": {"anyOf": [text, trace]},
            },
            "schemes": {
                **names,
                "description": "What is compared: names joined by +, with settings, or tables.",
                "items": {"anyOf": [{"enum": schemes}, text, scheme]},
            },
            "set": {"$ref": "#/$defs/settings", "description": "Settings of every point."},
            "axes": {**axes, "description": "Crossed with everything: values of a key, or named groups."},
            "vary": {**axes, "description": "Each varied alone around the first value of everything else."},
            "repeats": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "count": {"type": "integer", "minimum": 1, "maximum": MOST_REPEATS, "default": 1},
                    "by": {"enum": list(get_args(By)), "default": "seed", "description": "What differs."},
                    "jitter": {**text, "description": 'With by = "jitter": by how much arrivals move.'},
                },
            },
            COMPARISONS: _comparisons(text),
            "ablate": _ablate(text),
            "sensitivity": _sensitivity(text),
            "tune": tune(text),
            "record": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    key: {"type": "boolean", "default": False, "description": RECORDS[key]}
                    for key in RECORDED
                },
            },
        },
        "$defs": {
            "value": {"type": ["string", "number", "boolean", "array"]},
            "axis": {"description": "Values, or named groups of settings.", "anyOf": [values, groups]},
            "settings": setting,
        },
    }


def schema_text() -> str:
    """Give it as it is printed and committed."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"

"""The JSON Schema of `[tune]`, for editors."""

from __future__ import annotations

from typing import Any, get_args

from reclaim.bench.tune_section import (
    BUDGET,
    DEFAULT_BATCH,
    DEFAULT_TRIALS,
    MOST_BATCH,
    MOST_OBJECTIVES,
    Sampler,
)
from reclaim.results.sets.metrics import measurable


def tune(text: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of the section.

    Args:
        text: that of a text that is not empty.
    """
    patterns = {"type": "array", "items": text}
    pattern = BUDGET.pattern.replace("?P<number>", "?:").replace("?P<unit>", "?:")
    budget = {**text, "pattern": f"^{pattern}$"}
    extent = {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {
            "traces": {"type": "array", "minItems": 1, "items": text, "description": "Names (default: all)."},
            "repeats": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
        },
    }
    value = {"$ref": "#/$defs/value"}
    quantity = {"type": ["string", "number"]}
    values = [
        {"type": "array", "minItems": 2, "items": value},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["from", "to"],
            "properties": {
                "from": quantity,
                "to": quantity,
                "step": quantity,
                "factor": {"type": "number", "exclusiveMinimum": 1},
            },
        },
    ]
    return {
        "type": "object",
        "description": "What `reclaim tune` tunes: parameters of one scheme of this experiment.",
        "additionalProperties": False,
        "required": ["objectives", "tune_on", "judge_on"],
        "properties": {
            "scheme": {**text, "description": "Name of the scheme that is tuned (default: the first)."},
            "objectives": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_OBJECTIVES,
                "uniqueItems": True,
                "items": {"enum": list(measurable())},
                "description": "Columns of points.parquet; of several, a Pareto front.",
            },
            "constraints": {**patterns, "description": 'As "gc_nand_write_amplification <= 2".'},
            "budget": {
                "default": f"{DEFAULT_TRIALS} trials",
                "description": 'Of the search: "40 trials", "400 points", "20 min", or a list of these.',
                "anyOf": [budget, {"type": "array", "minItems": 1, "items": budget}],
            },
            "tune_on": {**extent, "description": "Runs that trials are chosen by (repeats: [0])."},
            "judge_on": {**extent, "description": "Other runs, on which what was found is judged."},
            "overlap": {"type": "boolean", "default": False, "description": "Judge on what it is tuned on."},
            "around": {
                "type": "boolean",
                "default": True,
                "description": "Move each parameter of what is found.",
            },
            "keys": {**patterns, "description": "Patterns of keys with declared alternatives to search."},
            "without": {**patterns, "description": "Patterns of keys that are not searched."},
            "search": {
                "type": "object",
                "description": "Values of a key in place of its declared alternatives: a list, or a range.",
                "additionalProperties": {"anyOf": values},
            },
            "sampler": {"enum": list(get_args(Sampler)), "default": "tpe", "description": "What proposes."},
            "batch": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_BATCH,
                "default": DEFAULT_BATCH,
                "description": "Trials that are proposed before the first of them is known.",
            },
            "seed": {"type": "integer", "minimum": 0, "default": 1, "description": "Of what proposes."},
        },
    }

"""The JSON Schema of experiment files, for editors that check and complete TOML."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from reclaim.experiment.experiment_file import file_with
from reclaim.experiment.studies import OF_EXPERIMENTS


class _ForEditors(GenerateJsonSchema):
    """Titles say nothing beside keys, and TOML has no null."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        said = schema.get("default") or isinstance(schema.get("default"), bool)
        plain = said and isinstance(schema["default"], bool | int | str)
        return super().default_schema(schema) if plain else self.generate_inner(schema["schema"])


def schema() -> dict[str, Any]:
    """Give the schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **file_with(frozenset(OF_EXPERIMENTS)).model_json_schema(schema_generator=_ForEditors),
    }


def schema_text() -> str:
    """Give it as it is printed and committed."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"

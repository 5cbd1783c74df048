"""What keys of an experiment file may be: names of what it has, metrics, budgets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, StrictInt, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from reclaim import _core
from reclaim.device import known_drives
from reclaim.mistakes import Mistakes, kind_of, valid
from reclaim.parsing import toml_value
from reclaim.result.sets.names import LONGEST_NAME, LONGEST_PATH, unfit
from reclaim.sections import Section, Words, also, listed_twice
from reclaim.suggestions import near

if TYPE_CHECKING:
    from reclaim.experiment.parts import FileParts

SHOWN = 40
"""Characters of a name that a message shows."""
AMOUNT = r"(?P<number>\d{1,9}(?:\.\d{1,9})?) *(?P<unit>%s)"
"""A part of a budget; the units are those of a section."""


class SectionNames(NamedTuple):
    """What sections refer to: the names that an experiment gives, and where its files are."""

    base: Path
    schemes: tuple[str, ...]
    traces: tuple[str, ...]
    repeats: int


def check_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Give a name if something can be called so.

    Raises:
        ValueError: if nothing can, with the reason.
    """
    reason = unfit(name, longest)
    if reason is not None:
        shown = name if len(name) <= SHOWN else name[:SHOWN] + "…"
        raise ValueError(f"{json.dumps(shown, ensure_ascii=False)} {reason}; give another name")
    return name


def named(info: ValidationInfo) -> SectionNames:
    """Give what a validator may refer to; nothing where a section is made without a file."""
    return info.context if isinstance(info.context, SectionNames) else SectionNames(Path(), (), (), 1)


def _scheme(name: str, info: ValidationInfo) -> str:
    return _one_of(name, named(info).schemes, "scheme")


def _trace(name: str, info: ValidationInfo) -> str:
    return _one_of(name, named(info).traces, "trace")


def _one_of(name: str, names: Sequence[str], kind: str) -> str:
    if names and name not in names:
        raise ValueError(f'"{name}" is no {kind} of this experiment; {valid(name, names)}')
    return name


def check_metric(name: str) -> str:
    """Give a name if a column of a result set that is a metric has it, before anything is run.

    Raises:
        ValueError: if none has.
    """
    # What is known of metrics brings the libraries of tables along.
    from reclaim.result.sets.metrics import measurable

    known = measurable()
    if name not in known:
        told = near(name, known) or "; the columns of points.parquet are metrics, such as read_p99_ns"
        raise ValueError(f'"{name}" is no metric{told}')
    return name


def one_or_more(given: object) -> object:
    """Take text for a list with one entry."""
    return [given] if isinstance(given, str) else given


@cache
def configuration_keys() -> dict[str, str]:
    """Give every key of a configuration, with dots, and what it is."""
    configuration = json.loads(_core.schema())
    return _keys(configuration, configuration.get("$defs", {}))


@cache
def configuration_sections() -> set[str]:
    """Give the sections of a configuration: an axis of that name is a key without its quotes."""
    return set(json.loads(_core.schema())["properties"]) - {"seed", "name"}


@dataclass(frozen=True)
class Listed:
    """Says what the JSON Schema of a key has, where that takes a catalogue."""

    schema: Callable[[], JsonSchemaValue]

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Give the schema."""
        return self.schema()


class ConfigurationKeys:
    """Adds the keys of a configuration to the JSON Schema of a table."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Give the schema with the keys."""
        table = handler(schema)
        value = table["additionalProperties"]
        value = (
            value if isinstance(value, dict) else {"type": ["string", "number", "boolean", "array", "object"]}
        )
        keys = configuration_keys().items()
        properties = {key: {**value, "description": text} for key, text in keys if key != "name"}
        return {**table, "properties": properties}


def _keys(node: dict[str, Any], known: dict[str, Any], above: str = "") -> dict[str, str]:
    """Every key of a configuration that a schema names, with dots, and what it is."""
    keys: dict[str, str] = {}
    if "$ref" in node:
        node = {**known[node["$ref"].rpartition("/")[2]], **node}
    for key, inner in node.get("properties", {}).items():
        name = f"{above}.{key}" if above else key
        deeper = _keys(inner, known, name)
        about = str(inner.get("description", ""))
        # A policy is chosen by the key of its kind; its parameters are settings that no schema lists.
        policy = set(deeper) == {f"{name}.kind"} and name != "warmup"
        keys |= {name: about} if policy or not deeper else deeper
    return keys


def _metrics() -> JsonSchemaValue:
    from reclaim.result.sets.metrics import measurable

    return {"enum": list(measurable())}


def _devices() -> JsonSchemaValue:
    file = {"type": "string", "minLength": 1, "pattern": r"\.toml$|/"}
    return {"anyOf": [{"enum": [each.name for each in known_drives()]}, file]}


Name = Annotated[Words, AfterValidator(check_name)]
SchemeName = Annotated[Words, AfterValidator(_scheme)]
TraceName = Annotated[Words, AfterValidator(_trace)]
Metric = TypeAliasType("Metric", Annotated[Words, AfterValidator(check_metric), Listed(_metrics)])
FilePath = Annotated[Words, AfterValidator(partial(check_name, longest=LONGEST_PATH))]
Device = Annotated[FilePath, Listed(_devices)]
Scheme = Annotated[Words, Listed(lambda: {"enum": [name for name, _ in _core.schemes()]})]
Unique = Field(min_length=1, json_schema_extra={"uniqueItems": True})
Listing = Annotated[tuple[Metric, ...], Unique]
Metrics = Annotated[
    Listing, BeforeValidator(one_or_more, json_schema_input_type=Metric | Listing), also(listed_twice)
]
Patterns = Annotated[tuple[Words, ...], Field(examples=[["gc.*", "scheduler"]])]
Seed = Annotated[StrictInt, Field(ge=0, le=2**63 - 1)]


class WithSettings(Section):
    """A table that has settings under `set`."""

    within: ClassVar[str] = ""
    """A section of the configuration whose keys may be taken for keys of this table."""
    written: ClassVar[str] = 'set = {{ "{key}" = {value} }}'
    """How a setting is written in it."""

    @classmethod
    def instead_of(cls, key: str, value: Any, /) -> str:
        """Say how a setting is written that is among the keys of the table."""
        key = key if key.partition(".")[0] in configuration_sections() else f"{cls.within}.{key}"
        while isinstance(value, Mapping) and value and "kind" not in value:
            name, value = next(iter(value.items()))
            key = f"{key}.{name}"
        if not any(f"{key}.".startswith(f"{known}.") for known in configuration_keys()):
            return ""
        return f"a setting is written {cls.written.format(key=key, value=toml_value(value))}"


class StudySection(Section):
    """A section of an experiment file that asks for a study."""

    @classmethod
    def check(cls, section: Self | None, parts: FileParts, mistakes: Mistakes) -> None:
        """Note what the study cannot take of the rest of the file; the section is None where it is wrong."""


class Budget(NamedTuple):
    """What a study may cost at most; the least of what is given."""

    trials: int | None = None
    """Settings of a scheme that are run."""
    points: int | None = None
    """Runs."""
    minutes: float | None = None
    """What the runs take, estimated, on one processor."""


def budget_of(given: object, units: str, wanted: str) -> Budget:
    """Read a budget, such as "40 trials" or "20 min", or a list of these.

    Args:
        given: as the file has it.
        units: those that there are, as a pattern.
        wanted: what it must be, for a message.

    Raises:
        ValueError: if it is none.
    """
    least: dict[str, float] = {}
    for each in given if isinstance(given, list) and given else [given]:
        match = re.fullmatch(AMOUNT % units, each.strip()) if isinstance(each, str) else None
        number = float(match["number"]) if match else 0.0
        unit = match["unit"].rstrip("s") if match else ""
        if number <= 0 or (unit in ("trial", "point") and not number.is_integer()):
            raise ValueError(
                f"must be {wanted}, or a list of these, at most 999,999,999, not {kind_of(each)}"
            )
        kind, number = ("min", number * 60) if unit == "h" else (unit, number)
        least[kind] = min(number, least.get(kind, number))
    trials, points = (int(least[unit]) if unit in least else None for unit in ("trial", "point"))
    return Budget(trials, points, least.get("min"))


def budget_schema(units: str) -> dict[str, Any]:
    """Give the JSON Schema of a budget in some units."""
    text = {"type": "string", "pattern": f"^{re.sub('[?]P<[a-z]+>', '?:', AMOUNT % units)}$"}
    return {"anyOf": [text, {"type": "array", "minItems": 1, "items": text}]}

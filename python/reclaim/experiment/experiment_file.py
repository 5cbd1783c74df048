"""What an experiment file may say, key by key; the JSON Schema for editors is made of this."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Optional

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
    Tag,
    ValidationInfo,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from reclaim.errors import InputError
from reclaim.experiment.fields import (
    ConfigurationKeys,
    Device,
    FilePath,
    Metric,
    Name,
    Scheme,
    SchemeName,
    SectionNames,
    WithSettings,
    check_name,
    configuration_sections,
    named,
)
from reclaim.experiment.parts import (
    Axis,
    AxisValue,
    DeviceEntry,
    FileParts,
    Record,
    SchemeEntry,
    Setting,
    TraceEntry,
    parse_scheme,
    read_setting,
    read_settings,
    value_text,
)
from reclaim.experiment.studies import OF_EXPERIMENTS
from reclaim.layers import is_same
from reclaim.mistakes import KeyPath, Mistakes, dotted
from reclaim.parsing import toml_file
from reclaim.policy.marks import is_own
from reclaim.result.sets.names import ALL_TRACES, taken
from reclaim.sections import (
    Section,
    Words,
    Wrong,
    keys_of,
    listed,
    missing,
    must,
    named_twice,
    read,
    together,
)
from reclaim.suggestions import near
from reclaim.units import NANOSECONDS

TIME = re.compile(rf"\d+(\.\d+)?\s*({'|'.join(NANOSECONDS)})")
TEXT = {"type": "string", "minLength": 1}


Settings = TypeAliasType("Settings", Annotated[dict[str, Any], ConfigurationKeys()])
"""Settings by dotted keys, whether the keys are quoted or not."""


def _kind_of_axis(given: object) -> str | None:
    kinds = {"list": "a list", "dict": "a table"}
    return kinds.get(type(given).__name__) if given else None


AxisValues = TypeAliasType(
    "AxisValues",
    Annotated[
        Annotated[tuple[Any, ...], Field(min_length=1), Tag("a list")]
        | Annotated[dict[str, Settings], Tag("a table")],
        Discriminator(
            _kind_of_axis,
            custom_error_type="must",
            custom_error_message='a list of values, as in "gc.pages_in_flight" = [1, 2], '
            "or a table of named groups of settings",
        ),
    ],
)
"""Values of a key, or named groups of settings."""


def _name_axes(axes: Any, handler: Callable[[Any], Any]) -> Any:
    """Refuse names that no axis and no group can have, together with what else is wrong."""
    tables = axes if isinstance(axes, Mapping) else {}
    wrong = [each for name, value in tables.items() for each in _wrong_names(name, value)]
    # Of a section nothing else is told: what is in it is no group of settings.
    rest = {name: value for name, value in tables.items() if name not in configuration_sections()}
    return together(rest if tables else axes, handler, wrong)


def _wrong_names(name: str, value: Any) -> Iterable[Wrong]:
    groups = value if isinstance(value, Mapping) else {}
    # `seed` with values is the key: its axis has no other name, and is in the column `seed`.
    reason = None if name == "seed" and not groups else taken(name)
    if name in configuration_sections():
        key = f'"{name}.{next(iter(groups), "key")}"'
        yield Wrong((name,), f"is a section; write the whole key in quotes, as in {key} = […]")
    elif reason is not None:
        other = f"my-{name.strip()}".replace("=", "-")
        yield Wrong((name,), f'{reason}; give the axis another name, as in "{other}"')
    else:
        for group in groups:
            try:
                check_name(group)
            except ValueError as error:
                yield Wrong((name, group), str(error))


Axes = Annotated[dict[str, AxisValues], WrapValidator(_name_axes), ConfigurationKeys()]


class TextOrTable(Section):
    """An entry of a list that may be text instead of a table."""

    kinds: ClassVar[str]
    """What it may be, for a message."""

    @classmethod
    @abstractmethod
    def table_of(cls, text: str) -> dict[str, Any]:
        """Give the table that a text stands for."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        if isinstance(given, str) and given.strip():
            return cls.table_of(given)
        if not isinstance(given, Mapping):
            raise must(cls.kinds)
        return given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Add text to what it may be."""
        return {"anyOf": [TEXT, handler(schema)]}


class TraceTable(TextOrTable, WithSettings):
    """A file beside this one, a name of the catalogue or of what is extended; or a table."""

    within = "trace"
    kinds = "a file, a name, or a table with source or generate"
    name: Name = ""
    """What tables call it."""
    source: FilePath = ""
    """A file beside this one, or a name of the catalogue."""
    generate: dict[str, Any] | None = None
    """What `reclaim trace generate` takes."""
    set: Settings = Field({})
    """Settings with this trace."""

    @classmethod
    def table_of(cls, text: str) -> dict[str, Any]:
        """Give the table that a text stands for."""
        return {"source": text}

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it has one origin, and a name that a file can have if it is generated."""
        if ("source" in table) == ("generate" in table):
            one = 'needs either source = "file or name" or generate = { a description }, one of them'
            yield Wrong((), one)
        elif "generate" in table and "name" not in table:
            yield Wrong((), 'a generated trace needs a name, as in { name = "uniform", generate = { … } }')
        name = str(table.get("name", ""))
        if "generate" in table and ("/" in name or name.startswith(".")):
            text = f'"{name}": a generated trace is written to a file of this name; use no / in it'
            yield Wrong(("name",), text)


def _by_trace(given: Any, info: ValidationInfo) -> Any:
    """Settings by the name of the trace that they are for: a table, or the name of a TOML file with one."""
    where = "it"
    if isinstance(given, str):
        given, where = toml_file(named(info).base / given), given
    if not isinstance(given, Mapping):
        raise must("a table of settings by trace, or a TOML file")
    there = ", ".join(map(str, given)) or "none"
    missing = [
        Wrong(
            (),
            f'{where} has no table for the trace "{name}" (an empty one will do); '
            f"there are: {there}{near(name, map(str, given))}",
        )
        for name in named(info).traces
        if name not in given
    ]
    return together(given, lambda table: table, missing)


class SchemeTable(TextOrTable, WithSettings):
    """Names of schemes and settings joined by +, or a table."""

    kinds = "the name of a scheme, or a table with a name"
    name: Words = Field(examples=["mine"])
    """What tables call it."""
    schemes: tuple[Scheme, ...] = Field((), examples=[["greedy"]])
    """Names of `reclaim scheme list`."""
    set: Settings = Field({})
    """Settings of this scheme."""
    for_traces: Annotated[
        dict[str, Settings],
        BeforeValidator(_by_trace, json_schema_input_type=dict[str, Settings] | Words),
    ] = Field({})
    """Settings by trace, for each of them: a table, or a TOML file with one."""

    @classmethod
    def table_of(cls, text: str) -> dict[str, Any]:
        """Give the table that a text stands for."""
        names, settings = parse_scheme(text)
        if own := [each for each in names if is_own(each)]:
            raise InputError(
                f'"{text}": a policy of your own is a setting of its kind here: {{ name = "mine", '
                f'set = {{ "gc.victim" = {{ kind = "python", function = "{own[0]}" }} }} }}'
            )
        return {"name": text, "schemes": names, "set": settings}

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it can be called so: a file may have its name."""
        try:
            check_name(str(table.get("name", "a")))
        except ValueError as error:
            yield Wrong(("name",), str(error))


class Comparison(Section):
    """What reports show side by side, one after the other, instead of all schemes."""

    name: Name = ""
    """What it is called (default: as the candidate)."""
    candidate: SchemeName = Field(examples=["adaptive"])
    """A scheme of this experiment."""
    baseline: SchemeName = Field(examples=["greedy"])
    """The scheme that it is meant to improve on."""
    metric: Metric | None = Field(None, examples=["write_mean_ns"])
    """What it is meant to improve, a column of the table of points: what the first picture shows."""
    control: SchemeName | None = Field(None, examples=["greedy"])
    """A simpler scheme that is shown beside it, over the same baseline."""
    about: Words = ""
    """A sentence or two."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that it compares two schemes."""
        if "baseline" in table and table["baseline"] == table.get("candidate"):
            text = f'is "{table["baseline"]}", as candidate is; name another scheme'
            yield Wrong(("baseline",), text)


def _time(text: str) -> str:
    if not TIME.fullmatch(text):
        raise must('a time with its unit, as in "10us"')
    return text


class Repeats(Section):
    """How often every point is run, and in what the runs differ."""

    count: StrictInt = Field(default=1, ge=1, le=10_000)
    """How many there are."""
    by: Literal["seed", "rotate", "workload", "jitter"] = "seed"
    """What differs."""
    jitter: Annotated[Words, AfterValidator(_time)] = ""
    """With by = "jitter": by how much arrivals move at most."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that a jitter has a size, and that a size is one of a jitter."""
        by = table.get("by", "seed")
        if by == "jitter" and "jitter" not in table:
            yield Wrong(("by",), 'needs the size of the jitter, as in jitter = "10us"')
        if by != "jitter" and "jitter" in table:
            vain = f'would do nothing with by = "{by}"; leave it out, or use by = "jitter"'
            yield Wrong(("jitter",), vain)


class Recorded(Section):
    """What is kept of every point beside its results."""

    timeline: StrictBool = False
    """What went on over simulated time, 2,048 intervals a point."""
    gc: StrictBool = False
    """One row per collected block."""
    requests: StrictBool = False
    """One row per request."""
    audit: StrictBool = False
    """Check the drive's invariants and every page's data."""


class ExperimentFile(WithSettings):
    """An experiment of Reclaim."""

    written = '"{key}" = {value} under [set]'
    model_config = ConfigDict(
        json_schema_extra={
            "required": ["name"],
            "anyOf": [{"required": ["devices", "traces"]}, {"required": ["extends"]}],
            "dependentRequired": {"without": ["extends"]},
        }
    )
    name: Name = Field("", examples=["victims"])
    """What the experiment is called: of its folder, its report."""
    about: Words = ""
    """One line."""
    extends: Words = ""
    """Another experiment, beside this one: what this one leaves as it is."""
    without: tuple[Words, ...] = Field((), min_length=1)
    """Keys of what is extended that are left out: "record", "set.trace.remap"."""
    devices: tuple[Device, ...] = Field((), min_length=1, examples=[["gc-bypass-mini"]])
    """Names of drives, or .toml files beside this one."""
    traces: tuple[TraceTable, ...] = Field((), min_length=1, examples=[["bundled/varmail"]])
    """Files beside this one, names of the catalogue or of what is extended."""
    schemes: tuple[SchemeTable, ...] = Field((), min_length=1, examples=[["greedy", "fifo"]])
    """What is compared: names joined by +, with settings, or tables."""
    set: Settings = Field({})
    """Settings of every point."""
    axes: Axes = Field({})
    """Crossed with everything: values of a key, or named groups."""
    vary: Axes = Field({})
    """Each varied alone around the first value of everything else."""
    repeats: Repeats = Repeats()
    record: Recorded = Recorded()
    comparisons: Annotated[tuple[Comparison, ...], named_twice("comparisons", "name", "candidate")] = ()


@cache
def file_with(sections: frozenset[str]) -> type[ExperimentFile]:
    """Give the model of a file that has some sections of studies: others are not imported, but known."""
    fields = {
        name: (Optional[each.model()] if name in sections else Any, None)  # noqa: UP045 - made as it runs
        for name, each in OF_EXPERIMENTS.items()
    }
    return create_model("ExperimentFile", __base__=ExperimentFile, __doc__=ExperimentFile.__doc__, **fields)  # type: ignore[call-overload,no-any-return]


AS_CONFIGURED = "as configured"
"""What the scheme is called where none is named: the drive as its file has it."""
REQUIRED = ("name", "devices", "traces")


def read_parts(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> FileParts:
    """Read a whole file; what is wrong is left out and noted."""
    for key in REQUIRED:
        if key not in table:
            mistakes.add((), missing(key, keys_of(ExperimentFile)[key]))
    asked = OF_EXPERIMENTS.keys() & table.keys()
    file, left_out = read(file_with(frozenset(asked)), table, mistakes, _named(table, base))
    assert file is not None  # noqa: S101 - all of its keys can be left out

    def numbered(key: str, entries: Sequence[Any]) -> Iterator[tuple[KeyPath, Any]]:
        """Entries of a list with their places in the file: some may have been left out."""
        places = (number for number in range(len(listed(table.get(key)))) if (key, number) not in left_out)
        return (((key, number), entry) for number, entry in zip(places, entries, strict=False))

    devices = (_device(name, base, path, mistakes) for path, name in numbered("devices", file.devices))
    traces = [_trace(each, base, path, mistakes) for path, each in numbered("traces", file.traces)]
    schemes = [
        _scheme(each, base, path, isinstance(table["schemes"][path[1]], str), mistakes)
        for path, each in numbered("schemes", file.schemes)
    ]
    parts = FileParts(
        name=file.name,
        about=file.about,
        devices=tuple(each for each in devices if each is not None),
        traces=tuple(traces),
        schemes=tuple(schemes) if "schemes" in table else (SchemeEntry(AS_CONFIGURED, (), {}, ("schemes",)),),
        settings=read_settings(file.set, ("set",), base, mistakes),
        axes=_axes({"axes": file.axes, "vary": file.vary}, base, mistakes),
        repeats=file.repeats,
        record=Record(**dict(file.record)),
        comparisons=file.comparisons,
        sections={name: each for name in asked if (each := getattr(file, name)) is not None},
    )
    for entries in (parts.devices, parts.traces, parts.schemes):
        _named_once(entries, mistakes)
    for trace in traces:
        if trace.name == ALL_TRACES:
            mistakes.add(trace.path, f'"{ALL_TRACES}" is what figures have beside the traces; rename it')
    for name in OF_EXPERIMENTS:
        if name in asked:
            OF_EXPERIMENTS[name].model().check(parts.sections.get(name), parts, mistakes)
    return parts


def _named(table: Mapping[str, Any], base: Path) -> SectionNames:
    """What sections of a table may refer to, as far as it can be told."""

    def names(key: str) -> tuple[str, ...]:
        entries = (each if isinstance(each, Mapping) else {"name": each} for each in listed(table.get(key)))
        given = (each.get("name", each.get("source")) for each in entries)
        return tuple(each for each in given if isinstance(each, str))

    repeats = table.get("repeats")
    count = repeats.get("count", 1) if isinstance(repeats, Mapping) else 1
    return SectionNames(
        base,
        names("schemes") or (AS_CONFIGURED,),
        names("traces"),
        count if isinstance(count, int) else 1,
    )


def _named_once(entries: Sequence[DeviceEntry | TraceEntry | SchemeEntry], mistakes: Mistakes) -> None:
    known: set[str] = set()
    for entry in entries:
        if entry.name in known:
            mistakes.add(entry.path, f'"{entry.name}" is listed twice; give one of them another name')
        known.add(entry.name)


def _device(name: str, base: Path, path: KeyPath, mistakes: Mistakes) -> DeviceEntry | None:
    """A drive by its name, or a file relative to the experiment."""
    is_file = name.endswith(".toml") or "/" in name
    if is_file and not (base / name).exists():
        mistakes.add(path, f'"{name}": no such file; it would be {base / name}')
        return None
    source = str(base / name) if is_file else name
    # Without a slash it would be the name of a drive.
    beside = is_file and not source.endswith(".toml") and "/" not in source
    return DeviceEntry(name, f"./{source}" if beside else source, path)


def _trace(entry: TraceTable, base: Path, path: KeyPath, mistakes: Mistakes) -> TraceEntry:
    settings = read_settings(entry.set, (*path, "set"), base, mistakes)
    return TraceEntry(entry.name or entry.source, entry.source, entry.generate, settings, path)


def _scheme(entry: SchemeTable, base: Path, path: KeyPath, is_text: bool, mistakes: Mistakes) -> SchemeEntry:
    settings = read_settings(entry.set, path if is_text else (*path, "set"), base, mistakes)
    if is_text:
        settings = {key: Setting(each.text, path) for key, each in settings.items()}
    for_traces = {
        name: read_settings(table, (*path, "for_traces", name), base, mistakes)
        for name, table in entry.for_traces.items()
    }
    return SchemeEntry(entry.name, entry.schemes, settings, path, for_traces)


def _axes(tables: Mapping[str, Mapping[str, Any]], base: Path, mistakes: Mistakes) -> tuple[Axis, ...]:
    """Read the tables `axes` and `vary`, axes before what is varied."""
    axes: list[Axis] = []
    for section, table in tables.items():
        for name, value in table.items():
            path: KeyPath = (section, name)
            if isinstance(value, Mapping):
                groups = value.items()
                choices = [
                    AxisValue(group, read_settings(each, (*path, group), base, mistakes))
                    for group, each in groups
                ]
            else:
                choices = _values(value, path, base, mistakes)
            axes.append(Axis(name, tuple(choices), section == "axes"))
    _set_once(axes, mistakes)
    return tuple(axes)


def _values(values: Sequence[Any], path: KeyPath, base: Path, mistakes: Mistakes) -> list[AxisValue]:
    choices: dict[str, AxisValue] = {}
    for number, value in enumerate(values):
        setting = read_setting(str(path[-1]), value, (*path, number), base, mistakes)
        if setting is not None and value_text(value) in choices:
            mistakes.add((*path, number), f'"{value_text(value)}" is listed twice')
        elif setting is not None:
            choices[value_text(value)] = AxisValue(value_text(value), {str(path[-1]): setting})
    return list(choices.values())


def _set_once(axes: list[Axis], mistakes: Mistakes) -> None:
    """Refuse two axes that change the same setting: one of them would be in vain."""
    owner: dict[str, Axis] = {}
    names: dict[str, str] = {}
    for axis in axes:
        path = _path(axis)
        for key in dict.fromkeys(key for choice in axis.choices for key in choice.settings):
            said, other = next(
                ((known, of) for known, of in owner.items() if is_same(key, known)), (key, axis)
            )
            owner.setdefault(key, axis)
            if other is axis:
                continue
            does = "so does" if said == key else f"{said}, which says the same, is set by"
            mistakes.add(path, f"sets {key}, and {does} {dotted(_path(other))}; only one of them can")
        other_name = names.setdefault(axis.name.lower(), axis.name)
        if other_name != axis.name:
            mistakes.add(path, f'is "{other_name}" to SQL; give it another name')
        elif any(each is not axis and each.name == axis.name for each in axes[: axes.index(axis)]):
            mistakes.add(path, "is an axis already; give it another name")


def _path(axis: Axis) -> KeyPath:
    return ("axes" if axis.crossed else "vary", axis.name)

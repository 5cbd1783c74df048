"""Sections of files that users write, as pydantic models: a mistake has its line, key and what is valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from reclaim.mistakes import KeyPath, Mistakes, dotted, kind_of, parse_toml, valid
from reclaim.parsing import text_of, toml_value

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

MUST = {
    "string": "text that is not empty",
    "bool": "true or false",
    "tuple": "a list",
    "dict": "a table",
    "model": "a table",
    "too": "a list with something in it",
}
"""What a value must be, by the first word of pydantic's name of the error."""
NUMBERS = ("int", "float", "finite", "greater", "less")
BOUNDS = {"ge": "from", "gt": "above", "le": "to", "lt": "and below"}


class Wrong(NamedTuple):
    """A mistake that a check finds: at its own key, or at one below."""

    path: KeyPath
    text: str


class Section(BaseModel):
    """A table of a file; a key that it does not name is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @classmethod
    def mistakes_in(cls, _table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """Give what is wrong between keys of the table as it is written; what a key may be, its type says."""
        return ()

    @classmethod
    def instead_of(cls, _key: str, _value: Any, /) -> str:
        """Say how a key that is not of this table is written where it belongs; nothing if unknown."""
        return ""

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, table: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        more = cls.mistakes_in(table, info.context) if isinstance(table, Mapping) else ()
        section: Self = together(table, handler, more)
        return section


def also(mistakes_in: Callable[[Any], Iterable[Wrong]]) -> WrapValidator:
    """Make a validator that tells what a check finds together with what the type of a value refuses."""
    return WrapValidator(lambda value, handler: together(value, handler, mistakes_in(value)))


def together(value: Any, handler: Callable[[Any], Any], more: Iterable[Wrong]) -> Any:
    """Give what a validator makes of a value.

    Raises:
        ValidationError: with all that it refuses, and the mistakes that somebody else found.
    """
    errors: list[InitErrorDetails] = []
    checked = None
    try:
        checked = handler(value)
    except ValidationError as error:
        errors += [_again(each) for each in error.errors(include_url=False)]
    errors += [InitErrorDetails(type=_said("said", each.text), loc=each.path, input=value) for each in more]
    if errors:
        raise ValidationError.from_exception_data("section", errors)
    return checked


def _again(error: ErrorDetails) -> InitErrorDetails:
    """An error that was caught, to be raised with others."""
    own = error["type"] in ("said", "must")
    kind = _said(error["type"], error["msg"]) if own else error["type"]
    return InitErrorDetails(type=kind, loc=error["loc"], input=error["input"], ctx=error.get("ctx", {}))


def _said(kind: str, text: str) -> PydanticCustomError:
    return PydanticCustomError(kind, "{said}", {"said": text})


def must(be: str) -> PydanticCustomError:
    """Make the error of a validator that wanted something else; the message adds what the value is."""
    return _said("must", be)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise must(MUST["string"])
    return text


def listed(value: Any) -> list[Any]:
    """Give the entries of a list; none of what is no list."""
    return value if isinstance(value, list) else []


def listed_twice(values: Any) -> Iterable[Wrong]:
    """Give the entries of a list that stand before them already."""
    for number, each in enumerate(listed(values)):
        if each in values[:number]:
            yield Wrong((number,), f'"{each}" is listed twice')


def named_twice(kind: str, key: str, default: str = "") -> WrapValidator:
    """Make a validator that refuses two tables of a kind with one name; without one, that is another key."""

    def twice(tables: Any) -> Iterable[Wrong]:
        names = [
            each.get(key, each.get(default)) if isinstance(each, Mapping) else None for each in listed(tables)
        ]
        for number, name in enumerate(names):
            if name and name in names[:number]:
                yield Wrong((number, key), f'there is a [[{kind}]] "{name}" already')

    return also(twice)


Words = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
Model = TypeVar("Model", bound=Section)


def keys_of(section: type[Section]) -> dict[str, FieldInfo]:
    """Give the fields of a section by their keys in the file."""
    return {field.alias or name: field for name, field in section.model_fields.items()}


def read(
    model: type[Model], table: Mapping[str, Any], mistakes: Mistakes, context: object = None
) -> tuple[Model | None, frozenset[KeyPath]]:
    """Read a table: every mistake is noted, and what is wrong is left out.

    Args:
        model: what the table may say.
        table: as it was parsed.
        mistakes: where they are noted.
        context: what validators ask beside the table.

    Returns:
        The section, None if nothing of it can be read, and the places of what was left out.
    """
    left_out: set[KeyPath] = set()
    rest: Any = table
    while True:
        try:
            return model.model_validate(rest, context=context), frozenset(left_out)
        except ValidationError as error:
            problems = error.errors(include_url=False)
        if rest is table:
            told = [each for each in problems if not _follows(each, problems)]
            # Only so many are told: a key that is misspelt says more than what it lacks then.
            told.sort(key=lambda each: each["type"] != "extra_forbidden")
            left_out = {_note(each, model, table, mistakes) for each in told}
            wrong = left_out
        else:
            # What is left says something else than the table did: no list of it is taken in part.
            wrong = {_place(rest, each["loc"])[:1] for each in problems}
        if () in wrong:
            return None, frozenset(left_out)
        rest = _without(rest, wrong)


def _follows(error: ErrorDetails, others: Iterable[ErrorDetails]) -> bool:
    """Whether a list is too short only because its entries are wrong."""
    loc = error["loc"]
    return error["type"] == "too_short" and any(
        len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in others
    )


def _note(error: ErrorDetails, model: type[Section], table: Mapping[str, Any], mistakes: Mistakes) -> KeyPath:
    path = _place(table, error["loc"])
    mistakes.add(path, _text(error, model, path))
    return path


def load(model: type[Model], path: Path, context: object = None) -> Model:
    """Read a file.

    Raises:
        InputError: with every mistake, a line each.
    """
    mistakes = Mistakes(str(path), text_of(path))
    table = parse_toml(mistakes.source, mistakes)
    section = None if mistakes.count else read(model, table, mistakes, context)[0]
    mistakes.refuse()
    assert section is not None  # noqa: S101 - a mistake says why
    return section


def _without(value: Any, left_out: set[KeyPath], path: KeyPath = ()) -> Any:
    """A value without what is left out of it."""
    inside = _inside(value)
    if inside is None:
        return value
    kept = {
        key: _without(each, left_out, (*path, key))
        for key, each in inside.items()
        if (*path, key) not in left_out
    }
    return kept if isinstance(value, Mapping) else list(kept.values())


def _inside(value: Any) -> Mapping[Any, Any] | None:
    """What is in a table or a list by key or number; None for anything else."""
    if isinstance(value, list):
        return dict(enumerate(value))
    return value if isinstance(value, Mapping) else None


def _place(table: Mapping[str, Any], loc: KeyPath) -> KeyPath:
    """Where in a table an error is: pydantic names kinds of a union, too, and keys that are missing."""
    path: list[str | int] = []
    value: Any = table
    for part in loc:
        inside = _inside(value)
        if inside is not None and part in inside:
            value = inside[part]
            path.append(part)
    return tuple(path)


def _section_in(kind: Any) -> type[Section] | None:
    """The section that a type is or holds."""
    if isinstance(kind, type) and issubclass(kind, Section):
        return kind
    return next((inner for each in get_args(kind) if (inner := _section_in(each)) is not None), None)


def _field(model: type[Section], loc: KeyPath) -> tuple[type[Section], str, FieldInfo | None]:
    """The section in which an error is, and the key and field that it is in."""
    section, key, field = model, "", None
    for part in loc:
        inner = keys_of(section).get(str(part))
        if inner is not None:
            key, field = str(part), inner
            below = _section_in(inner.annotation)
            if below is None:
                break
            section = below
        elif isinstance(part, str):
            field = None
    return section, key, field


def _text(error: ErrorDetails, model: type[Section], path: KeyPath) -> str:
    """Say what is wrong, and what would be valid."""
    section, key, field = _field(model, error["loc"])
    value, last = error["input"], str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "missing":
            return missing(last, field)
        case "extra_forbidden":
            return f"unknown key; {section.instead_of(last, value) or valid(last, keys_of(section))}"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", error["ctx"]["expected"])
            return f"{kind_of(value)} is unknown; {valid(str(value), choices)}"
        case "too_long":
            return f"has {len(value)} entries; the most is {error['ctx']['max_length']}"
        case kind:
            must_be = _must_be(error, field, path)
    if must_be is None:
        return str(error["ctx"]["error"]) if kind == "value_error" else error["msg"]
    bare = isinstance(value, str) and value.isdecimal() and "number" in must_be
    hint = f"; write it without quotes: {value}" if bare else ""
    return f"must be {must_be}{_example(key, field)}, not {kind_of(value)}{hint}"


def _must_be(error: ErrorDetails, field: FieldInfo | None, path: KeyPath) -> str | None:
    """Say what a value must be; None where the error says by itself what is wrong."""
    if error["type"] == "must":
        return error["msg"]
    if error["type"].startswith(NUMBERS):
        return _number(field)
    must_be = MUST.get(error["type"].partition("_")[0])
    if must_be == "a table" and not any(isinstance(part, int) for part in path):
        must_be = f"a table, written [{dotted(path)}]"
    return must_be


def missing(key: str, field: FieldInfo | None) -> str:
    """Say that a key is missing, and how it is written."""
    return f"{key} is missing{_example(key, field)}"


def _example(key: str, field: FieldInfo | None) -> str:
    return f", as in {key} = {toml_value(field.examples[0])}" if field and field.examples else ""


def _number(field: FieldInfo | None) -> str:
    """Say which numbers a field takes."""
    if field is None:
        return "a number"
    ends = [
        f"{word} {end:g}" if isinstance(end, float) else f"{word} {end}"
        for bound in field.metadata
        for name, word in BOUNDS.items()
        if (end := getattr(bound, name, None)) is not None
    ]
    kind = "a whole number" if field.annotation is int else "a number"
    return " ".join([kind, *ends])

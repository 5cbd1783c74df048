"""Every public function and method refuses an argument of another kind, and names it."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import reclaim
from reclaim.arguments import OWN_CHECKS, fits, kinds_of

WRONG: tuple[Any, ...] = (None, 3, "text", b"bytes", 1.5, True, ["a"], [3], {"a": 1}, int, object(), object)
LEFT_OPEN = {"ResultSet.only.points": "a table of Polars, which is imported late"}
"""Parameters that take more than a kind can say, beside further keywords."""
EXCEPTIONS = ("AuditError", "InputError", "ReclaimError", "ResultWarning", "SimulationError")
MARKS = ("victim_policy", "trigger_policy", "concurrency_policy", "allocation_policy", "separation_policy")


def public() -> Iterator[tuple[str, Callable[..., Any], bool]]:
    """Every public function and method with its name, and whether it takes an object first."""
    for name in reclaim.__all__:
        thing = getattr(reclaim, name)
        if name in EXCEPTIONS:
            continue
        if not isinstance(thing, type):
            yield name, thing, False
            continue
        for each in dir(thing):
            found = inspect.getattr_static(thing, each)
            if each.startswith("_") or not isinstance(found, types.FunctionType | classmethod | staticmethod):
                continue
            function = found if isinstance(found, types.FunctionType) else found.__func__
            yield f"{name}.{each}", function, not isinstance(found, staticmethod)


def test_the_package_shows_what_is_public_and_nothing_else() -> None:
    assert dir(reclaim) == sorted([*reclaim.__all__, "__version__"])
    for name in dir(reclaim):
        assert getattr(reclaim, name) is not None
    # A room of the package does not take the place of a function of its name.
    modules = [name for name in dir(reclaim) if isinstance(getattr(reclaim, name), types.ModuleType)]
    assert modules == []
    with pytest.raises(AttributeError, match="no attribute 'tuned'"):
        getattr(reclaim, "tuned")  # noqa: B009 - a name that nothing has


PUBLIC = list(public())


RIGHT: Mapping[Any, Any] = {
    int: 1,
    float: 1.0,
    str: "x",
    bool: False,
    Path: Path("x"),
    type(None): None,
    Callable: print,
}


def right(kind: Any) -> Any:
    """A value of a kind."""
    origin, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return right(inner[0])
    if origin is typing.Literal:
        return inner[0]
    if origin in RIGHT:
        return RIGHT[origin]
    if not isinstance(origin, type):
        return print
    plain = [each for each in ({}, []) if fits(each, kind)]
    return plain[0] if plain else object.__new__(origin)


@pytest.mark.parametrize(("name", "function", "bound"), PUBLIC, ids=[each[0] for each in PUBLIC])
def test_a_wrong_kind_is_refused_by_name(name: str, function: Callable[..., Any], bound: bool) -> None:
    parameters = list(inspect.signature(function).parameters.values())[bound:]
    kinds = kinds_of(inspect.unwrap(function))
    if name.partition(".")[2] in OWN_CHECKS:
        pytest.skip("tests/python/answers/cases/api_*.py")
    if parameters and name not in MARKS:
        assert hasattr(function, "__wrapped__"), f"{name} does not check its arguments: @checked"
    for parameter in parameters:
        if f"{name}.{parameter.name}" in LEFT_OPEN or parameter.kind is parameter.VAR_KEYWORD:
            continue
        kind = kinds.get(parameter.name)
        assert kind is not None, f"{name}: what is {parameter.name}?"
        wrong = [value for value in WRONG if not fits(value, kind)]
        assert wrong or kind is typing.Any or isinstance(kind, typing.TypeVar), (
            f"{name}.{parameter.name}: {kind}"
        )
        for value in wrong:
            given: list[Any] = [object()] if bound else []
            named: dict[str, Any] = {}
            for other in parameters:
                needed = other is parameter or other.default is other.empty
                if other.kind is other.VAR_POSITIONAL:
                    given += [value] if other is parameter else []
                elif needed and other.kind is not other.VAR_KEYWORD:
                    named[other.name] = value if other is parameter else right(kinds.get(other.name))
            if parameter.kind is parameter.VAR_POSITIONAL:
                named = {}
            with pytest.raises(reclaim.InputError, match=parameter.name):
                function(*given, **named)


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (int, (1, 2**64), (1.5, "1", None)),
        (float, (1, 1.5), ("1.5", None, [1])),
        (str, ("a",), (b"a", 5, None)),
        (bool, (True,), (1, "yes")),
        (Path, ("a", Path("a")), (b"a", 5, ["a"], None)),
        (list[str], (["a"], ("a",), []), ("a", [5], {"a": 1}, 5)),
        (Mapping[str, int], ({"a": 1},), ([("a", 1)], "a=1")),
        (Callable[..., Any], (print,), (5, "print")),
    ],
    ids=str,
)
def test_what_is_of_a_kind(kind: Any, right: tuple[object, ...], wrong: tuple[object, ...]) -> None:
    assert [fits(value, kind) for value in right] == [True] * len(right)
    assert [fits(value, kind) for value in wrong] == [False] * len(wrong)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("value", [None, 3, "text", {}])
def test_only_what_can_be_called_is_a_policy(mark: str, value: object) -> None:
    with pytest.raises(reclaim.InputError, match="policy must be a function"):
        getattr(reclaim, mark)(value)


def test_a_table_is_no_list_of_records() -> None:
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"time": [0], "op": ["read"], "offset": [0], "size": [4096]})
    with pytest.raises(reclaim.InputError, match=r"records must be a list of records.*records\.rows\(\)"):
        reclaim.Trace.from_records(table)


def test_a_policy_in_python_is_a_value_of_a_setting() -> None:
    from own_policies import fewest_valid

    drive = reclaim.Device.preset("gc-bypass-mini").set("gc.victim", fewest_valid)
    assert drive.config["gc"]["victim"]["kind"] == "python"

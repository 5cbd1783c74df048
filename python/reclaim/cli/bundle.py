"""Options that several commands share, declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


def takes(
    name: str, build: Callable[..., Any], options: Iterable[inspect.Parameter] | None = None
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command, or what makes another argument, the parameters of `build` instead of one of its own.

    It gets what `build` makes of them; `options` are its parameters where it takes any. All are
    given by name, as Typer does: their order is that of the help, and one with a default may stand before
    one without.

    >>> def span(first: int, last: int = 9) -> range:
    ...     return range(first, last + 1)
    >>> @takes("span", span)
    ... def count(word: str, span: range) -> None:
    ...     print(word, len(span))
    >>> count(word="numbers:", first=5)
    numbers: 5
    """
    taken = list(options or inspect.signature(build, eval_str=True).parameters.values())

    def decorated(command: Callable[..., Result]) -> Callable[..., Result]:
        signature = inspect.signature(command, eval_str=True)
        listed: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            listed += taken if parameter.name == name else [parameter]
        listed = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in listed]

        @functools.wraps(command)
        def with_options(**given: Any) -> Result:
            used = {each.name: given.pop(each.name) for each in taken if each.name in given}
            return command(**given, **{name: build(**used)})

        with_options.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
        with_options.__annotations__ = {each.name: each.annotation for each in listed}
        return with_options

    return decorated

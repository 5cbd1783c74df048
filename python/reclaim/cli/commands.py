"""Commands as all of `reclaim` has them: no option twice, none empty, and Ctrl-C is answered with a line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType

from reclaim import encoding
from reclaim.cli import streams
from reclaim.errors import InputError


def _check_argument(parameter: Any, value: object) -> None:
    """Refuse an empty word, which as a path would be the present folder."""
    if value == "":
        raise InputError(f"{parameter.metavar or parameter.name.upper()}: is empty; give a name")


@contextmanager
def _readable() -> Iterator[None]:
    """Let messages about the words of a command line show what is hidden in them."""
    try:
        yield
    except Exception as error:
        # What Typer raises has its message here; it exports no class of all of them.
        if isinstance(said := getattr(error, "message", None), str):
            error.message = encoding.message(said)  # type: ignore[attr-defined]
        raise


class Whole(TyperGroup):
    """The command line as a whole."""

    def make_context(self, *words: Any, **how: Any) -> Any:
        """Read the words before the first command."""
        with _readable():
            return super().make_context(*words, **how)

    def invoke(self, ctx: Any) -> Any:
        """Read all other words, and run the command."""
        with _readable():
            return super().invoke(ctx)


class Command(TyperCommand):
    """A command that refuses what would be done in vain."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line."""
        values, _, order = self.make_parser(ctx).parse_args(args=list(args))
        named: set[str] = set()
        for parameter in order:
            if parameter.param_type_name != "option":
                _check_argument(parameter, values.get(parameter.name))
                continue
            option = max(parameter.opts, key=len)
            value = values.get(parameter.name)
            if value == "" or (isinstance(value, list) and "" in value):
                raise InputError(f"{option}: is given without a value")
            if parameter.name in named and not (parameter.multiple or getattr(parameter, "is_flag", False)):
                raise InputError(f"{option} is given twice; give it once")
            named.add(parameter.name)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever reads has read enough, as in `| head`: no mistake, and nobody need hear of it.
            streams.give_up(sys.stdout)
            raise typer.Exit(streams.READ_ENOUGH) from None
        except KeyboardInterrupt as stop:
            streams.say_stopped(str(stop))
            raise


class Commands(typer.Typer):
    """A group of such commands."""

    def command(
        self, name: str | None = None, **how: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Make a function one of them."""
        return super().command(name, **{"cls": Command, **how})

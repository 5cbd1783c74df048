"""Commands as all of `reclaim` has them: no option twice, none empty, and Ctrl-C is answered with a line."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType

from reclaim import encoding
from reclaim.cli import console, streams
from reclaim.errors import InputError

DRIVE, READING, LOAD, RUNNING, OUTPUT = (
    "Drive",
    "Reading the trace",
    "Load",
    "Running",
    "Output",
)
PANELS = {
    DRIVE: "device scheme schemes sets warmup start seed save_state load_state scaled_from",
    READING: "format_name sort trace_device event time_unit columns separator on_error",
    LOAD: "mode queue_depth time_scale target_utilisation target_total_utilisation remap remap_unit "
    "untimed windows until measure_after no_order_check",
    RUNNING: "workers memory dask retry accept_build cost audit repeats plays time_limit",
    OUTPUT: "output force json quiet report figures every_figure csv latex markdown form record_requests "
    "record_gc record_timeline timeline timeline_window watch",
}
"""Below which heading the help of a command has which parameters; all others are its own, and come first."""
_PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names.split()}
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no progress and no notes, but warnings.")]


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


def _dress(parameter: Any) -> None:
    """Put a parameter below its heading of the help; a switch is followed by nothing."""
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    if getattr(parameter, "rich_help_panel", None) is None and parameter.param_type_name == "option":
        parameter.rich_help_panel = _PANEL_OF.get(parameter.name)


class _WithHelp:
    """A command or a group whose help is in parts."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            _dress(parameter)
        try:
            super().format_help(ctx, formatter)  # type: ignore[misc]
        except SystemExit:
            # Whoever reads it has read enough.
            streams.give_up(sys.stdout)
            raise typer.Exit(streams.READ_ENOUGH) from None


class Group(_WithHelp, TyperGroup):
    """A group of commands."""


class Whole(Group):
    """The command line as a whole."""

    def make_context(self, *words: Any, **how: Any) -> Any:
        """Read the words before the first command."""
        with _readable():
            return super().make_context(*words, **how)

    def invoke(self, ctx: Any) -> Any:
        """Read all other words, and run the command."""
        with _readable():
            return super().invoke(ctx)


class Command(_WithHelp, TyperCommand):
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


def _can_be_quiet(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option `--quiet`, unless it has one of its own."""
    signature = inspect.signature(command, eval_str=True)
    if "quiet" in signature.parameters:
        return command
    quiet = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    listed = [*(each.replace(kind=each.KEYWORD_ONLY) for each in signature.parameters.values()), quiet]

    @functools.wraps(command)
    def with_quiet(**given: Any) -> None:
        if given.pop("quiet"):
            console.hush()
        command(**given)

    with_quiet.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
    with_quiet.__annotations__ = {each.name: each.annotation for each in listed}
    return with_quiet


class Commands(typer.Typer):
    """A group of such commands."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**{"cls": Group, **how})

    def command(
        self, name: str | None = None, **how: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Make a function one of them."""
        made = super().command(name, **{"cls": Command, **how})

        def decorated(function: CommandFunctionType) -> CommandFunctionType:
            made(_can_be_quiet(function))
            return function

        return decorated

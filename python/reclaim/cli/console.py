"""Where the command line writes: results to stdout, everything about the run itself to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from reclaim import encoding
from reclaim.cli import streams
from reclaim.report import document as report
from reclaim.report.terminal import drawn
from reclaim.start import in_words
from reclaim.units import LABELS, MISSING, by_key, written

PIPED_WIDTH = 160


class _Plain(Console):
    """What is drawn has the colours that Reclaim gives it, and nothing that is hidden in names of users."""

    def print(self, *objects: Any, **how: Any) -> None:
        """Write; a line is left whole, for the terminal to break, so that it can be copied."""
        whole = any(isinstance(each, str) for each in objects)
        super().print(*objects, **{"soft_wrap": whole, **how})

    def render_str(self, text: str, **how: Any) -> Text:
        """Make text of a string."""
        return super().render_str(encoding.visible(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Draw a thing, and all that is in it."""
        return super().render(_visible(renderable) if isinstance(renderable, Text) else renderable, options)


def _visible(text: Text) -> Text:
    """The same text in the same styles; what is hidden in it is written as its number."""
    ends = {end for at, each in enumerate(text.plain) if encoding.is_hidden(each) for end in (at, at + 1)}
    if not ends:
        return text
    shown = text.blank_copy()
    for part in text.divide(sorted(ends)):
        written_out = encoding.visible(part.plain)
        shown.append_text(part if written_out == part.plain else Text(written_out))
    return shown


class _Results(_Plain):
    """Standard output, whose end is not passed over."""

    def on_broken_pipe(self) -> None:
        """Leave it to the command."""
        raise BrokenPipeError


class _Notes(_Plain):
    """Standard error: what cannot be written there costs nobody a result; no line is endless."""

    hushed = False
    """Whether neither progress nor notes are wanted."""

    def print(self, *objects: Any, **how: Any) -> None:
        """Write a line, if that can be; what is dim is a note."""
        if self.hushed and how.get("style") == "dim":
            return
        shown = [encoding.message(each) if isinstance(each, str) else each for each in objects]
        try:
            super().print(*shown, **how)
        except OSError:
            streams.give_up(sys.stderr)

    def on_broken_pipe(self) -> None:
        """Go on without it."""
        streams.give_up(sys.stderr)


# Names and paths that users choose are shown as they are: [red] in one is no colour, and :100:, the number of
# a line, no picture.
out = _Results(highlight=False, soft_wrap=False, markup=False, emoji=False)
err = _Notes(stderr=True, highlight=False, markup=False, emoji=False)
if not out.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
    # A file or pipe has no width; do not fold tables at the 80 columns rich assumes.
    out.width = PIPED_WIDTH


def command_line() -> str:
    """The command that is running, as a line for a shell."""
    return encoding.shell_line(["reclaim", *sys.argv[1:]])


def hush() -> None:
    """From now on neither progress nor notes are written; warnings and errors are."""
    err.hushed = True


def entries(values: Mapping[str, Any], title: str = "") -> Table:
    """Labels and values with their units, nested mappings indented."""

    def rows(inner: Mapping[str, Any], indent: str) -> Iterator[tuple[str, str]]:
        for key, value in inner.items():
            name = key.replace("_", " ")
            if isinstance(value, Mapping):
                yield indent + LABELS.get(key, name), ""
                yield from rows(value, indent + "  ")
            elif isinstance(value, list):
                yield indent + name, ", ".join(str(each) for each in value)
            else:
                label, text = by_key(key, value)
                yield indent + label, text

    (table,) = drawn(report.Table(("", ""), list(rows(values, "")), title), out.width)
    return table


BRIEF_FACTS = (
    "assumed_state",
    "raw_bytes",
    "user_bytes",
    "spare_factor",
    "over_provisioning",
    "write_amplification",
    "free_blocks_per_plane",
    "gc_start_blocks",
    "gc_starts_after_pages",
    "unloaded_read_ns",
    "unloaded_write_ns",
    "run_memory_bytes",
    "trace",
)


def brief(facts: Mapping[str, Any]) -> Table:
    """The facts worth a look before every run; `reclaim device check` shows all."""
    shown = in_words(facts) | {"write_amplification": _both_ends(facts)}
    return entries({key: shown[key] for key in BRIEF_FACTS if key in shown}, title="Before the run")


def _both_ends(facts: Mapping[str, Any]) -> str:
    """Write amplification of uniform overwrites under light and under heavy load."""
    why = facts["write_amplification_unknown"]
    if why:
        return f"{MISSING} ({why})"
    light, heavy = (
        written(facts[end]["write_amplification"], "ratio") for end in ("light_load", "heavy_load")
    )
    return f"{light} under light load, {heavy} under heavy"


def listing(rows: Mapping[str, str | Text]) -> Table:
    """Names and what they are."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    for name, about in rows.items():
        table.add_row(name, about)
    return table


def leave(code: int, reason: str) -> None:
    """End with an exit code and say why; go on with 0.

    Raises:
        typer.Exit: with any other code.
    """
    if not code:
        return
    if reason:
        err.print(f"exit code {code}: {reason}")
    raise typer.Exit(code)

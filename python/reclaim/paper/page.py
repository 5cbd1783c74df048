"""The page of a paper: README.md of its folder, made of a template and of the data of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from reclaim import input_file, output_file
from reclaim.errors import InputError
from reclaim.paper.evaluation import Reproduction
from reclaim.paper.page_data import FORMAT, as_text, to_data, with_kept
from reclaim.paper.page_parts import PageParts
from reclaim.paper.paper import Paper
from reclaim.paper.pictures import DECLARED, drawn, specification
from reclaim.paper.pictures import FOLDER as PICTURES
from reclaim.paper.pictures import load as load_pictures

if TYPE_CHECKING:
    from jinja2 import Environment

PAGE, TEMPLATE, DATA, BEFORE = "README.md", "page.md.j2", "page.json", "before.json"
SCREEN = "screen.md.j2"
"""The first screen of the page, with which reports and the terminal open, too."""


def check_page(paper: Paper, level: str, *, keep: bool = False) -> None:
    """See that the figures of a level may be written into the page of a paper.

    Raises:
        InputError: if the level is quick, or default where the page has figures of `--full` and they are not
            kept beside; if the folder has no template.
    """
    if level == "quick":
        raise InputError("--write-page: --quick only shows that everything runs; leave one of them out")
    if not input_file.is_there(paper.folder / TEMPLATE):
        raise InputError(f"--write-page: {paper.folder / TEMPLATE}: no such file; the page is made of it")
    if level == "default" and not keep and _read(paper.folder / DATA).get("level") == "full":
        raise InputError(
            f"--write-page: {paper.folder / PAGE} has figures of --full, which those of fewer runs do not "
            "replace; --keep keeps those that only --full makes"
        )


def write_page(found: Reproduction, *, keep: bool = False) -> Path:
    """Keep the data of a run in the paper's folder, and make README.md of them.

    Args:
        found: what the run gave.
        keep: whether figures and tables of the page that this run has not made stay, as of the run before.

    Raises:
        InputError: as `check_page` and `render`.
    """
    paper = found.paper
    check_page(paper, found.provenance.level, keep=keep)
    data = to_data(found)
    if keep:
        data = with_kept(data, _read(paper.folder / DATA))
    output_file.write_text(paper.folder / DATA, as_text(data))
    write(paper.folder)
    return paper.folder / PAGE


def render(folder: Path) -> str:
    """Give the page of a folder, from its templates and data.

    Raises:
        InputError: without data; for a template that names a claim, a figure or a table that is not there.
    """
    return rendered(folder, _data(folder), TEMPLATE)


def screen(folder: Path, data: Mapping[str, Any] | None = None, **known: Any) -> str:
    """Give the first screen of a page: the answer, a picture, a table and a command; empty if it has none.

    Args:
        folder: of the paper.
        data: what to take in place of what the folder has, as `page_data.to_data` gives it.
        known: what else the template may name.

    Raises:
        InputError: as `render`.
    """
    if not input_file.is_there(folder / SCREEN):
        return ""
    return rendered(folder, data or _data(folder), SCREEN, **known)


def screen_text(found: Reproduction) -> str:
    """Give the first screen with what a run gave; what it has not made is the page's.

    A quick run shows that everything runs, and no figure of worth: then all of it is the page's.
    """
    return _opening(found)[0]


def pictures_of(found: Reproduction) -> dict[str, bytes]:
    """Draw the pictures of the same screen."""
    return {name: drawn(chart) for name, chart in _opening(found)[1].items()}


def _opening(found: Reproduction) -> tuple[str, dict[str, dict[str, Any]]]:
    """The text of the first screen, and the charts of its pictures by the name of the file."""
    folder = found.paper.folder
    if not input_file.is_there(folder / SCREEN):
        return "", {}
    data = kept = _read(folder / DATA)
    if found.is_judged:
        data = with_kept(to_data(found), kept)
    try:
        return _with_charts(folder, data)
    except InputError:
        # A run with failures may lack what the screen names.
        if data is kept:
            raise
        return _with_charts(folder, kept)


def _with_charts(folder: Path, data: Mapping[str, Any]) -> tuple[str, dict[str, dict[str, Any]]]:
    text = screen(folder, data)
    charts = _charts(folder, data)
    return text, {name: chart for name, chart in charts.items() if f"{PICTURES}/{name}" in text}


EVERYTHING = """# {{ paper.title }}: every claim

What the [page](README.md) leaves out, made from the same data: `{{ run.command }}`, Reclaim
{{ run.reclaim_version }} ({{ run.commit }}), load: {{ run.load }}.

{{ totals() }}

{{ by_origin() }}

## Claims

{{ claims() }}

{% for each in run.tables %}
## Table: {{ each.name }}

{{ table(each.name) }}

{% endfor %}
## What headlines depend on

{{ why() }}

## Readings of what the text leaves open

{% for each in paper.readings %}
- **{{ each.name }}**: {{ each.unclear }} Default: {{ each.default }}, because {{ each.why }}
{% endfor %}

## What differs from the paper

{% for each in paper.deviations %}
- {{ each }}
{% endfor %}

## What is unsettled

{{ unsettled() }}

## Agreement that moved

{{ moved() }}

{{ kept() }}
"""


def everything(paper: Paper) -> str:
    """Give the Markdown of all that a page's data hold: the site's report of a paper.

    Raises:
        InputError: as `render`.
    """
    return rendered(paper.folder, _data(paper.folder), DATA, EVERYTHING, paper=paper)


def pictures(folder: Path, data: Mapping[str, Any] | None = None) -> dict[str, bytes]:
    """Draw the pictures of a page: name of the file to PNG.

    Raises:
        InputError: as `render`, and for a mistake in what declares them.
    """
    return {name: drawn(chart) for name, chart in _charts(folder, data).items()}


def _charts(folder: Path, data: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    declared = load_pictures(folder)
    if not declared:
        return {}
    ask = PageParts(folder / DECLARED, data or _data(folder), {}).value
    return {f"{each.name}.png": specification(each, ask) for each in declared}


def write(folder: Path) -> None:
    """Write the page and its pictures anew."""
    output_file.write_text(folder / PAGE, render(folder))
    write_pictures(folder, _data(folder))


def write_pictures(folder: Path, data: Mapping[str, Any]) -> None:
    """Draw all pictures that a folder declares, and remove those that it declares no more."""
    made = pictures(folder, data)
    for name, picture in made.items():
        (folder / PICTURES).mkdir(exist_ok=True)
        (folder / PICTURES / name).write_bytes(picture)
    for old in (folder / PICTURES).glob("*.png"):
        if old.name not in made:
            old.unlink()


def _data(folder: Path) -> dict[str, Any]:
    data = _read(folder / DATA)
    if data.get("format") != FORMAT:
        raise InputError(f"{folder / DATA}: no data of a page; reclaim reproduce PAPER --write-page makes it")
    return data


def environment() -> Environment:
    """Give what fills in templates of Markdown.

    One of others could reach all of Python: it gets what it is given, and nothing behind it.
    """
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )


def rendered(
    folder: Path, data: Mapping[str, Any], template: str, text: str | None = None, **known: Any
) -> str:
    """Give a template of a folder, filled in.

    Args:
        folder: where it is, and `before.json`.
        data: what its verbs answer from, as `page_data.to_data` gives it.
        template: name of the file.
        text: of the template, if it is not what the file has.
        known: what else it may name.

    Raises:
        InputError: as `render`.
    """
    import jinja2

    file = folder / template
    parts = PageParts(file, data, _read(folder / BEFORE))
    verbs = parts.verbs()
    if template != SCREEN:
        verbs["screen"] = lambda: screen(folder, data, **known).rstrip("\n")
    try:
        return environment().from_string(text or input_file.text(file)).render(run=data, **known, **verbs)
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise InputError(f"{file}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    """Read data of a page; none where there is no file. Agreement was called verdict before 0.1."""
    if not input_file.is_there(path):
        return {}
    data = cast(dict[str, Any], json.loads(input_file.text(path)))
    for claim in data.get("claims", []):
        if "verdict" in claim:
            claim["agreement"] = claim.pop("verdict")
    if "verdicts" in data:
        data["agreements"] = data.pop("verdicts")
    return data

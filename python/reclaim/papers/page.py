"""The page of a paper: README.md of its folder, made of a template and of the data of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from reclaim import input_file, output_file
from reclaim.errors import InputError
from reclaim.papers.evaluation import Reproduction
from reclaim.papers.page_data import FORMAT, as_text, to_data, with_kept
from reclaim.papers.page_parts import Parts
from reclaim.papers.paper import Paper

PAGE, TEMPLATE, DATA, BEFORE = "README.md", "page.md.j2", "page.json", "before.json"


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
    path = paper.folder / PAGE
    output_file.write_text(path, render(paper.folder))
    return path


def render(folder: Path) -> str:
    """Give the page of a folder, from its template and data.

    Raises:
        InputError: without data; for a template that names a claim, a figure or a table that is not there.
    """
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    data = _read(folder / DATA)
    if data.get("format") != FORMAT:
        raise InputError(f"{folder / DATA}: no data of a page; reclaim reproduce PAPER --write-page makes it")
    parts = Parts(folder / TEMPLATE, data, _read(folder / BEFORE))
    # A template could reach all of Python: one of others gets what it is given, and nothing behind it.
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = input_file.text(folder / TEMPLATE)
    try:
        return environment.from_string(text).render(run=data, **parts.verbs())
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise InputError(f"{folder / TEMPLATE}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads(input_file.text(path))) if input_file.is_there(path) else {}

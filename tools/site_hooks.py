"""What mkdocs calls while it builds the docs site (mkdocs.yml): `make site`.

The site has pages that do not live in docs/: README as its first page, the pages of papers, ARCHITECTURE and
CONTRIBUTING, the files that a page links to (devices, experiments), and the reference that is made from the
code. None of them is copied into the repository: they are handed to mkdocs as it collects its files.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

import league_page
from docs_site import reference
from docs_site.commonmark import for_renderer
from docs_site.links import ROOT, SHOWN, file_of, moved, outside_pages, place_of, shown_files
from reclaim.paper.page import everything
from reclaim.paper.paper import keys, load_paper

MADE = reference.pages()
REPORTS = {f"papers/{key}/report.md": everything(load_paper(key)) for key in keys()} | {
    "papers/league/report.md": league_page.report(league_page.read()[0])
}
"""What pages of papers leave out; each is linked from its page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live elsewhere, the made ones, and the files that any page links to."""
    for file in outside_pages():
        place = place_of(file)
        if place is None:
            raise ValueError(f"{file} has no place on the site")
        files.append(File.generated(config, place, content=(ROOT / file).read_text(encoding="utf-8")))
    for picture in sorted(ROOT.glob("papers/*/pictures/*.png")):
        place = picture.relative_to(ROOT).as_posix()
        files.append(File.generated(config, place, abs_src_path=str(picture)))
    for place, text in MADE.items():
        files.append(File.generated(config, place, content=text))
    for place, text in REPORTS.items():
        files.append(File.generated(config, place, content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    shown: set[str] = set()
    for page in files.documentation_pages():
        if page.src_uri not in MADE:
            shown.update(shown_files(page.content_string, file_of(page.src_uri)))
    for file in sorted(shown):
        files.append(_shown(file, config))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Turn links between files into links between pages, and GitHub's Markdown into the renderer's."""
    place = page.file.src_uri
    if place.endswith("README.md") and place.replace("README.md", "report.md") in REPORTS:
        markdown += "\n[Every claim, agreement, reading and table](report.md)\n"
    if place in MADE or place.startswith("files/"):
        return markdown
    if place == "cli.md":
        markdown += "\n" + reference.commands()
    return for_renderer(moved(markdown, file_of(place)))


def _shown(file: str, config: MkDocsConfig) -> File:
    """Make the page of a file that is no page: its name and its text."""
    text = (ROOT / file).read_text(encoding="utf-8")
    path = PurePosixPath(file)
    language = SHOWN[path.suffix]
    content = (
        f"---\nsearch:\n  exclude: true\n---\n\n# `{path.name}`\n\n`{file}`\n\n````{language}\n{text}````\n"
    )
    place = place_of(file)
    if place is None:
        raise ValueError(f"{file} has no place on the site")
    return File.generated(config, place, content=content, inclusion=InclusionLevel.NOT_IN_NAV)

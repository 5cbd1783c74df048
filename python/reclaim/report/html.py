"""What every HTML page of Reclaim has in common: it is one file, opens offline, and draws with Vega-Lite."""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup

from reclaim import encoding, output_file, text_cache
from reclaim.charts import vega_lite_version
from reclaim.pictures import write_pngs
from reclaim.report.document import Document, Markdown, on_page

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
CODE = re.compile("`([^`]*)`")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
LIBRARIES = "window.vegaEmbed = vegaEmbed;"


def inline_json(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value).replace("<", "\\u003c")


def prose(text: str) -> Markup:
    """Text of a paragraph: code between backticks is marked, and no line breaks inside an option.

    >>> str(prose("see `--set` of <it>"))
    'see <code><span class="option">--set</span></code> of &lt;it&gt;'
    """
    whole = OPTION.sub(r'<span class="option">\g<0></span>', encoding.html_text(text))
    return Markup(CODE.sub(r"<code>\1</code>", whole))  # noqa: S704 - escaped


def markdown(block: Markdown) -> Markup:
    """Markdown as HTML, its pictures inside."""
    from markdown_it import MarkdownIt

    text = LINK.sub(r"\1", block.text)
    page = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    for name, png in block.pictures().items():
        inside = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        page = page.replace(f"{block.folder}/{name}", inside)
    return Markup(page)  # noqa: S704 - its HTML is text


def _visible(value: object) -> object:
    """Text of users as a page shows it; what is safe already is ours."""
    return encoding.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _libraries() -> str:
    """What draws the figures; putting it together takes seconds."""
    version = vega_lite_version()

    def bundle() -> str:
        return vl_convert.javascript_bundle(LIBRARIES, vl_version=version).replace("</script", "<\\/script")

    return text_cache.text(f"vega-{metadata.version('vl-convert-python')}-{version}.js", bundle)


def render_page(template: str, **values: Any) -> str:
    """Fill a template of `templates/`; it gets `style`, `script` and `drawing` beside `values`.

    `script` has the libraries; `drawing` defines `drawFigures(figures)`.
    """
    return _filled(template, script=_libraries(), drawing=_part("figures.js"), **values)


def render_watch(**values: Any) -> str:
    """Fill the template of a page on which blocks are watched; it draws by itself."""
    return _filled("watch.html.j2", program=_part("watch.js"), **values)


def _part(name: str) -> str:
    folder = resources.files("reclaim").joinpath("data", "templates")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _filled(template: str, **values: Any) -> str:
    loader = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    loader.tests["on_page"] = on_page
    loader.filters["prose"] = prose
    loader.filters["markdown"] = markdown
    return loader.get_template(template).render(style=_part("style.css"), **values)


def render(document: Document) -> str:
    """Give the page of a document: one file that opens anywhere, offline."""
    specs = {chart.name: chart.panels for chart in document.charts if chart.panels is not None}
    return render_page("page.html.j2", document=document, specs=inline_json(specs))


def write(document: Document, page: Path, *, pictures: bool = False) -> Path:
    """Write the page of a document to a file, and return its path.

    Args:
        document: what is told.
        page: the file.
        pictures: write every chart as PNG, too, beside the page.

    Raises:
        InputError: if one cannot be written, or the page is there and Reclaim did not draw it.
    """
    output_file.check_page(page)
    output_file.write_text(page, render(document))
    if pictures:
        write_pngs({chart.name: chart.spec for chart in document.charts if chart.spec}, page.parent)
    return page

"""What every HTML page of Reclaim has in common: it is one file, opens offline, and draws with Vega-Lite."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata, resources
from typing import Any

import altair as alt
import jinja2
import vl_convert
from markupsafe import Markup

from reclaim import encoding, text_cache

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
CODE = re.compile("`([^`]*)`")
LIBRARIES = "window.vegaEmbed = vegaEmbed;"


def vega_lite_version() -> str:
    """Version of Vega-Lite that Altair writes for, in the converter's words."""
    major, minor = alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2]
    return f"{major}.{minor}"


def inline_json(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value).replace("<", "\\u003c")


def options_whole(text: str) -> Markup:
    """Text in which a browser breaks no line inside an option of the command.

    >>> str(options_whole("see --warmup of <it>"))
    'see <span class="option">--warmup</span> of &lt;it&gt;'
    """
    whole = OPTION.sub(r'<span class="option">\g<0></span>', encoding.html_text(text))
    return Markup(whole)  # noqa: S704 - escaped


def with_code(text: str) -> Markup:
    """Text in which what stands between backticks is marked as code.

    >>> str(with_code("of `a<b`"))
    'of <code>a&lt;b</code>'
    """
    return Markup(CODE.sub(r"<code>\1</code>", encoding.html_text(text)))  # noqa: S704 - escaped


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


def render_page(template: str, filters: Mapping[str, Callable[..., Any]] | None = None, **values: Any) -> str:
    """Fill a template of `templates/`; it gets `style`, `script` and `drawing` beside `values`.

    `script` has the libraries; `drawing` defines `drawFigures(figures)`. `filters` are
    those of this template alone.
    """
    folder = resources.files("reclaim").joinpath("data", "templates")
    loader = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    loader.globals["zip"] = zip
    loader.filters |= filters or {}
    loader.filters["options_whole"] = options_whole
    loader.filters["with_code"] = with_code
    return loader.from_string(folder.joinpath(template).read_text(encoding="utf-8")).render(
        style=folder.joinpath("style.css").read_text(encoding="utf-8"),
        script=_libraries(),
        drawing=folder.joinpath("figures.js").read_text(encoding="utf-8"),
        **values,
    )

"""The report of a reproduction: one HTML file with every claim, our figure, and whether they agree."""

from __future__ import annotations

import base64
import re
from typing import Any

from reclaim.charts import finished, panels_of
from reclaim.paper.charts import charts
from reclaim.paper.decisions import NAMES
from reclaim.paper.evaluation import CHANGED, JudgedClaim, Reproduction
from reclaim.paper.loads import WORDS
from reclaim.paper.page import screen_of
from reclaim.paper.page_parts import head_of
from reclaim.paper.pictures import FOLDER as PICTURES
from reclaim.paper.text import ours, parts, printed, summary
from reclaim.report.html import inline_json, render_page


def render(found: Reproduction) -> str:
    """HTML of the report."""
    specs = charts(found)
    drawn = [
        {"id": f"drawing_{index}", "title": each.title, "caption": each.caption}
        for index, each in enumerate(found.drawings)
    ]
    for one, each in zip(drawn, found.drawings, strict=True):
        specs[one["id"]] = panels_of(finished(each.chart))
    groups = [
        {
            "id": f"group_{index}",
            "title": found.title(name),
            "judged": [_shown(row) for row in rows if row.is_judged],
            "others": [_shown(row) for row in rows if not row.is_judged],
            "counts": _counts(rows) if found.is_judged else [],
            "chart": f"group_{index}" in specs,
            "head": head_of(row.claim.origin for row in rows),
        }
        for index, (name, rows) in enumerate(found.groups().items())
    ]
    return render_page(
        "paper.html.j2",
        paper=found.paper,
        provenance=found.provenance,
        screen=_screen(found),
        summary=summary(found),
        findings=found.findings,
        counts=[
            (
                total.words,
                total.of,
                [
                    (name, _slug(name), count)
                    for name, count in (*total.counted.items(), *total.shown.items())
                ],
            )
            for total in found.totals()
        ],
        groups=groups,
        drawings=drawn,
        refused=_refused(found),
        variations=_variations(found),
        load=WORDS[found.paper.load],
        loads=sorted({each.label for row in found.rows for each in row.loads}),
        words=WORDS,
        specs=inline_json(specs),
    )


def _screen(found: Reproduction) -> str:
    """HTML of the page's first screen, its pictures inside; links to files would lead nowhere from here."""
    from markdown_it import MarkdownIt

    text, drawn = screen_of(found)
    text = re.sub(r"(?<!!)\[([^\]]*)\]\([^)]*\)", r"\1", text)
    page = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    for name, png in drawn.items():
        inside = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        page = page.replace(f"{PICTURES}/{name}", inside)
    return page


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _counts(rows: list[JudgedClaim]) -> list[tuple[str, str, int]]:
    agreements = [row.judgement.agreement for row in rows]
    return [(name, _slug(name), agreements.count(name)) for name in NAMES if name in agreements]


def _shown(row: JudgedClaim) -> dict[str, Any]:
    others = [("reading", each) for each in row.readings] + [("load", each) for each in row.loads]
    return {
        "what": row.claim.what,
        "id": row.claim.id,
        "where": row.claim.where,
        "printed": printed(row.claim),
        "in_words": not isinstance(row.claim.value, float),
        "ours": ours(row.figure, row.claim),
        "agreement": row.judgement.agreement,
        "slug": _slug(row.judgement.agreement),
        "why": row.judgement.why,
        "remark": row.claim.remark,
        "says": row.claim.contradiction.says if row.claim.contradiction else "",
        "parts": parts(row),
        "others": [
            (
                kind,
                each.label,
                ours(each.figure, row.claim),
                each.judgement.agreement,
                _slug(each.judgement.agreement),
            )
            for kind, each in others
        ],
    }


def _variations(found: Reproduction) -> list[tuple[str, list[tuple[str, str, int]], int]]:
    """Each load rule and reading, the agreements under it, and how many of them are other ones."""
    return [
        (
            label,
            [(name, _slug(name), counts[name]) for name in NAMES if name in counts],
            counts.get(CHANGED, 0),
        )
        for label, counts in found.by_variation().items()
    ]


def _refused(found: Reproduction) -> list[tuple[str, str]]:
    """Cells that no claim may rest on, each once."""
    cells: dict[tuple[str, str], None] = {}
    for row in found.rows:
        if row.measured is not None and row.claim.measure is not None:
            for name, why in row.measured.refused.items():
                cells[(f"{row.claim.measure.experiment}, {name}", why)] = None
    return list(cells)

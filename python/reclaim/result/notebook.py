"""A result as a notebook shows it."""

from __future__ import annotations

from reclaim.encoding import html_text as escape
from reclaim.result.reported import Reported
from reclaim.result.table import LEVEL_TEXTS, brief_rows, legend, remarks


def html(result: Reported) -> str:
    """The main figures as an HTML table, with what the verdict says of them."""
    cells: list[str] = []
    section = None
    for row in brief_rows([result]):
        if row.section != section:
            section = row.section
            cells.append(f'<tr><th colspan="2" style="text-align:left">{escape(section)}</th></tr>')
        text, mark = row.texts()[0], row.marks()[0]
        value = escape(f"{text} {mark}".strip())
        cells.append(
            f'<tr><td style="text-align:left">{escape(row.label)}</td>'
            f'<td style="text-align:right">{value}</td></tr>'
        )
    texts = [f"{severity}: {text}" for severity, found in remarks([result]).items() for text in found]
    notes = "".join(f"<li>{escape(text)}</li>" for text in [*filter(None, [legend([result])]), *texts])
    data = result.to_dict()
    title = f"{result.label} on {data['device']}, {data['trace']['name']}"
    return (
        f"<p><b>{escape(title)}</b>: {escape(LEVEL_TEXTS[result.verdict.level])}</p>"
        f"<table>{''.join(cells)}</table>" + (f"<ul>{notes}</ul>" if notes else "")
    )

"""The picture of docs/validation.md, from the summaries on that page.

python tools/validation_picture.py
"""

from __future__ import annotations

import re
from pathlib import Path

import altair as alt

from reclaim.charts import PALETTE, Records, chart_of, finished
from reclaim.pictures import picture

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "validation.md", DOCS / "images" / "validation.png"
ROW = re.compile(r"^\| (.+?) \| \d+ \| ([-+]?[\d.]+)(?: %)?[^|]*\|", re.MULTILINE)
SHORT = {
    " as `reclaim device check` says": " predicted",
    "70 % reads and 30 % programs, ": "",
    "MQSim: ": "MQSim, ",
}


def draw() -> bytes:
    """The largest deviation of each group, a bar a group."""
    found: Records = []
    for part in PAGE.read_text(encoding="utf-8").split("| group | rows |")[1:]:
        for name, worst in ROW.findall(part.split("\n\n")[0]):
            for long, short in SHORT.items():
                name = name.replace(long, short)  # noqa: PLW2901
            value = abs(float(worst))
            found.append({"group": name, "worst": value, "text": f"{value:.2f} %" if value else "exact"})
    x = alt.X("worst:Q", title="largest deviation in the group, %", scale=alt.Scale(domain=[0, 2.2]))
    y = alt.Y("group:N", title=None, sort=None, axis=alt.Axis(labelLimit=420))
    bars = chart_of(found).mark_bar(color=PALETTE[0]).encode(x=x, y=y)
    texts = chart_of(found).mark_text(align="left", dx=4).encode(x=x, y=y, text="text:N")
    title = "Theory is met within 1 %, MQSim within 2 %"
    return picture(finished(alt.layer(bars, texts).properties(width=360, title=title)))


if __name__ == "__main__":
    PICTURE.write_bytes(draw())

"""Cost of an operation on drives from 1 GiB to 1 TiB, drawn to docs/images/size.png.

`python benches/size_plot.py [GIB …]` runs `whole_drive size` once per size and keeps what it measured in
benches/size.json; `--draw` only draws that again. Needs the project's Python environment (altair).
"""

import json
import subprocess
import sys

import altair as alt
import polars as pl
from run import ROOT, build

KEPT = ROOT / "benches" / "size.json"
PLOT = ROOT / "docs" / "images" / "size.png"
SIZES = (1, 4, 16, 64, 256, 1024)


def measure(sizes: list[int]) -> None:
    """Run each size alone in a process."""
    program = build()
    measured = []
    for gib in sizes:
        out = subprocess.run([program, "size", str(gib)], check=True, stdout=subprocess.PIPE).stdout
        print(out.decode().strip(), flush=True)
        measured.append(json.loads(out))
        KEPT.write_text(json.dumps(measured, indent=2) + "\n")


def draw() -> None:
    """Nanoseconds per event and per page operation over the size of the drive, and memory."""
    rows = json.loads(KEPT.read_text())
    table = pl.DataFrame(
        [
            {"GiB": row["gib"], "per": per, "ns": row["loop_s"] * 1e9 / row[key]}
            for row in rows
            for per, key in (("event", "events"), ("page operation", "operations"))
        ]
    )
    memory = pl.DataFrame([{"GiB": row["gib"], "MB": row["peak_bytes"] / 1e6} for row in rows])
    sizes = [row["gib"] for row in rows]
    across = alt.X(
        "GiB:Q", scale=alt.Scale(type="log", base=2), axis=alt.Axis(values=sizes), title="drive, GiB"
    )
    lines = (
        alt.Chart(table, width=420, height=240, title="Time in the event loop")
        .mark_line(point=True)
        .encode(
            x=across,
            y=alt.Y("ns:Q", title="ns", scale=alt.Scale(zero=True)),
            color=alt.Color("per:N", title="per"),
        )
    )
    tables = (
        alt.Chart(memory, width=420, height=240, title="Most memory resident")
        .mark_line(point=True)
        .encode(x=across, y=alt.Y("MB:Q", scale=alt.Scale(type="log"), title="MB"))
    )
    (lines | tables).save(PLOT, scale_factor=1.5)


if __name__ == "__main__":
    if sys.argv[1:] != ["--draw"]:
        measure([int(gib) for gib in sys.argv[1:]] or list(SIZES))
    draw()

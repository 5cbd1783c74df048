"""docs/stand-ins.md: shipped stand-ins, and some for the bundled recordings, beside their targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reclaim.traces.synthesis import Row, worst
from reclaim.traces.synthesis.chosen import skew

SHARED = {
    "requests: not published; 1 000 000": "1 000 000 requests",
    "requests: not published; 500\u202f000, a size and rate for a first experiment; neither is published": (
        "500 000 requests"
    ),
    "requests per second: not published; 100 requests per second": "100 requests per second",
    (
        "requests per second: not published; 1\u202f000, a size and rate for a first experiment; neither is "
        "published"
    ): "1 000 requests per second",
    "distribution of sizes: only means are published; multiples of 4 KiB, falling by powers of two": "sizes",
    "unique write footprint: not published; seven tenths of what is written overwrite something": (
        "overwrites"
    ),
    skew(log=True): "log and zones",
    skew(log=False): "zones",
    (
        "footprint: not published; what is written, and as much again that is only read, or what half of the "
        "reads can touch"
    ): "footprint",
    "burstiness: not published; bursts of 1 s, pauses of 9 s on average, Poisson in bursts": "bursts",
    "writes next to the previous: not published; a tenth": "sequential writes",
    "reads next to the previous: not published; a tenth": "sequential reads",
}
"""What is chosen for several stand-ins, and the words for it under each: the page explains them once."""
ALWAYS = ("sizes", "footprint", "bursts")
"""Of these what is chosen for every shipped stand-in, and not named under each."""
MEASURED = (
    "; number of requests, share of rewritten sectors and mean gap from measured statistics of the same "
    "first requests of the volume"
)
"""What some have besides the tables of a paper."""
PAPERS = {
    "Nie et al.": ", GC bypass, 2026 (doi 10.1631/ENG.ITEE.2025.0152), Table 4",
    "Liang et al.": (
        ", Boosting performance of SSD with chip-level RAID by deferring garbage collection, IEICE "
        "Electronics Express, 2018, Table II (GB read as GiB)"
    ),
    "Li et al.": (
        ", CoupledCB: eliminating wasted pages in copyback-based garbage collection for SSDs, Table II "
        "(update ratio read as overwrite ratio)"
    ),
    "Mun and Hong": (
        ", Adaptive channel-aware garbage collection control for multi-channel SSDs, Electronics 14(23) "
        "4741, 2025, Tables 4 and 5 (sequential read as: begins where the last request of its kind ended)"
    ),
}
"""Authors of papers that several stand-ins are made after, and what the full source has behind them."""
INTRODUCTION = """# Synthetic stand-ins beside their targets

Made by `RECLAIM_UPDATE_DOCS=1 .venv/bin/pytest tests/python/test_stand_in_docs.py`;
`reclaim trace stand-ins` prints the same for the shipped ones. [Traces](traces.md#synthetic-stand-ins) says
what stand-ins are good for. None holds a request of the trace that it stands in for.

The deviation is relative to the target. A figure counts as met within 5 %. Only what a paper publishes can be
compared; what it does not publish was [chosen](#what-is-chosen).
"""
CHOSEN = """
## What is chosen

Sizes, footprint and bursts are chosen for every shipped stand-in. What else is chosen is named below each
table.

| in short | where a paper does not publish it |
|---|---|
"""
"""What stands before the table of the words for what is chosen."""
PUBLISHED = """
## Stand-ins of published figures

{}
* Measured statistics of the same first requests of the volume: number of requests, share of rewritten
  sectors and mean gap.
"""
COLLECTION = """
## What collection costs under them

How far the write amplification of the stand-in is from that of its recording, by
`reclaim trace synthesize bundled/NAME OUT.toml --check`. Both are played on the same small drives until write
amplification is steady, at three spare factors (7, 15 and 28 % beyond what the recording touches) and under
three load rules. The figures above do not say when a page dies and what lies beside it, so stand-ins that
meet them all still cost the collector something else. Runs in which collection has nothing to move are left
out.
"""
"""What stands before the table of what collection costs."""
RECORDINGS = """
## Stand-ins for the bundled recordings

`reclaim trace synthesize bundled/NAME OUT.toml` makes these. All figures of a recording are known and
compared.
"""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def summary(found: Mapping[str, Sequence[Row]]) -> str:
    """A line for each stand-in: how many figures, how many missed, and the worst."""
    text = _row(("stand-in", "figures", "beyond 5 %", "worst deviation", "of")) + "|---|--:|--:|--:|---|\n"
    for name, rows in found.items():
        furthest = worst(rows)
        missed = sum(not row.met for row in rows)
        text += _row((f"`{name}`", str(len(rows)), str(missed), furthest.texts()[3], furthest.label))
    return text


def choices() -> str:
    """What is chosen for several stand-ins, and the papers whose tables they are made of."""
    notes = {words: note.partition("published; ")[2] for note, words in SHARED.items()}
    text = CHOSEN + "".join(_row((words, note)) for words, note in notes.items() if note not in words)
    return text + PUBLISHED.format("\n".join(f"* {authors}{rest}." for authors, rest in PAPERS.items()))


def section(name: str, stated: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """One stand-in: what it stands in for, after which source, the table, and what was chosen.

    `stated` is what its description says of it.
    """
    source = str(stated["source"])
    for rest in PAPERS.values():
        source = source.replace(rest, "")
    source = source.replace(MEASURED, " and measured statistics")
    text = f"\n### `{name}`\n\nIn place of {stated['of']}, after {source.removesuffix('.')}.\n\n"
    cells = [row.texts() for row in rows]
    # The last column marks what is missed.
    width = 5 if any(each[4] for each in cells) else 4
    text += _row(("", "target", "stand-in", "deviation", "")[:width])
    text += _row(("---", "--:", "--:", "--:", "---")[:width]).replace(" ", "")
    text += "".join(_row(each[:width]) for each in cells)
    notes = stated.get("chosen", [])
    short = [SHARED[note] for note in notes if note in SHARED and SHARED[note] not in ALWAYS]
    if short:
        words = ", ".join(short).replace("sequential writes, sequential reads", "sequential writes and reads")
        text += f"\nChosen: {words}.\n"
    long = [note for note in notes if note not in SHARED]
    if long:
        text += "\nAlso chosen:\n\n" if short else "\nChosen:\n\n"
        text += "".join(f"* {note.replace('not published; ', '')}\n" for note in long)
    return text

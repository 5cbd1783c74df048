"""How far stand-ins made of published figures alone fall from their sources.

    python tools/stand_in_error.py [--traces FOLDER] [--write] [NAME …]

takes of every trace at hand (or of those named) the figures that a class of publications gives, makes a
stand-in of these alone, plays both with 32 requests outstanding on the small drives of `reclaim trace
synthesize --check`, and prints the last tables of docs/collecting-stand-ins.md. With --write the numbers that
`reclaim reproduce` uses are written, too (python/reclaim/data/stand-in-error.toml).
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reclaim.paper.collecting import SideBySide
    from reclaim.trace.synthesis.targets import Targets
    from reclaim.trace.trace import Trace

ROOT = Path(__file__).resolve().parent.parent
TRACES = (
    "sqlite",
    "mysql",
    "umass_fin1_50k",
    "winpc_mayun",
    "msr_heimdall_105",
    "msr_heimdall_1370",
    "winpc_mayun2",
    "winpc_mayun4",
    "varmail",
    "dbench",
)
SHIPPED = ("sqlite", "mysql", "varmail", "dbench")
"""Of which the recording that comes with the source is taken, not the longer one."""
POLICIES = ("greedy", "fifo", "cost-benefit")
SIZES = ("requests.write_ratio", "sizes.write.mean_bytes", "sizes.read.mean_bytes")
STREAMS = tuple(
    f"sequentiality.{op}.{name}"
    for op in ("write", "read")
    for name in ("next_to_previous_share", "mean_in_stream_bytes")
)
CLASSES = {
    "sizes and overwrite ratio": (*SIZES, "overwrites.overwrite_ratio"),
    "sizes": SIZES,
    "written space": ("requests.write_ratio", "space.write_footprint_bytes"),
    "sizes and streams": (*SIZES, "requests.trim_share", *STREAMS),
}
"""What is published of a trace."""
ASSUMED = ("requests.total", "arrivals.requests_per_s", "sizes.write.mean_bytes", "sizes.read.mean_bytes")
"""What is taken from the trace besides: how long it is, and sizes where they are not published."""
BELOW = 0.8
"""Share of the deviations that stay below the error."""
METRICS = {
    "amplification": ("write_amplification",),
    "means": ("read_p50_ns", "write_p50_ns"),
    "tails": ("read_p99_ns", "read_p99.9_ns", "write_p99_ns", "write_p99.9_ns"),
}
"""Metrics that have an error of their own; means are given that of medians."""
HEAD = """\
# How far stand-ins made from published figures alone fall from their sources; made by
# `tools/stand_in_error.py --write` (docs/collecting-stand-ins.md, "Error of stand-ins made from published
# figures"). `published` is what is known of the trace, `traces` how many were taken; value is of a figure
# by itself, ratio of the ratio of two drives: the natural logarithm of (stand-in / source) that four in
# five stay below. Played with 32 requests outstanding, at 7, 15 and 28 % spare, under greedy, fifo and
# cost-benefit.
"""


def main() -> int:
    """Do what is asked for; 1 if a trace is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="traces; all if not given")
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    unknown = sorted(set(wanted.names) - set(TRACES))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(TRACES)}")
    if wanted.write and wanted.names:
        parser.error("--write needs all traces")
    names = wanted.names or TRACES
    missing = [name for name in names if file_of(name, wanted.traces) is None]
    if missing:
        print(f"not in {wanted.traces}: {', '.join(missing)}", file=sys.stderr)
        return 1
    jobs = [(name, published, wanted.traces) for published in CLASSES for name in names]
    with ProcessPoolExecutor() as pool:
        found = dict(zip([job[:2] for job in jobs], pool.map(_measure, jobs), strict=True))
    by_class = {
        published: [cells for (_, each), cells in found.items() if each == published] for published in CLASSES
    }
    print(f"{_deviations(found)}\n\n{_bars(by_class)}")
    if wanted.write:
        text = HEAD + "".join(_toml(published, traces) for published, traces in by_class.items())
        (ROOT / "python" / "reclaim" / "data" / "stand-in-error.toml").write_text(text, encoding="utf-8")
    return 0


def file_of(name: str, traces: Path) -> Path | None:
    """Where a trace lies; None if it is not at hand."""
    places = [
        traces / "public" / name / f"{name}.csv.zst",
        traces / "recorded" / name / f"{name}.blkparse.txt.zst",
    ]
    if name in SHIPPED:
        places.insert(0, ROOT / "examples" / "traces" / f"{name}.blkparse.txt.zst")
    return next((place for place in places if place.exists()), None)


def _measure(job: tuple[str, str, Path]) -> list[SideBySide]:
    from reclaim.paper.collecting import side_by_side
    from reclaim.trace.synthesis import synthesize
    from reclaim.trace.trace import open_trace

    name, published, traces = job
    file = file_of(name, traces)
    assert file is not None  # noqa: S101 - looked for before
    source = open_trace(file)
    return side_by_side(source, synthesize(_known(source, published)).trace, loads=("closed",))


def _known(source: Trace, published: str) -> Targets:
    """What a publication of this class would say of the trace."""
    from reclaim.trace.synthesis.metrics import value_of
    from reclaim.trace.synthesis.targets import Targets

    found = source.characteristics()
    orders = found["sequentiality"]

    def told(path: str) -> bool:
        op = next((op for op in ("read", "write") if f".{op}." in path), "write")
        streams = path.endswith("mean_in_stream_bytes")
        return bool(
            found["requests"][f"{op}s"] and not (streams and not orders[op]["next_to_previous_share"])
        )

    def values(paths: Sequence[str]) -> dict[str, float]:
        each = {path: value_of(found, path) for path in paths if told(path)}
        return {path: value for path, value in each.items() if value is not None}

    figures = values(CLASSES[published])
    assumed = {path: value for path, value in values(ASSUMED).items() if path not in figures}
    why = "of the trace itself"
    return Targets(f"{source.name}-like", source.name, why, "", "", figures, assumed=assumed, why=why)


def _deviations(found: Mapping[tuple[str, str], Sequence[SideBySide]]) -> str:
    """A table of every trace for each class."""
    tables = []
    for published in CLASSES:
        rows = [[name, *_row(cells)] for (name, each), cells in found.items() if each == published]
        tables.append(f"{published.capitalize()}:\n\n{_table('trace', POLICIES, rows)}")
    return "\n\n".join(tables)


def _bars(by_class: Mapping[str, Sequence[Sequence[SideBySide]]]) -> str:
    """The table of the error of each class."""
    ratios = (f"{each}, ratio of two" for each in ("write amplification", "median latency", "p99 and p99.9"))
    rows = []
    for published, traces in by_class.items():
        cells = (", ".join(f"{math.exp(each):.2f}" for each in _errors(traces, kind)) for kind in METRICS)
        rows.append([published, str(len(traces)), *cells])
    return _table("class", ["traces", *ratios], rows)


def _table(first: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    from reclaim.report.document import Table, figures_of
    from reclaim.report.forms import markdown_of

    return markdown_of(Table(figures_of(first, names), rows)).rstrip("\n")


def _off(cell: SideBySide, metric: str) -> float | None:
    """How far off the stand-in is, as the logarithm of a ratio; None where there is nothing to compare."""
    there, here = cell.source.figures()[metric], cell.stand_in.figures()[metric]
    return math.log(here / there) if there and here and cell.collected else None


def _row(cells: Sequence[SideBySide]) -> list[str]:
    return [" / ".join(_percent(cell) for cell in cells if cell.victim == policy) for policy in POLICIES]


def _percent(cell: SideBySide) -> str:
    """How far write amplification is off; a dash where there was nothing to move."""
    off = cell.deviation("write_amplification") if cell.collected else None
    return "–" if off is None else f"{100 * off:+.0f}"


def _errors(traces: Sequence[Sequence[SideBySide]], kind: str) -> tuple[float, float]:
    """Of a figure by itself, and of the ratio of two drives."""
    values, ratios = [], []
    for cells, metric in itertools.product(traces, METRICS[kind]):
        values += [abs(off) for cell in cells if (off := _off(cell, metric)) is not None]
        ratios += [abs(a - b) for a, b in _pairs(cells, metric)]
    return _bound(values), _bound(ratios)


def _pairs(cells: Sequence[SideBySide], metric: str) -> Iterator[tuple[float, float]]:
    for one, other in itertools.combinations(cells, 2):
        a, b = _off(one, metric), _off(other, metric)
        if one.spare == other.spare and a is not None and b is not None:
            yield a, b


def _bound(offs: Sequence[float]) -> float:
    return sorted(offs)[math.ceil(BELOW * len(offs)) - 1]


def _toml(published: str, traces: Sequence[Sequence[SideBySide]]) -> str:
    lines = [f'\n[[class]]\npublished = "{published}"\ntraces = {len(traces)}\n']
    for kind in METRICS:
        value, ratio = _errors(traces, kind)
        lines.append(f"{kind} = {{ value = {value:.3f}, ratio = {ratio:.3f} }}\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())

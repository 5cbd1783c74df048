"""A measurement as a document: the lines of its sheet, every load, what was run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reclaim.report.document import Block, Chart, Document, Fold, Source, Table, Text, Title
from reclaim.report.forms import chosen, result_json
from reclaim.report.ratios import beginning
from reclaim.study.measuring import endurance, plots
from reclaim.study.measuring.figures import Figures
from reclaim.study.measuring.health_log import HealthLog, Side
from reclaim.study.measuring.plan import ComparedLine, Measurement
from reclaim.study.measuring.sheet import USES
from reclaim.units import MISSING, written


def figure_text(value: float | None, metric: str) -> str:
    """Write a figure of a metric of sheets.

    >>> figure_text(72000, "iops"), figure_text(110, "us"), figure_text(None, "iops")
    ('72\u202f000 IOPS', '110 µs', '–')
    """
    if value is None:
        return MISSING
    if metric == "us":
        return written(value * 1e3, "time")
    return f"{written(value, 'rate')} {'IOPS' if metric == 'iops' else 'MB/s'}"


def error_text(value: float | None) -> str:
    """Write how far a figure is off.

    >>> error_text(0.123), error_text(-0.04), error_text(-0.0001), error_text(None)
    ('+12.3 %', '-4.0 %', '+0.0 %', '–')
    """
    if value is None:
        return MISSING
    # Nothing is nothing, whichever side it is on.
    return f"{round(100 * value, 1) + 0.0:+.1f} %"


def conclusion(found: Measurement) -> str:
    """Say what the drive reaches, and how far that is from its sheet."""
    steady = [each for each in found.figures.values() if each.steady is not None]
    unsteady = sum(each.steady is False for each in steady)
    text = f"{found.name}: {len(found.figures)} loads measured."
    if steady:
        reached = len(steady) - unsteady
        text += f" {reached} of {len(steady)} steady ones reach the steady state by SNIA's rule."
    held_out = [each for each in found.compared if each.line.use == "held-out"]
    if held_out:
        worst = max(held_out, key=lambda each: abs(each.error))
        text += f" {_held_out(held_out)}; the farthest off is {worst.line.load.label} "
        text += f"({error_text(worst.error)}, naive {error_text(worst.naive_error)})."
    elif found.plan.sheet is not None:
        text += " No line of its sheet is held out."
    return text


def _held_out(lines: list[ComparedLine]) -> str:
    """Count held-out lines by how far off they are.

    Half the lines within 10 % and all within 20 % is the goal.
    """
    near, far = (sum(abs(each.error) <= most for each in lines) for most in (0.10, 0.20))
    better = sum(abs(each.error) < abs(each.naive_error) for each in lines if each.naive_error is not None)
    count = len(lines)
    of = f"Of {count} held-out lines" if count > 1 else "Of the one held-out line"
    return f"{of} {near} within 10 %, {far} within 20 %, {better} nearer than the naive predictor"


def notes(found: Measurement) -> Iterator[str]:
    """Give what must be known beside that."""
    for text in found.failures:
        yield f"could not be run: {text}"
    for each in found.figures.values():
        if each.steady is False:
            yield (
                f"{each.load.name}: no five rounds keep SNIA's rule; its figures are those of the last five"
            )
    small = [each for each in found.figures.values() if each.p99_ns is None]
    if small:
        yield f"{len(small)} loads have too few requests for a p99: fewer than ten lie beyond it"


def window_text(found: Measurement) -> str:
    """Say what a round is."""
    rounds = sorted({len(each.rounds) for each in found.figures.values()})
    return f"{' or '.join(map(str, rounds))} rounds of equal time each"


NOT_STEADY = "not steady"


def _row(each: Figures) -> tuple[str, ...]:
    window = f"{each.first + 1} to {each.last + 1}"
    return (
        each.load.state,
        each.load.label,
        written(round(each.iops), "rate"),
        written(each.mb_per_s, "rate"),
        written(each.mean_ns, "time"),
        written(each.p99_ns, "time"),
        written(each.p99_99_ns, "time"),
        written(each.nand_write_amplification, "ratio"),
        f"{window}, {NOT_STEADY}" if each.steady is False else window,
    )


def rows(found: Measurement) -> list[tuple[str, ...]]:
    """Give every load that was run."""
    return [_row(found.figures[each]) for each in found.plan.loads if each in found.figures]


def beside_line(each: ComparedLine) -> tuple[str, ...]:
    """Give a line of a sheet, its published figure, the one of the drive, and the error of that."""
    line = each.line
    texts = (figure_text(value, line.metric) for value in (line.value, each.measured))
    return (f"{line.load.state} {line.load.label}", *texts, error_text(each.error))


def sheet_rows(found: Measurement) -> list[tuple[str, ...]]:
    """Give the lines of the sheet beside what was measured."""
    return [
        (
            *beside_line(each),
            each.line.use,
            figure_text(each.naive, each.line.metric),
            error_text(each.naive_error),
            each.line.source,
        )
        for each in found.compared
    ]


def reasons(found: Measurement) -> list[tuple[str, str]]:
    """Say of lines why they are used as they are, and what was taken where the source leaves it open."""
    return [
        (f"{each.line.load.state} {each.line.load.label}, {each.line.metric}", text)
        for each in found.compared
        if (text := "; ".join(part for part in (each.line.why, each.line.assumed) if part))
    ]


def uses(found: Measurement) -> list[tuple[str, str]]:
    """Explain the uses that occur."""
    there = {each.line.use for each in found.compared}
    return [(use, text) for use, text in USES.items() if use in there]


def fact_rows(found: Measurement) -> list[tuple[str, str, str]]:
    """Give what the drive is made of, by whom it is said, or why it is assumed."""
    sheet = found.plan.sheet
    if sheet is None:
        return []
    return [(each.what, each.value, each.source or f"assumed: {each.assumed}") for each in sheet.facts]


def scaled(found: Measurement) -> str:
    """Say how large the drive is that was run, and what that leaves to garbage."""
    facts, geometry = found.plan.facts, found.plan.device.config["geometry"]
    left = float(facts["heavy_load"]["effective_spare_factor"])
    mapped = f", mapped in units of {geometry['mapping_unit']}" if "mapping_unit" in geometry else ""
    return (
        f"The drive that was run has {written(facts['user_bytes'], 'bytes')} for the host: "
        f"{facts['planes']} planes of {geometry['blocks_per_plane']} blocks of "
        f"{geometry['pages_per_block']} pages of {geometry['page_size']}{mapped}. "
        f"Its spare factor is {written(facts['spare_factor'], 'share')}; what is erased or open taken off, "
        f"{written(left, 'share')} is left to garbage under heavy load (docs/scaling-down.md)."
    )


def log_rows(found: Measurement) -> list[tuple[str, ...]]:
    """Give the counters of a real drive's log pages beside those of all loads together, in the same units."""
    loads = found.figures.values()
    totals: dict[Side, int] = {
        "host": sum(each.host_bytes for each in loads),
        "media": sum(each.nand_bytes for each in loads),
    }
    rows = []
    for log in found.plan.logs:
        for counter, value in log.counters:
            ours = totals[counter.side]
            rows.append(
                (
                    f"{counter.name}, {log.page}",
                    written(counter.unit, "count"),
                    written(value, "count"),
                    written(-(-ours // counter.unit), "count"),
                )
            )
    return [*rows, *_of_bytes(found, totals)]


def _of_bytes(found: Measurement, totals: Mapping[Side, int]) -> Iterator[tuple[str, ...]]:
    """Say what the counters amount to: times the capacity was written, and write amplification."""
    capacity = found.plan.facts["user_bytes"]
    sides: tuple[Side, Side] = ("host", "media")
    host, media = (
        next((value for log in found.plan.logs if (value := log.bytes_of(side)) is not None), None)
        for side in sides
    )
    if host is not None:
        yield ("bytes written by the host", "", written(host, "bytes"), written(totals["host"], "bytes"))
    if media is not None:
        yield ("bytes programmed", "", written(media, "bytes"), written(totals["media"], "bytes"))
    yield ("user capacities written", "", MISSING, written(totals["host"] / capacity, "ratio"))
    ours = written(totals["media"] / totals["host"], "ratio") if totals["host"] else MISSING
    theirs = written(media / host, "ratio") if host and media is not None else MISSING
    yield ("write amplification (bytes)", "", theirs, ours)


def logs(found: Measurement) -> list[Block]:
    """Tell of log pages of a real drive, where some were given."""
    if not found.plan.logs:
        return []
    told = ". ".join(f"{each.file}: {each.page}" for each in found.plan.logs)
    return [
        Title("Beside its log pages"),
        (
            f"{told}. They count since the drive was made; the simulated drive counts all loads below, "
            "without warm-up. Write amplification can be compared only where the workloads are alike."
        ),
        Table(LOG_HEAD, log_rows(found), name="logs"),
    ]


def rated(found: Measurement) -> list[Block]:
    """Tell what the rated endurance implies, where the sheet has one."""
    sheet = found.plan.sheet
    if sheet is None or not sheet.ratings:
        return []
    rows = endurance.rows(endurance.implied(sheet, found.plan.facts))
    return [Title("Rated endurance"), endurance.ABOUT, Table(endurance.HEAD, rows, name="endurance")]


def of_log(log: HealthLog) -> dict[str, Any]:
    """Give a log page with its counters."""
    counters = {each.name: value for each, value in log.counters}
    return {"file": log.file, "page": log.page, "counters": counters}


FORMAT = 1


def of_line(each: ComparedLine) -> dict[str, Any]:
    """Give a line of a sheet with what is known of it."""
    line = {"load": each.line.load.name, "published": each.line.value, **chosen(each.line, "metric", "use")}
    return {**line, **chosen(each, "error", "naive", "naive_error")}


def result(found: Measurement) -> str:
    """Write all figures; the same bytes at any number of workers."""
    loads: list[dict[str, Any]] = [
        {
            "load": each.load.name,
            "rounds_iops": each.rounds,
            "window": [each.first + 1, each.last + 1],
            **chosen(each, "steady", "iops", "mb_per_s", "mean_ns", "p99_ns", "p99_99_ns"),
            **chosen(each, "nand_write_amplification", "write_amplification"),
        }
        for load in found.plan.loads
        if (each := found.figures.get(load)) is not None
    ]
    return result_json(
        {
            "format": FORMAT,
            "device": found.plan.device.config["name"],
            "conclusion": conclusion(found),
            "notes": list(notes(found)),
            "failed": list(found.failures),
            "loads": loads,
            **({"logs": [of_log(each) for each in found.plan.logs]} if found.plan.logs else {}),
            "sheet": [{**of_line(each), "measured": each.measured} for each in found.compared],
        }
    )


HEAD = ("state", "load", "IOPS", "MB/s", "mean", "p99", "p99.99", "write amplification (bytes)", "window")
LOG_HEAD = ("counter", "bytes a unit", "the drive", "simulated")
SHEET_HEAD = ("line", "published", "measured", "error", "use", "naive", "its error", "source")


def document(found: Measurement) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    sheet = found.plan.sheet
    in_doubt = bool(found.failures) or any(each.steady is False for each in found.figures.values())
    level = "not-established" if in_doubt else ""
    sources = [] if sheet is None else sheet.sources
    of_sources = [(each.key, f"{each.title}, {each.date}", each.url) for each in sources]
    blocks = [
        *beginning("" if sheet is None else sheet.about, conclusion(found), notes(found), level=level),
        Title("Beside its sheet"),
        (
            "The error is that of the measured figure, in the published one. The naive predictor takes "
            "what a fresh drive reaches over a closed form of write amplification."
        ),
        Chart("errors", lambda: plots.errors(found)),
        Table(SHEET_HEAD, sheet_rows(found), name="sheet"),
        Fold("What each use means", [Table(("use", "meaning"), uses(found))]),
        Fold("Why each line is used as it is", [Table(("line", "why"), reasons(found), name="reasons")]),
        *logs(found),
        *rated(found),
        Title("Every load"),
        (
            f"{window_text(found)}. A steady load has the figures of its window: the first five rounds in "
            "a row whose range is within 20 % of their average, and whose best linear fit changes by no "
            "more than 10 % of it (SNIA, Solid State Storage Performance Test Specification 2.0.2). A "
            "fresh one has those of all rounds. A percentile with fewer than ten requests beyond it is "
            "left out."
        ),
        Table(HEAD, rows(found), name="loads"),
        Title("The steady state", page=True),
        "Requests a second in each round. Dashed: a tenth above and below the average of the window.",
        Chart("steady", lambda: plots.steady(found)),
        Title("What was run"),
        Text(scaled(found)),
        Title("What the drive is made of", page=True),
        Table(("what", "value", "source"), fact_rows(found), name="facts"),
        Table(("source", "title", "address"), of_sources, name="sources"),
        Fold("experiment.toml", [Source(found.plan.experiment.text)]),
    ]
    return Document(f"{found.name}, measured", blocks)

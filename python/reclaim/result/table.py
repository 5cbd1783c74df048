"""Result tables: the rows once, drawn in the terminal and in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from reclaim.report.document import Block, Cell, Note, Notes, Table, Text, figures_of, legend_of
from reclaim.result.reported import Reported
from reclaim.result.verdict import MARKS, SEVERITIES, Level, Severity
from reclaim.units import Kind, by_key, written

if TYPE_CHECKING:
    from reclaim.statistics.intervals import Interval

CLASSES = ("read", "write", "trim", "flush")

BEYOND = "requests beyond p99.99"
"""How many a percentile so close to the end stands for: none means that it is the maximum."""

PADDED = "pages padded per page of the host"
IN_BYTES = "write amplification (bytes)"
IN_PAGES = "write amplification (pages)"
"""In bytes, as a drive counts it, comes first; results of an earlier day have it in pages alone."""
ASKED = ("die utilisation asked for, by the host's pages alone", "die utilisation asked for, in total")
FAILED = ("blocks that have failed", "available spare (SMART), percent")
TBW, DWPD, USED, YEARS = (
    "TBW, TB of 10^12 bytes",
    "drive writes per day (DWPD)",
    "percentage used",
    "years at the trace's rate of writes",
)
"""Of drives of which it is known how often blocks can be erased."""
BY_HOST = "die utilisation by the host's pages alone"

LATENCIES: tuple[tuple[str, str], ...] = (
    ("mean latency", "mean_ns"),
    ("p50 latency", "p50_ns"),
    ("p90 latency", "p90_ns"),
    ("p95 latency", "p95_ns"),
    ("p99 latency", "p99_ns"),
    ("p99.9 latency", "p99_9_ns"),
    ("p99.99 latency", "p99_99_ns"),
    ("maximum latency", "max_ns"),
)
BREAKDOWN: tuple[tuple[str, str], ...] = (
    ("queue", "queue_ns"),
    ("waiting for GC", "gc_ns"),
    ("transfer", "transfer_ns"),
    ("flash array", "array_ns"),
    ("host link", "link_ns"),
    ("other", "other_ns"),
)
BRIEF = frozenset(
    {
        "requests per second",
        "mean latency",
        "p50 latency",
        "p99 latency",
        "p99.9 latency",
        "p99.99 latency",
        BEYOND,
        "maximum latency",
        "mean waiting for GC",
        "user capacity",
        "mean latency of all requests",
        IN_BYTES,
        IN_PAGES,
        "write amplification in warm-up (pages)",
        "valid pages at the start",
        "free blocks of a plane at the start",
        "erases per block at the start, most",
        PADDED,
        "pages programmed for GC",
        "blocks erased",
        "valid pages moved per victim",
        "write stall time, all planes",
        "erases per block, most",
        *(*FAILED, TBW, DWPD, USED, YEARS),
        *ASKED,
        BY_HOST,
        "die utilisation, mean",
        "channel utilisation, mean",
    }
)
"""Rows of a comparison in the terminal; the report has all."""
DRIVE: tuple[tuple[str, str, str, Kind], ...] = (
    ("user capacity", "facts", "user_bytes", "bytes"),
    (IN_BYTES, "gc", "nand_write_amplification", "ratio"),
    (IN_PAGES, "gc", "write_amplification", "ratio"),
    ("write amplification in warm-up (pages)", "warmup", "write_amplification", "ratio"),
    ("valid pages at the start", "start", "valid_share", "share"),
    ("valid pages at the start, fullest die", "start", "valid_share_fullest_die", "share"),
    ("free blocks of a plane at the start", "start", "free_blocks", "ratio"),
    ("free blocks at the start, scarcest plane", "start", "free_blocks_least", "count"),
    ("erases per block at the start, fewest", "start", "erases_least", "count"),
    ("erases per block at the start, most", "start", "erases_most", "count"),
    (PADDED, "gc", "padded_pages_per_host_page", "ratio"),
    ("bytes written by the host", "written", "host_bytes", "bytes"),
    ("bytes programmed", "written", "nand_bytes", "bytes"),
    ("bytes programmed for the host", "written", "nand_host_bytes", "bytes"),
    ("bytes programmed for GC", "written", "nand_collection_bytes", "bytes"),
    ("bytes programmed to fold the SLC cache", "written", "nand_folding_bytes", "bytes"),
    ("bytes programmed for wear levelling", "written", "nand_levelling_bytes", "bytes"),
    ("bytes of parity programmed", "written", "nand_parity_bytes", "bytes"),
    ("bytes of translation pages programmed", "written", "nand_translation_bytes", "bytes"),
    ("bytes of filler programmed", "written", "nand_padding_bytes", "bytes"),
    ("bytes left empty", "written", "empty_bytes", "bytes"),
    ("Data Units Written (SMART), of 512,000 bytes", "health", "data_units_written", "count"),
    ("Media Units Written (Endurance Group), of 10^9 bytes", "health", "media_units_written", "count"),
    ("Physical Media Units Written (OCP C0h)", "health", "physical_media_units_written", "count"),
    ("pages programmed for the host", "flash", "host_programs", "count"),
    ("pages programmed for GC", "flash", "gc_programs", "count"),
    ("pages programmed for wear levelling", "flash", "wear_programs", "count"),
    ("pages of parity programmed", "flash", "parity_programs", "count"),
    ("pages padded", "flash", "padded_pages", "count"),
    ("pages wasted by the odd/even rule", "flash", "wasted_pages", "count"),
    ("blocks erased", "flash", "erases", "count"),
    ("valid pages moved per victim", "gc", "valid_pages_per_victim", "ratio"),
    ("GC jobs", "gc", "jobs", "count"),
    ("most pages in the write buffer", "buffer", "max_pages", "count"),
    ("pages that waited for the write buffer", "buffer", "waits", "count"),
    ("time pages waited for the write buffer", "buffer", "wait_ns", "time"),
    ("fewest free blocks in a plane", "gc", "free_blocks_low_water", "count"),
    ("write stalls", "gc", "stalled_writes", "count"),
    ("write stall time, all planes", "gc", "host_write_stall_ns", "time"),
    ("erases per block, fewest", "wear", "min_erases", "count"),
    ("erases per block, mean", "wear", "mean_erases", "ratio"),
    ("erases per block, standard deviation", "wear", "stddev_erases", "ratio"),
    ("erases per block, most", "wear", "max_erases", "count"),
    ("erases per block, most over mean", "wear", "spread", "ratio"),
    (FAILED[0], "wear", "failed_blocks", "count"),
    (FAILED[1], "wear", "available_spare", "count"),
    (TBW, "lifetime", "tbw", "ratio"),
    ("TBW with equally worn blocks, TB", "lifetime", "tbw_levelled", "ratio"),
    ("levelling efficiency", "lifetime", "levelling_efficiency", "share"),
    (DWPD, "lifetime", "drive_writes_per_day", "ratio"),
    (USED, "lifetime", "percentage_used", "count"),
    (YEARS, "lifetime", "years", "ratio"),
    (ASKED[0], "utilisation", "die_host_asked", "share"),
    (ASKED[1], "utilisation", "die_asked", "share"),
    (BY_HOST, "utilisation", "die_host", "share"),
    ("die utilisation, mean", "utilisation", "die", "share"),
    ("die utilisation, busiest", "utilisation", "die_max", "share"),
    ("channel utilisation, mean", "utilisation", "channel", "share"),
    ("channel utilisation, busiest", "utilisation", "channel_max", "share"),
)
NOTHING_COLLECTED = "Nothing was collected {}: the figures say nothing about garbage collection."
OF_TIME = ("utilisation.", "gc.stalled_writes", "gc.host_write_stall_ns", "buffer.")
"""What a run without time (`measure.untimed`) has no figure of."""
COUNTED = ("flash", "gc", "buffer")
"""Sections of which every counter is shown, under its key where `DRIVE` has no better label for it."""


LEVEL_TEXTS: dict[Level, str] = {
    "trustworthy": "trustworthy",
    "not-established": "some figures are inconclusive",
    "not-trustworthy": "not trustworthy",
}


@dataclass(frozen=True)
class FigureRow:
    """One figure of every run."""

    section: str
    label: str
    kind: Kind
    values: tuple[float | None, ...]
    concerns: tuple[Severity | None, ...]
    """For each run, the worst kind of remark that the figure is named in."""
    paired: tuple[Interval, ...] = ()
    """For each scheme that has repeats, the median of its ratios to the first, paired by repeat."""

    def says_something(self) -> bool:
        """Whether there is a figure in it; that nothing lies beyond a percentile is one."""
        return any(self.values) or (self.label == BEYOND and self.values.count(None) < len(self.values))

    def marks(self) -> list[str]:
        """What stands behind each value; nothing behind most, and behind none that is missing."""
        pairs = zip(self.values, self.concerns, strict=True)
        return ["" if value is None or severity is None else MARKS[severity] for value, severity in pairs]

    def texts(self) -> list[str]:
        """Values with units."""
        return [written(value, self.kind) for value in self.values]

    def cells(self) -> list[Cell]:
        """Values with units and marks; those behind the first with their ratio to it."""
        marks, ratios = self.marks(), self.ratios()
        # What is doubted of the first run is doubted of every ratio to it.
        further = [f" {marks[0]}" if marks[0] and not mark else "" for mark in marks]
        known = map(_ends, self.paired) if self.paired else [""] * len(marks)
        return [
            Cell(text, mark, "" if number == 0 or ratio is None else f"×{ratio:.2f}{ends}{more}")
            for number, (text, mark, ratio, ends, more) in enumerate(
                zip(self.texts(), marks, ratios, known, further, strict=True)
            )
        ]

    def ratios(self) -> list[float | None]:
        """Each value over the first, of repeats the median; None where that says nothing."""
        if self.paired:
            return [each.value for each in self.paired]
        first = self.values[0]
        return [value / first if first and value is not None else None for value in self.values]


def _ends(known: Interval) -> str:
    """Write the ends of an interval; nothing where there is none."""
    return "" if known.low is None or known.high is None else f" [{known.low:.2f}, {known.high:.2f}]"


def repeats_of(results: Sequence[Reported]) -> int:
    """How many repeats there are of each of `results`."""
    return min((len(each.repeats) for each in results), default=1)


def rows(results: Sequence[Reported]) -> Iterator[FigureRow]:
    """Every figure of `results`, class by class, then the drive; classes without requests are left out.

    Of repeats (`Repeated`) a row has the medians.
    """
    if (count := repeats_of(results)) == 1:
        yield from _rows(results)
        return
    together = ([each.repeats[number] for each in results] for number in range(count))
    of_repeats = [{(row.section, row.label): row for row in _rows(runs)} for runs in together]
    for place in dict.fromkeys(place for repeat in of_repeats for place in repeat):
        yield _over([repeat[place] for repeat in of_repeats if place in repeat])


def _over(repeats: Sequence[FigureRow]) -> FigureRow:
    """One row of those of all repeats."""
    # Arrays are for what has repeats.
    from reclaim.statistics.intervals import ratio_interval

    columns = list(zip(*(row.values for row in repeats), strict=True))
    known = ([value for value in column if value is not None] for column in columns)
    concerns = zip(*(row.concerns for row in repeats), strict=True)
    return replace(
        repeats[0],
        values=tuple(median(values) if values else None for values in known),
        concerns=tuple(next((each for each in SEVERITIES if each in column), None) for column in concerns),
        paired=tuple(ratio_interval(column, columns[0]) for column in columns),
    )


def _shown(data: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, str, str, Kind]]:
    """Rows of the drive: without figures of time where no time was simulated."""
    if not all(each["config"]["measure"].get("untimed") for each in data):
        return DRIVE
    return [row for row in DRIVE if not f"{row[1]}.{row[2]}".startswith(OF_TIME)]


def _rows(results: Sequence[Reported]) -> Iterator[FigureRow]:
    data = [result.to_dict() for result in results]

    def concerns(figure: str) -> tuple[Severity | None, ...]:
        return tuple(result.verdict.concerning(figure) for result in results)

    for name in CLASSES:
        if not any(each["requests"][name]["count"] for each in data):
            continue

        def figure(label: str, key: str, kind: Kind, name: str = name) -> FigureRow:
            stats = [each["requests"][name] for each in data]
            values = tuple(one[key] if one["count"] else None for one in stats)
            return FigureRow(name, label, kind, values, concerns(f"requests.{name}.{key}"))

        yield figure("requests", "count", "count")
        yield figure("requests per second", "iops", "rate")
        yield figure("bandwidth", "bandwidth_bytes_per_s", "bandwidth")
        for label, key in LATENCIES:
            yield figure(label, key, "time")
            if key == "p99_99_ns":
                stats = [each["requests"][name] for each in data]
                beyond = tuple(one["count"] // 10_000 if one[key] else None for one in stats)
                yield FigureRow(name, BEYOND, "count", beyond, (None,) * len(data))
        for label, key in BREAKDOWN:
            parts = [each["requests"][name]["breakdown"] for each in data]
            values = tuple(part[key] for part in parts)
            yield FigureRow(
                name, f"mean {label}", "time", values, concerns(f"requests.{name}.breakdown.{key}")
            )
    shown = _shown(data)
    values = tuple(each["mean_latency_ns"] for each in data)
    mean = FigureRow("drive", "mean latency of all requests", "time", values, concerns("mean_latency_ns"))
    yield from [mean] if shown is DRIVE else []
    for label, section, key, kind in shown:
        # Results of an earlier day have not everything.
        values = tuple(each.get(section, {}).get(key) for each in data)
        if any(values) or not _in_vain(label, section, data):
            yield FigureRow("drive", label, kind, values, concerns(f"{section}.{key}"))
    yield from _declared(data)
    values = tuple(each["simulated_ns"] for each in data)
    yield FigureRow("drive", "simulated time", "time", values, concerns("simulated_ns"))


def programs_units(config: Mapping[str, Any]) -> bool:
    """Whether a drive programs several pages of a plane at once, so that it may have to pad."""
    flash = config["flash"]
    return bool(flash["program_unit"] == "word-line" and flash["cell"] != "SLC")


def _in_vain(label: str, section: str, data: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a row of zeros helps nobody."""
    if label == PADDED:
        return not any(programs_units(each["config"]) for each in data)
    if section == "lifetime":
        return not any(section in each for each in data)
    if label in FAILED:
        return not any("failed_blocks" in each["wear"] for each in data)
    return section in ("flash", "buffer", "written", "health") or label in ASKED


def brief_rows(results: Sequence[Reported]) -> Iterator[FigureRow]:
    """The rows of `BRIEF` that say something of these runs."""
    found = [row for row in rows(results) if row.label in BRIEF]
    asked = any(row.label in ASKED for row in found)
    for row in found:
        # Beside what was asked for, what the host alone and all together have of it.
        if (row.says_something() or row.label == PADDED) and (asked or row.label != BY_HOST):
            yield row


def not_collected(results: Sequence[Reported]) -> str:
    """What stands above the tables where nothing was collected; nothing where something was."""
    if any(each.to_dict()["gc"]["jobs"] for each in results):
        return ""
    return NOTHING_COLLECTED.format(
        "under any of these schemes" if len(results) > 1 else "in what was measured"
    )


def _declared(data: Sequence[Mapping[str, Any]]) -> Iterator[FigureRow]:
    """What this module does not name: counters of the drive, then metrics that policies declare."""
    nowhere: tuple[Severity | None, ...] = (None,) * len(data)
    named = {(section, key) for _, section, key, _ in DRIVE}
    for section in COUNTED:
        for key in data[0][section]:
            values = tuple(each[section].get(key) for each in data)
            if (section, key) not in named and any(values):
                label, _ = by_key(key, None)
                kind: Kind = "time" if key.endswith("_ns") else "count"
                yield FigureRow("drive", f"{section}: {label}", kind, values, nowhere)
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for each in data:
        for policy_kind, metrics in each["policies"].items():
            found |= {(policy_kind, name): metric for name, metric in metrics.items()}
    for (policy_kind, name), metric in found.items():
        counts = tuple(each["policies"].get(policy_kind, {}).get(name, {}).get("value") for each in data)
        label = f"{policy_kind}: {name.replace('_', ' ')}"
        yield FigureRow("drive", label, "time" if metric["unit"] == "ns" else "count", counts, nowhere)


def table_of(
    rows: Sequence[FigureRow],
    labels: Sequence[str],
    label: Callable[[FigureRow], str] = attrgetter("label"),
    **properties: Any,
) -> Table:
    """Put rows into a table, runs across, with the ratios to the first of several."""
    return Table(figures_of("", labels), [[label(row), *row.cells()] for row in rows], why=None, **properties)


def result_tables(result: Reported) -> list[Table]:
    """Tables of one run: what requests experienced, and what the drive did."""
    found = list(rows([result]))
    classes = {name: [row for row in found if row.section == name] for name in CLASSES}
    classes = {name: of_class for name, of_class in classes.items() if of_class}
    across = zip(*classes.values(), strict=True)
    requests = [[each[0].label, *(row.cells()[0] for row in each)] for each in across]
    drive = [row for row in found if row.section == "drive"]
    return [
        Table(figures_of("Requests", classes), requests, why=None),
        replace(table_of(drive, [""]), columns=figures_of("Drive", [""])),
    ]


def comparison(results: Sequence[Reported], about: str = "") -> Table:
    """The main figures of several runs side by side, each with its ratio to the first run.

    Args:
        results: the runs.
        about: what the title begins with.
    """
    brief = list(brief_rows(results))
    groups: dict[int, str] = {}
    for number, row in enumerate(brief):
        if row.section not in groups.values():
            groups[number] = row.section
    labels, count = [result.label for result in results], repeats_of(results)
    title = "ratios against the first column"
    if count > 1:
        title = f"medians of {count} repeats; {title} are paired by repeat, with 95 % intervals in brackets"
    return table_of(brief, labels, title="; ".join(filter(None, [about, title])), groups=groups, parts=1)


def remarks(results: Sequence[Reported]) -> dict[Severity, dict[str, list[str]]]:
    """What verdicts say, each text once, with the labels of the runs it concerns (none if all)."""
    found: dict[Severity, dict[str, list[str]]] = {severity: {} for severity in SEVERITIES}
    for result in results:
        for severity in SEVERITIES:
            for remark in result.verdict.remarks(severity):
                found[severity].setdefault(remark.text, []).append(result.label)
    for texts in found.values():
        for labels in texts.values():
            if len(labels) == len(results):
                labels.clear()
    return found


def legend(results: Sequence[Reported]) -> str:
    """What the marks behind the figures mean, as far as there are any."""
    return legend_of(mark for row in rows(results) for mark in row.marks())


def stand_in_of(trace: Mapping[str, Any]) -> str:
    """What a result must say of a trace that is a synthetic stand-in; nothing of others."""
    provenance = str(trace.get("provenance", ""))
    return provenance if provenance.startswith("synthetic stand-in") else ""


def remark_notes(results: Sequence[Reported], *severities: Severity) -> Notes:
    """What verdicts say, with the labels of the runs it concerns."""
    return Notes(
        [
            Note(text, ", ".join(labels), severity)
            for severity, texts in remarks(results).items()
            if severity in severities
            for text, labels in texts.items()
        ]
    )


def remark_blocks(results: Sequence[Reported]) -> list[Block]:
    """What must be known to read the tables: legend, kind of trace, the verdicts and their reasons."""
    stand_ins = dict.fromkeys(stand_in_of(result.to_dict()["trace"]) for result in results)
    told = [f"trace: {each}" for each in stand_ins if each]
    several = len({result.verdict.level for result in results}) > 1
    for result in results if several else results[:1]:
        who = f" {result.label}" if several else ""
        told.append(f"verdict{who}: {LEVEL_TEXTS[result.verdict.level]}")
    return [Text(legend(results)), *map(Text, told), remark_notes(results, *SEVERITIES)]

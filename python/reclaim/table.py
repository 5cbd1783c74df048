"""Result tables: the rows once, drawn in the terminal and in the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from reclaim.result import Result
from reclaim.units import Kind, written

CLASSES = ("read", "write", "trim")

LATENCIES: tuple[tuple[str, str], ...] = (
    ("mean latency", "mean_ns"),
    ("p50 latency", "p50_ns"),
    ("p90 latency", "p90_ns"),
    ("p95 latency", "p95_ns"),
    ("p99 latency", "p99_ns"),
    ("p99.9 latency", "p99_9_ns"),
    ("p99.99 latency", "p99_99_ns"),
    ("worst latency", "max_ns"),
)
BREAKDOWN: tuple[tuple[str, str], ...] = (
    ("queue", "queue_ns"),
    ("waiting for GC", "gc_ns"),
    ("wires", "wires_ns"),
    ("flash array", "array_ns"),
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
        "worst latency",
        "mean waiting for GC",
        "write amplification",
        "pages programmed for GC",
        "blocks erased",
        "valid pages moved per victim",
        "time planes stood still for space",
        "erases per block, most",
        "dies busy, mean",
        "channels busy, mean",
    }
)
"""Rows of a comparison in the terminal; the report has all."""
DRIVE: tuple[tuple[str, str, str, Kind], ...] = (
    ("write amplification", "gc", "write_amplification", "ratio"),
    ("write amplification in warm-up", "warmup", "write_amplification", "ratio"),
    ("pages programmed for the host", "flash", "host_programs", "count"),
    ("pages programmed for GC", "flash", "gc_programs", "count"),
    ("pages programmed for wear levelling", "flash", "wear_programs", "count"),
    ("blocks erased", "flash", "erases", "count"),
    ("valid pages moved per victim", "gc", "valid_pages_per_victim", "ratio"),
    ("GC jobs", "gc", "jobs", "count"),
    ("most pages in the write buffer", "buffer", "max_pages", "count"),
    ("pages that waited for the write buffer", "buffer", "waits", "count"),
    ("time pages waited for the write buffer", "buffer", "wait_ns", "time"),
    ("fewest free blocks in a plane", "gc", "free_blocks_low_water", "count"),
    ("times a plane stood still for space", "gc", "stalled_writes", "count"),
    ("time planes stood still for space", "gc", "host_write_stall_ns", "time"),
    ("erases per block, fewest", "wear", "min_erases", "count"),
    ("erases per block, mean", "wear", "mean_erases", "ratio"),
    ("erases per block, most", "wear", "max_erases", "count"),
    ("dies busy, mean", "utilisation", "die", "share"),
    ("dies busy, busiest", "utilisation", "die_max", "share"),
    ("channels busy, mean", "utilisation", "channel", "share"),
    ("channels busy, busiest", "utilisation", "channel_max", "share"),
)


@dataclass(frozen=True)
class Row:
    """One figure of every run."""

    section: str
    label: str
    kind: Kind
    values: tuple[float | None, ...]

    def texts(self) -> list[str]:
        """Values with units."""
        return [written(value, self.kind) for value in self.values]

    def ratios(self) -> list[float | None]:
        """Each value over the first; None where that says nothing."""
        first = self.values[0]
        return [value / first if first and value is not None else None for value in self.values]


def rows(results: Sequence[Result]) -> Iterator[Row]:
    """Every figure of `results`, class by class, then the drive; classes without requests are left out."""
    data = [result.to_dict() for result in results]
    for name in CLASSES:
        if not any(each["requests"][name]["count"] for each in data):
            continue

        def figure(label: str, key: str, kind: Kind, name: str = name) -> Row:
            stats = [each["requests"][name] for each in data]
            return Row(name, label, kind, tuple(one[key] if one["count"] else None for one in stats))

        yield figure("requests", "count", "count")
        yield figure("requests per second", "iops", "rate")
        yield figure("bandwidth", "bandwidth_bytes_per_s", "bandwidth")
        for label, key in LATENCIES:
            yield figure(label, key, "time")
        for label, key in BREAKDOWN:
            parts = [each["requests"][name]["breakdown"] for each in data]
            yield Row(name, f"mean {label}", "time", tuple(part[key] for part in parts))
    for label, section, key, kind in DRIVE:
        values = tuple(each[section][key] for each in data)
        if any(values) or section not in ("flash", "buffer"):
            yield Row("drive", label, kind, values)
    yield Row("drive", "simulated time", "time", tuple(each["simulated_ns"] for each in data))


def result_tables(result: Result) -> list[Table]:
    """Tables of one run: what requests experienced, and what the drive did."""
    classes: dict[str, list[Row]] = {}
    drive = Table("Drive", "", title_justify="left")
    drive.columns[1].justify = "right"
    for row in rows([result]):
        if row.section == "drive":
            drive.add_row(row.label, *row.texts())
        else:
            classes.setdefault(row.section, []).append(row)
    requests = Table("Requests")
    for name in classes:
        requests.add_column(name, justify="right")
    for across in zip(*classes.values(), strict=True):
        requests.add_row(across[0].label, *(text for row in across for text in row.texts()))
    return [requests, drive] if classes else [drive]


def comparison_table(results: Sequence[Result]) -> Table:
    """The main figures side by side, each with its ratio to the first run."""
    table = Table("", title="ratios against the first column", title_justify="left")
    for result in results:
        table.add_column(result.label, justify="right", no_wrap=True)
    section = None
    for row in rows(results):
        if row.label not in BRIEF or not any(row.values):
            continue
        if row.section != section:
            if section is not None:
                table.add_section()
            section = row.section
            table.add_row(Text(row.section, style="bold"))
        cells: list[Any] = []
        for index, (text, ratio) in enumerate(zip(row.texts(), row.ratios(), strict=True)):
            shown = "" if index == 0 or ratio is None else f"  ×{ratio:.2f}"
            cells.append(Text.assemble(text, (shown, "dim")))
        table.add_row(row.label, *cells)
    return table


def remarks(results: Sequence[Result]) -> dict[str, dict[str, list[str]]]:
    """Warnings and notes, each message once, with the labels of the runs it concerns (none if all)."""
    found: dict[str, dict[str, list[str]]] = {"warning": {}, "note": {}}
    for result in results:
        for severity, each in (("warning", result.verdict.warnings), ("note", result.verdict.notes)):
            for remark in each:
                found[severity].setdefault(remark.message, []).append(result.label)
    for messages in found.values():
        for labels in messages.values():
            if len(labels) == len(results):
                labels.clear()
    return found


def stand_in_of(trace: Mapping[str, Any]) -> str:
    """What a result must say of a trace that is a synthetic stand-in; nothing of others."""
    provenance = str(trace.get("provenance", ""))
    return provenance if provenance.startswith("synthetic stand-in") else ""


def remark_lines(results: Sequence[Result]) -> list[Text]:
    """`remarks` for the terminal."""
    lines = []
    stand_ins = {stand_in_of(result.to_dict()["trace"]): None for result in results}
    lines += [Text.assemble(("trace", "bold yellow"), f" {each}") for each in stand_ins if each]
    for severity, style in (("warning", "bold yellow"), ("note", "cyan")):
        for message, labels in remarks(results)[severity].items():
            who = f"{', '.join(labels)}: " if labels else ""
            lines.append(Text.assemble((severity, style), f" {who}{message}"))
    return lines

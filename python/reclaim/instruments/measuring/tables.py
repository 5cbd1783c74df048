"""The tables of a measurement: every load, the lines of a sheet, its sources, and what the drive is."""

from __future__ import annotations

from reclaim.instruments.measuring.figures import Figures
from reclaim.instruments.measuring.plan import Compared, Measured
from reclaim.instruments.measuring.sheet import USES
from reclaim.units import MISSING, written

NOT_STEADY = "not steady"


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


def rows(found: Measured) -> list[tuple[str, ...]]:
    """Give every load that was run."""
    return [_row(found.figures[each]) for each in found.plan.loads if each in found.figures]


def _sheet_row(each: Compared) -> tuple[str, ...]:
    line = each.line
    return (
        f"{line.load.state} {line.load.label}",
        figure_text(line.value, line.metric),
        figure_text(each.measured, line.metric),
        error_text(each.error),
        line.use,
        figure_text(each.naive, line.metric),
        error_text(each.naive_error),
        line.source,
    )


def sheet_rows(found: Measured) -> list[tuple[str, ...]]:
    """Give the lines of the sheet beside what was measured."""
    return [_sheet_row(each) for each in found.compared]


def reasons(found: Measured) -> list[tuple[str, str]]:
    """Say of lines why they are used as they are, and what was taken where the source leaves it open."""
    return [
        (f"{each.line.load.state} {each.line.load.label}, {each.line.metric}", text)
        for each in found.compared
        if (text := "; ".join(part for part in (each.line.why, each.line.assumed) if part))
    ]


def uses(found: Measured) -> list[tuple[str, str]]:
    """Explain the uses that occur."""
    there = {each.line.use for each in found.compared}
    return [(use, text) for use, text in USES.items() if use in there]


def fact_rows(found: Measured) -> list[tuple[str, str, str]]:
    """Give what the drive is made of, by whom it is said, or why it is assumed."""
    sheet = found.plan.sheet
    if sheet is None:
        return []
    return [(each.what, each.value, each.source or f"assumed: {each.assumed}") for each in sheet.facts]


def scaled(found: Measured) -> str:
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

"""What a trace is like, as tables that the command line and the HTML page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reclaim.report.document import Table, figures_of
from reclaim.start import collection
from reclaim.units import MISSING, Kind, written

Values = Mapping[str, Any]
KINDS = ("read", "write", "trim")
PERCENTILES = (
    ("1 %", "p1"),
    ("10 %", "p10"),
    ("25 %", "p25"),
    ("median", "p50"),
    ("75 %", "p75"),
    ("90 %", "p90"),
    ("99 %", "p99"),
)
ZIPF_LIMIT = 0.1


def _group(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table whose rows begin with a label."""
    head = figures_of("", columns) if any(columns) else ["", *columns]
    return Table(head, rows, title, kind="plain")


def _share(value: float | None) -> str:
    return written(value, "share")


def _requests(of: Values) -> Table:
    counts = of["requests"]
    rows = [
        (
            f"{name}s" if name != "flush" else "flushes",
            written(counts[f"{name}s" if name != "flush" else "flushes"], "count"),
            _share(counts[f"{name}_share"]),
            written(counts.get(f"{name}_bytes"), "bytes"),
        )
        for name in (*KINDS, "flush")
    ]
    rows.append(("all", written(counts["total"], "count"), "", ""))
    rows.append(("writes of reads and writes", "", _share(counts["write_ratio"]), ""))
    rows.append(("the same in bytes", "", _share(counts["write_ratio_bytes"]), ""))
    return _group("Requests", ("number", "share", "bytes"), rows)


def _sizes(of: Values) -> Table:
    kinds = [kind for kind in KINDS if of["sizes"][kind]["count"]]
    sizes = [of["sizes"][kind] for kind in kinds]
    order = [of["sequentiality"][kind] for kind in kinds]
    rows = [("mean size", *(written(each["mean_bytes"], "bytes") for each in sizes))]
    rows.append(("smallest", *(written(each["min_bytes"], "bytes") for each in sizes)))
    rows += [
        (label, *(written(each["percentiles_bytes"][key], "bytes") for each in sizes))
        for label, key in PERCENTILES
        if key not in ("p1", "p25", "p75")
    ]
    rows.append(("largest", *(written(each["max_bytes"], "bytes") for each in sizes)))
    window = of["sequentiality"]["window"]
    rows.append(("next to the previous", *(_share(each["next_to_previous_share"]) for each in order)))
    rows.append((f"in a stream (of the last {window})", *(_share(each["in_stream_share"]) for each in order)))
    rows.append(
        ("mean size in a stream", *(written(each["mean_in_stream_bytes"] or None, "bytes") for each in order))
    )
    rows.append(
        ("mean size at random", *(written(each["mean_random_bytes"] or None, "bytes") for each in order))
    )
    return _group("Sizes and order", [f"{kind}s" for kind in kinds], rows)


def _time(of: Values) -> list[Table]:
    arrivals = of["arrivals"]
    gaps = arrivals["interarrival_ns"]
    rows = [
        ("span", written(arrivals["span_ns"], "time")),
        ("requests per second", written(arrivals["requests_per_s"], "rate")),
        ("mean gap", written(gaps["mean"], "time")),
        ("coefficient of variation of gaps", written(gaps["coefficient_of_variation"], "ratio")),
        ("median gap", written(gaps["percentiles"]["p50"], "time")),
        ("99 % of gaps up to", written(gaps["percentiles"]["p99"], "time")),
        ("longest gap", written(gaps["max"], "time")),
        ("arriving at the same time", _share(arrivals["simultaneous_share"])),
    ]
    bursts = [
        (
            written(each["window_ns"], "time"),
            written(each["mean_requests"], "ratio"),
            written(each["index_of_dispersion"], "ratio"),
            written(each["peak_requests"], "count"),
            written(each["peak_to_mean"], "ratio"),
            _share(each["idle_share"]),
        )
        for each in arrivals["burstiness"]
        if each["windows"]
    ]
    columns = ("mean requests", "index of dispersion", "peak", "peak / mean", "idle")
    return [_group("Time", ("",), rows), _group("Burstiness, by window", columns, bursts)]


def _space(of: Values) -> Table:
    space, over = of["space"], of["overwrites"]
    unit = of["options"]["unit_bytes"]
    rows = [
        ("addresses from", written(space["min_offset_bytes"], "bytes")),
        ("addresses to", written(space["max_end_bytes"], "bytes")),
        ("footprint", written(space["footprint_bytes"], "bytes")),
        ("of it read", written(space["read_footprint_bytes"], "bytes")),
        ("of it written", written(space["write_footprint_bytes"], "bytes")),
        ("reads of what the trace has not written", _share(space["reads_of_unwritten_share"])),
        ("overwrite ratio (of all written)", _share(over["overwrite_ratio"])),
        ("writes that overwrite anything", _share(over["updating_writes_share"])),
        ("written space written twice or more", _share(over["updated_share_of_written"])),
        ("writes per written unit", written(over["writes_per_written_unit"], "ratio")),
        ("data removed by trims", written(over["trimmed_live_units"] * unit, "bytes")),
        ("data left at the end", written(over["live_units_at_end"] * unit, "bytes")),
    ]
    return _group(f"Space, in units of {written(unit, 'bytes')}", ("",), rows)


def _lifetimes(of: Values) -> Table:
    unit = of["options"]["unit_bytes"]
    lifetimes = of["lifetimes"]
    shown: list[tuple[str, Values, Kind, int]] = [
        ("update interval, written", lifetimes["update_interval_units"], "bytes", unit),
        ("update interval, time", lifetimes["update_interval_ns"], "time", 1),
        ("lifetime, written", lifetimes["lifetime_units"], "bytes", unit),
        ("lifetime, time", lifetimes["lifetime_ns"], "time", 1),
    ]
    rows = []
    for label, each, kind, factor in shown:
        empty = not each["count"]
        values = [each["percentiles"][key] for _, key in PERCENTILES]
        texts = (MISSING if empty else written(value * factor, kind) for value in (*values, each["mean"]))
        rows.append((label, *texts))
    return _group("Lifetimes", (*(label for label, _ in PERCENTILES), "mean"), rows)


def _skew(of: Values) -> Table:
    skew = of["skew"]
    rows = [
        (f"writes to the hottest {percent} %", _share(skew[f"hottest_{percent}_percent_share"]))
        for percent in (1, 5, 10, 20)
    ]
    rows.append(("Gini coefficient", written(skew["gini"], "ratio")))
    zipf = skew["zipf"]
    if zipf is None:
        rows.append(("Zipf exponent", MISSING))
    elif zipf["distance"] > ZIPF_LIMIT:
        rows.append(("Zipf exponent", f"not Zipf's law ({_share(zipf['distance'])} off)"))
    else:
        text = f"{zipf['exponent']:.2f} ({_share(zipf['distance'])} off)"
        rows.append(("Zipf exponent", text))
    return _group("Skew of writes over the written space", ("",), rows)


def device_group(name: str, facts: Values, demand: Values) -> Table:
    """What a trace is on a drive, from `Device.facts` and `Device.demand`."""
    trace = facts["trace"]
    rows = [
        ("user capacity", written(facts["user_bytes"], "bytes")),
        ("drive capacities written", written(trace["drive_writes"], "ratio")),
        ("footprint of the user capacity", _share(trace["footprint_share"])),
        (
            "reaches beyond the drive",
            "yes: it must be remapped (--remap)" if trace["larger_than_drive"] else "no",
        ),
        ("assumed state of the drive", facts["assumed_state"]),
        ("garbage collection starts", collection(facts)),
        (
            "pages read and written",
            f"{written(demand['pages_read'], 'count')}, {written(demand['pages_written'], 'count')}",
        ),
        ("pages written in part", written(demand["pages_written_in_part"], "count")),
        ("die utilisation by them, as recorded", _share(demand["utilisation"])),
    ]
    return _group(f"On {name}", ("",), rows)


def groups(characteristics: Values) -> list[Table]:
    """All tables of a trace, in reading order."""
    of = characteristics
    found = [_requests(of)]
    if any(of["sizes"][kind]["count"] for kind in KINDS):
        found.append(_sizes(of))
    found += _time(of)
    found += [_space(of)]
    if of["requests"]["writes"]:
        found += [_lifetimes(of), _skew(of)]
    return found

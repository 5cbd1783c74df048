"""What must be known of a candidate, and what is caught: why its figures are not to be believed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim import input_file
from reclaim.device import Device
from reclaim.parsing import json_value, split_outside
from reclaim.policy.marks import is_own
from reclaim.policy.reads import words_of
from reclaim.report.ratios import listed
from reclaim.study.judging.cost import words_asked
from reclaim.study.judging.effects import Against, by_workload
from reclaim.study.judging.own import held_out, sizes
from reclaim.study.judging.suite import AMPLIFICATION, METRICS, PUBLIC, RECORDED, REFERENCE, Suite, mark_of

if TYPE_CHECKING:
    import polars as pl

HEADROOM = 1.3
"""Workloads of a suite amplify writes by more, under the reference."""
ERASED = 0.95
"""A drive in its steady state erases as many bytes as it writes. Who erases less puts collection off until
after the run, or did it before; the rivals erase all of it."""
TRACES = {"open_trace", "generate_trace", "simulate"}
"""Words of code that looks at a workload by itself."""
READS = {"open", "read_text", "read_bytes", "loadtxt", "read_csv", "read_parquet", "scan_csv", "scan_parquet"}
DRAWS = {"random", "secrets", "urandom", "default_rng", "RandomState", "uuid4"}
CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "time_ns", "datetime"}
MOST_BESIDE = 200
"""Cards of other folders that are looked at."""


def caught(runs: pl.DataFrame, drive: Device, suite: Suite) -> Iterable[str]:
    """Say why figures are not to be believed, as far as the runs and the code show."""
    yield from not_collected(runs, drive, suite)
    if words := sorted(_words(drive) & TRACES):
        yield f"Its code has the words {listed(words)}: it may look ahead, at what will be written."


def not_collected(runs: pl.DataFrame, drive: Device, suite: Suite) -> Iterable[str]:
    """See whether it erases as many bytes as it writes: whoever does not has put that off."""
    facts = drive.facts()
    page, key = facts["raw_bytes"] / facts["physical_pages"], "geometry.pages_per_block"
    # The drive of a point may be made small for its workload; of another one, it may not.
    as_it_is = Device(suite.drive or str(suite.folder / suite.devices[0]))
    usual = int(as_it_is.config["geometry"]["pages_per_block"])
    pages = {each["name"]: int(each.get("set", {}).get(key, usual)) for each in suite.table["traces"]}
    for device in dict.fromkeys(runs["device"]):
        of = runs.filter(device=device)
        erased = sum(
            count * pages[trace] * page for trace, count in of.select("trace", "flash_erases").iter_rows()
        )
        share = erased / float(of["written_nand_bytes"].sum())
        if share < ERASED:
            name = device.removesuffix(".toml")
            yield f"On {name} it erased {share:.0%} of what it wrote: it puts collection off until later."


def foresees(settings: Any) -> bool:
    """Whether some policy knows the rest of the trace.

    >>> foresees({"gc": {"relocation": {"admission": "future"}}}), foresees({"function": "future.py:mine"})
    (True, False)
    """
    if isinstance(settings, Mapping):
        return any(map(foresees, settings.values()))
    return settings in ("future", "future-knowledge", "level-by-future")


def noted(runs: pl.DataFrame, known: Against, drive: Device, suite: Suite) -> Iterable[str]:
    """Say what must be known."""
    yield from _of_code(drive)
    same = [rival for rival, each in known[AMPLIFICATION].items() if not any(each.by_workload.values())]
    if same:
        yield f"It writes exactly as many bytes as {' and '.join(same)} on every workload."
    families = listed(held_out(suite))
    if suite.held_out:
        yield f"Its edition has no workload of these families, and held them out: {families}."
    elif not suite.is_own:
        yield f"Held out, no workload of this card is of these families: {families}. --draw N has them."
    if suite.is_own:
        yield from _of_ones_own(suite)
    recorded = {trace for trace, family in suite.families.items() if family in (RECORDED, PUBLIC)}
    if played := sorted(recorded & {*runs["trace"]}):
        yield (
            f"{listed(played)} are played several times: data comes back at every play, and is easier to "
            "foresee than in life."
        )
    left_out: dict[tuple[int, str], list[str]] = {}
    for metric, name in METRICS.items():
        doubted = runs.filter(runs[mark_of(metric)] != "")
        if doubted.height:
            places = listed(sorted({*doubted["trace"]}))
            left_out.setdefault((doubted.height, places), []).append(name)
    for (count, places), names in left_out.items():
        yield f"Inconclusive and left out: {listed(names)} of {count} of its runs, under {places}."


def _of_code(drive: Device) -> Iterable[str]:
    if foresees(drive.config):
        yield "It knows the rest of the trace, which no drive does."
    if beside := [each.name for each in drive.code_files()[1:]]:
        yield f"It reads {', '.join(beside)} beside its own file."
    words = words_asked(drive)
    if read := sorted(words & READS):
        yield f"Its code has the words {listed(read)}: look at what it reads."
    if drawn := sorted(words & DRAWS):
        yield f"It draws numbers by itself ({listed(drawn)}): seeds do not reach it, so its repeats say less."
    if clocks := sorted(words & CLOCKS):
        yield f"It looks at a clock ({listed(clocks)})."


def _of_ones_own(suite: Suite) -> Iterable[str]:
    if suite.drive:
        yield f"{suite.devices[0]} is made as small as each workload fills: {sizes(suite)}."
    ran = {str(name): len({*of["trace"]}) for (name,), of in suite.baselines.group_by("scheme")}
    if few := sorted(name for name, count in ran.items() if count < max(ran.values())):
        yield f"Not every workload could be run under {listed(few)}."
    reached = by_workload(suite.baselines, suite.devices[:1]).get(REFERENCE, {})
    if low := sorted(trace for trace, value in reached.items() if value < HEADROOM):
        little = "little can be won there"
        yield f"{REFERENCE} amplifies writes of {listed(low)} by less than {HEADROOM}: {little}."


def tuned(given: str, folder: Path, digest: str) -> Iterable[str]:
    """Say whether other settings of a candidate were judged on the same suite, in folders beside this one.

    Args:
        given: what names the candidate.
        folder: of its card.
        digest: of the suite.
    """
    mine = _without_values(given)
    others = set()
    for file in sorted(folder.absolute().parent.glob("*/card.json"))[:MOST_BESIDE]:
        try:
            card = json_value(input_file.text(file))
            if card["suite_digest"] == digest and _without_values(card["given"]) == mine:
                others.add(card["given"])
        except (OSError, ValueError, TypeError, KeyError):
            # Something else is called so.
            continue
    if count := len(others - {given}):
        yield (
            f"{count + 1} settings of {mine} were judged on this suite: it may be tuned on it. "
            "Judge it on workloads that nobody has seen, with --draw."
        )


def _without_values(given: str) -> str:
    """Leave out the settings of a candidate that has something else.

    >>> _without_values("mine.py:aged+gc.victim.params.power=2"), _without_values("gc.pages_in_flight=4")
    ('mine.py:aged', 'gc.pages_in_flight=4')
    """
    parts = [part.strip() for part in split_outside(given, "+")]
    whole = [part for part in parts if is_own(part) or "=" not in part]
    return "+".join(whole or parts)


def _words(drive: Device) -> set[str]:
    """Give all words of its files: what is opened when a file is loaded, any of its policies may use."""
    files = [each for each in drive.code_files() if each.suffix == ".py"]
    return {word for file in files for word in words_of(input_file.text(file, errors="replace"))}

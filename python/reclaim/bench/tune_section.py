"""Reads `[tune]`: which scheme is tuned, by which figures, on which runs, and on which it is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from reclaim.bench.fields import check_keys, flag_of, kind_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.metric_names import check_metric
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.bench.parts import Axis, DeviceEntry, Repeats, SchemeEntry, TraceEntry
from reclaim.bench.sensitivity import AMOUNT, MOST_AMOUNT
from reclaim.bench.tune_limits import RANGE, Limit, range_values, read_limit
from reclaim.bench.values import read_setting
from reclaim.bench.work import not_the_drive
from reclaim.layers import is_same

SECTION = "tune"
TUNE_ON, JUDGE_ON = "tune_on", "judge_on"
Sampler = Literal["tpe", "random"]
KEYS = (
    "scheme",
    "objectives",
    "constraints",
    "budget",
    TUNE_ON,
    JUDGE_ON,
    "overlap",
    "around",
    "keys",
    "without",
    "search",
    "sampler",
    "batch",
    "seed",
)
BUDGET = re.compile(AMOUNT + r" *(?P<unit>trials?|points?|min|h)")
DEFAULT_TRIALS = 40
DEFAULT_BATCH = 4
MOST_BATCH = 1000
MOST_SEED = 2**63 - 1
MOST_OBJECTIVES = 4
ON = '{ traces = ["varmail"], repeats = [0] }'
OTHERS = '{ traces = ["sqlite"] }'


class Budget(NamedTuple):
    """What a search may cost at most; the least of what is given."""

    trials: int | None = None
    """Settings of the scheme that are run."""
    points: int | None = None
    """Runs of these."""
    minutes: float | None = None
    """What the runs take, estimated, on one processor."""


class Extent(NamedTuple):
    """Runs of an experiment: some traces, some repeats."""

    traces: tuple[str, ...]
    repeats: tuple[int, ...]


class TuneEntry(NamedTuple):
    """What is to be tuned."""

    scheme: str
    """By its name."""
    objectives: tuple[str, ...]
    """Columns of the table of points; of several, a Pareto front is looked for."""
    constraints: tuple[Limit, ...]
    budget: Budget
    tune_on: Extent
    judge_on: Extent
    overlap: bool
    """Whether it may be judged on what it was tuned on."""
    keys: tuple[str, ...]
    """Patterns of keys that are searched over their declared alternatives; none: see `search`."""
    without: tuple[str, ...]
    search: Mapping[str, tuple[str, ...]]
    """Values of a key, as `--set` takes them, in place of its declared alternatives."""
    ranges: frozenset[str]
    """Keys of `search` whose values are a range, in order."""
    sampler: Sampler = "tpe"
    batch: int = DEFAULT_BATCH
    """Trials that are proposed before the first of them is known."""
    seed: int = 1
    around: bool = True
    """Whether each parameter of what was found is moved by itself."""


class Others(NamedTuple):
    """What else the experiment says."""

    devices: Sequence[DeviceEntry]
    traces: Sequence[TraceEntry]
    schemes: Sequence[SchemeEntry]
    axes: Sequence[Axis]
    repeats: Repeats


def read_tune(table: Mapping[str, Any], others: Others, base: Path, mistakes: Mistakes) -> TuneEntry | None:
    """Read the section; None where there is none, or something in it is wrong."""
    if SECTION not in table:
        return None
    before = len(mistakes.found) + len(mistakes.more)
    section = table[SECTION]
    if not isinstance(section, Mapping):
        mistakes.add((SECTION,), f"must be a table, written [{SECTION}], not {kind_of(section)}")
        return None
    check_keys(section, (SECTION,), KEYS, mistakes)
    tune_on, judge_on = _extents(section, others, mistakes)
    search = _search(section, base, mistakes)
    entry = TuneEntry(
        _scheme(section, others.schemes, mistakes),
        _objectives(section, mistakes),
        _constraints(section, mistakes),
        _budget(section, mistakes),
        tune_on,
        judge_on,
        flag_of(section, "overlap", (SECTION,), mistakes),
        _patterns(section, "keys", mistakes),
        _patterns(section, "without", mistakes),
        search,
        frozenset(key for key in search if isinstance(section["search"][key], Mapping)),
        _sampler(section, mistakes),
        _whole(section, "batch", DEFAULT_BATCH, (1, MOST_BATCH), mistakes),
        _whole(section, "seed", 1, (0, MOST_SEED), mistakes),
        flag_of(section, "around", (SECTION,), mistakes, default=True),
    )
    if len(others.devices) > 1:
        mistakes.add(("devices",), f"names {len(others.devices)} drives; a scheme is tuned for one")
    for axis in others.axes:
        if not axis.crossed:
            mistakes.add(("vary", axis.name), "is varied alone; of a tuning, [axes] are workloads: use that")
    if not entry.overlap:
        _no_overlap(entry, mistakes)
    return entry if len(mistakes.found) + len(mistakes.more) == before else None


def _scheme(section: Mapping[str, Any], schemes: Sequence[SchemeEntry], mistakes: Mistakes) -> str:
    names = [each.name for each in schemes]
    name = text_of(section, "scheme", (SECTION,), mistakes, default=names[0] if names else "")
    if names and name not in names:
        mistakes.add((SECTION, "scheme"), f'"{name}" is no scheme of this experiment; {valid(name, names)}')
    return name


def _objectives(section: Mapping[str, Any], mistakes: Mistakes) -> tuple[str, ...]:
    path: KeyPath = (SECTION, "objectives")
    example = 'as in objectives = ["read_p99_9_ns"]'
    if "objectives" not in section:
        mistakes.add((SECTION,), f"objectives is missing; name at least one metric, {example}")
        return ()
    given = section["objectives"]
    if not isinstance(given, list) or not given:
        mistakes.add(path, f"must be a list of metrics, {example}, not {kind_of(given)}")
        return ()
    if len(given) > MOST_OBJECTIVES:
        text = f"has {len(given)}; the most is {MOST_OBJECTIVES}: make constraints of the others"
        mistakes.add(path, text)
    for number, each in enumerate(given):
        if not isinstance(each, str):
            mistakes.add((*path, number), f"must be the name of a metric, {example}, not {kind_of(each)}")
        elif each in given[:number]:
            mistakes.add((*path, number), f'"{each}" is listed twice')
        else:
            check_metric(each, (*path, number), mistakes)
    return tuple(each for each in given if isinstance(each, str))


def _constraints(section: Mapping[str, Any], mistakes: Mistakes) -> tuple[Limit, ...]:
    path: KeyPath = (SECTION, "constraints")
    given = section.get("constraints", [])
    if not isinstance(given, list):
        example = 'as in constraints = ["gc_nand_write_amplification <= 2"]'
        mistakes.add(path, f"must be a list, {example}, not {kind_of(given)}")
        return ()
    found = [read_limit(each, (*path, number), mistakes) for number, each in enumerate(given)]
    return tuple(each for each in found if each is not None)


def _budget(section: Mapping[str, Any], mistakes: Mistakes) -> Budget:
    """Read the budget: trials, points, or minutes of one processor; or a list of these."""
    given = section.get("budget", f"{DEFAULT_TRIALS} trials")
    least: dict[str, float] = {}
    for each in given if isinstance(given, list) and given else [given]:
        found = BUDGET.fullmatch(each.strip()) if isinstance(each, str) else None
        number = float(found["number"]) if found else 0.0
        unit = found["unit"].rstrip("s") if found else ""
        if number <= 0 or (unit in ("trial", "point") and not number.is_integer()):
            text = (
                'must be a number of trials or points, or a time, as in "40 trials", "400 points", "20 min"'
            )
            mistakes.add(
                (SECTION, "budget"), f"{text}, or a list of these, {MOST_AMOUNT}, not {kind_of(each)}"
            )
            return Budget()
        kind, number = ("min", number * 60) if unit == "h" else (unit, number)
        least[kind] = min(number, least.get(kind, number))
    return Budget(
        int(least["trial"]) if "trial" in least else None,
        int(least["point"]) if "point" in least else None,
        least.get("min"),
    )


def _extents(section: Mapping[str, Any], others: Others, mistakes: Mistakes) -> tuple[Extent, Extent]:
    """Read what is tuned on and what is judged on; repeats that are left out are the first and the others."""
    for key in (TUNE_ON, JUDGE_ON):
        if key not in section:
            what = "what the scheme is tuned on" if key == TUNE_ON else "on which other runs it is judged"
            example = ON if key == TUNE_ON else OTHERS
            mistakes.add((SECTION,), f"{key} is missing; name {what}, as in {key} = {example}")
    tuned = _extent(section, TUNE_ON, (0,), others, mistakes)
    count = range(others.repeats.count)
    judged = _extent(section, JUDGE_ON, (), others, mistakes)
    if not judged.repeats:
        shared = set(judged.traces) & set(tuned.traces)
        left = [each for each in count if each not in tuned.repeats or not shared]
        judged = judged._replace(repeats=tuple(left or count))
    return tuned, judged


def _extent(
    section: Mapping[str, Any], key: str, repeats: tuple[int, ...], others: Others, mistakes: Mistakes
) -> Extent:
    names = tuple(each.name for each in others.traces)
    given = section.get(key, {})
    path: KeyPath = (SECTION, key)
    if not isinstance(given, Mapping) or (key in section and not given):
        mistakes.add(path, f"must name traces or repeats or both, as in {ON}, not {kind_of(given)}")
        return Extent(names, repeats)
    check_keys(given, path, ("traces", "repeats"), mistakes)
    traces = given.get("traces", list(names))
    if not isinstance(traces, list) or not traces:
        mistakes.add((*path, "traces"), f"must be a list of traces, as in {ON}, not {kind_of(traces)}")
        traces = []
    for number, each in enumerate(traces):
        if each not in names:
            text = f"{kind_of(each)} is no trace of this experiment; {valid(str(each), names)}"
            mistakes.add((*path, "traces", number), text)
    wanted = given.get("repeats", list(repeats))
    count = others.repeats.count
    if not isinstance(wanted, list) or ("repeats" in given and not wanted):
        mistakes.add((*path, "repeats"), f"must be a list of numbers, as in {ON}, not {kind_of(wanted)}")
        wanted = []
    for number, each in enumerate(wanted):
        if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each < count:
            has = "one repeat, 0" if count == 1 else f"repeats 0 to {count - 1}"
            text = f"{kind_of(each)} is no repeat; the experiment has {has}: [repeats] count gives it more"
            mistakes.add((*path, "repeats", number), text)
    return Extent(tuple(dict.fromkeys(map(str, traces))), tuple(dict.fromkeys(wanted)))


def _no_overlap(entry: TuneEntry, mistakes: Mistakes) -> None:
    """Refuse to judge a scheme on runs that it was tuned on."""
    traces = [each for each in entry.judge_on.traces if each in entry.tune_on.traces]
    repeats = [each for each in entry.judge_on.repeats if each in entry.tune_on.repeats]
    if traces and repeats:
        named = ", ".join(f'"{each}"' for each in traces)
        shown = f"repeat{'s' if len(repeats) > 1 else ''} {', '.join(map(str, repeats))}"
        text = f"is tuned on {named}, {shown}, too, so that chance would be taken for a gain"
        how = "name other traces or repeats ([repeats] count gives more), or set overlap = true"
        mistakes.add((SECTION, JUDGE_ON), f"{text}; {how}")


def _patterns(section: Mapping[str, Any], key: str, mistakes: Mistakes) -> tuple[str, ...]:
    given = section.get(key, [])
    if isinstance(given, list) and all(isinstance(each, str) and each.strip() for each in given):
        return tuple(given)
    mistakes.add((SECTION, key), f'must be a list of keys, as in ["gc.*", "scheduler"], not {kind_of(given)}')
    return ()


def _search(section: Mapping[str, Any], base: Path, mistakes: Mistakes) -> dict[str, tuple[str, ...]]:
    """Read the values that keys are searched over."""
    path: KeyPath = (SECTION, "search")
    given = section.get("search", {})
    example = f'as in "gc.pages_in_flight" = [1, 4] or {RANGE}'
    if not isinstance(given, Mapping):
        mistakes.add(path, f"must be a table of values by key, {example}, not {kind_of(given)}")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for key, values in given.items():
        place: KeyPath = (*path, key)
        wrong = not_the_drive(key, "tuned")
        twin = next((other for other in found if is_same(key, other)), None)
        if wrong:
            mistakes.add(place, wrong)
        elif twin is not None:
            mistakes.add(place, f"says what {twin} says, which is searched already; search one of them")
        elif isinstance(values, Mapping) and {"from", "to"} & set(values):
            found[key] = tuple(range_values(values, place, mistakes))
        elif isinstance(values, list) and len(values) > 1:
            read = [read_setting(key, each, (*place, at), base, mistakes) for at, each in enumerate(values)]
            texts = [each.text for each in read if each is not None]
            twice = next((each for at, each in enumerate(texts) if each in texts[:at]), None)
            if twice is not None:
                mistakes.add(place, f'lists "{twice}" twice; give every value once, and two at least')
            found[key] = tuple(texts)
        elif isinstance(values, Mapping):
            inner = next(iter(values), "key")
            mistakes.add(
                place, f'write the whole key in quotes, as in "{key}.{inner}" = […], or a range {RANGE}'
            )
        else:
            mistakes.add(
                place, f"must be a list of two values or more, or a range, {example}, not {kind_of(values)}"
            )
    return found


def _sampler(section: Mapping[str, Any], mistakes: Mistakes) -> Sampler:
    given = section.get("sampler", "tpe")
    if given in get_args(Sampler):
        return "random" if given == "random" else "tpe"
    mistakes.add((SECTION, "sampler"), f"{kind_of(given)} is unknown; {valid(str(given), get_args(Sampler))}")
    return "tpe"


def _whole(
    section: Mapping[str, Any], key: str, default: int, ends: tuple[int, int], mistakes: Mistakes
) -> int:
    value = section.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not ends[0] <= value <= ends[1]:
        text = f"must be a whole number from {ends[0]} to {ends[1]:,}, not {kind_of(value)}"
        mistakes.add((SECTION, key), text)
        return default
    return value

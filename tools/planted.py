"""How often a study of sensitivity finds the key that decides, and how often it names one that does not.

python tools/planted.py [--planted 20] [--pairs 20] [--seed 1] [--output out/planted]

Planted: scheme B is scheme A, slowed down by the time of a look-up. What each key does to a request is
measured once; a key is drawn whose strongest move outweighs the slowing down by more than six repeats
scatter, beside keys that do less than half of it: that key decides, and the others do not. Pairs: two real
schemes and some keys are drawn; where 40 repeats of every alternative turn nothing, a study of six repeats
may not either. Other pairs are drawn anew.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.study.sensitivity.judging import Pairing, measured, side_of, side_runs
from reclaim.study.sensitivity.sensitivity import SensitivityStudy
from reclaim.study.study import RunOptions

TRACE: dict[str, Any] = {
    "requests": 2500,
    "size": "4KiB",
    "operations": {"write": 0.8},
    "address": {"kind": "uniform", "footprint": "16MiB"},
    "arrivals": {"kind": "constant", "interval": "1500us"},
}
SETTINGS: dict[str, Any] = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 1,
    "geometry.pages_per_block": 32,
    "geometry.page_size": "4KiB",
    "geometry.spare_factor": "28%",
    "trace.remap": "wrap",
    "warmup.kind": "overwrite",
    "warmup.overwrites": 1,
}
METRICS = ("write_mean_ns", "read_mean_ns")
SCHEMES = (
    "greedy",
    "fifo",
    "random",
    "d-choices",
    "cost-benefit",
    "windowed-greedy",
    "suspend",
    "first-come",
)
SLIGHT_NS = 20_000
"""By what a write is slower while the effects of keys are measured."""
DECIDES = 0.03
"""Log ratio by which the key that is planted pulls, at the least."""
CLEAR = 4
"""Deviations of a repeat by which its pull is more than the slowing down, at the least. Eight keys of six
moves share 5 %, for which Student's t of six repeats is 6.8: the mean of six must be 2.8 deviations away."""
MARGIN = 0.6
"""Of its pull, the slowing down that it outweighs."""
STRONGEST = 0.2
"""Log ratio of a slowing down, at the most: a look-up of half a write would be another drive."""
WEAK = 0.5
"""Of the slowing down, what the other keys may pull."""
OTHERS = 7
REPEATS = 6
TRUTH = 40
"""Repeats that say what is so."""
DRAWS = 10
"""Pairs that are drawn for one that nothing turns."""


def experiment(
    name: str, schemes: Sequence[str], metric: str, keys: Sequence[str], repeats: int, seed: int
) -> Experiment:
    """A comparison whose drive and trace are drawn from a seed."""
    return Experiment.from_dict(
        {
            "name": name,
            "devices": ["coupled-copyback-mini"],
            "traces": [{"name": "uniform", "generate": TRACE | {"seed": seed}}],
            "schemes": list(schemes),
            "set": SETTINGS | {"seed": 1000 * seed},
            "repeats": {"count": repeats, "by": "seed"},
            "sensitivity": {"metrics": metric, "combinations": 0, "keys": list(keys)},
        }
    )


def slowed(nanoseconds: int) -> str:
    """Name scheme B."""
    return f"greedy+controller.lookup={nanoseconds}ns"


class Pull(NamedTuple):
    """What the strongest move of a key does."""

    log: float
    """By how much it pulls the log ratio down."""
    deviation: float
    """Of a repeat."""

    @property
    def handicap(self) -> float:
        """The slowing down that it outweighs."""
        return min(MARGIN * self.log, STRONGEST)

    @property
    def decides(self) -> bool:
        """Whether six repeats can show that it does."""
        return self.log >= DECIDES and self.log - self.handicap >= CLEAR * self.deviation


class Profile(NamedTuple):
    """What keys do to a metric."""

    metric: str
    pulls: dict[str, Pull]
    """By how much each can pull the log ratio down."""
    ns: float
    """The metric as it is."""


def profile(metric: str, folder: Path) -> Profile:
    """Measure what keys do to a metric; a folder may have the runs of another one."""
    made = experiment("profile", ["greedy", slowed(SLIGHT_NS)], metric, [], REPEATS, 0)
    SensitivityStudy(made).run(folder, RunOptions(report=False))
    (study,) = json.loads((folder / "sensitivity/result.json").read_text(encoding="utf-8"))["studies"]
    base = study["base"]["log_ratio"]
    found: dict[str, Pull] = {}
    for key in study["keys"]:
        if all(each["says"] in ("holds", "open", "nothing") for each in key["variations"]):
            ran = [each["all_repeats"] or each["screen"] for each in key["variations"]]
            found[key["key"]] = max(Pull(base - each["log_ratio"], each["deviation"]) for each in ran)
    return Profile(metric, found, SLIGHT_NS / math.expm1(base))


def planted(number: int, seed: int, profiles: Sequence[Profile], folder: Path) -> bool:
    """Plant a key, and say whether it was found and no other."""
    draw = random.Random(f"planted {seed} {number}")  # noqa: S311 - reproducible, not secret
    metric, effects, ns = draw.choice(profiles)
    key = draw.choice(sorted(each for each, pull in effects.items() if pull.decides))
    handicap = effects[key].handicap
    weak = sorted(each for each, pull in effects.items() if pull.log + pull.deviation <= WEAK * handicap)
    keys = [key, *draw.sample(weak, min(OTHERS, len(weak)))]
    schemes = ["greedy", slowed(round(ns * math.expm1(handicap)))]
    made = experiment(f"planted-{number}", schemes, metric, keys, REPEATS, seed + number)
    turned = turning(made, folder / f"planted-{number}")
    print(f"planted {number}: {key} in {metric}; turned by {', '.join(turned) or 'nothing'}", flush=True)
    return turned == [key]


def turning(made: Experiment, folder: Path) -> list[str]:
    """Keys that a study says turn a comparison."""
    found = SensitivityStudy(made).run(folder, RunOptions(report=False))
    return [key.name for study, _ in found.studies for key in study.keys if key.status == "turns"]


def is_turned_by_nothing(made: Experiment, folder: Path) -> bool:
    """Whether 40 repeats show a difference, and those of no alternative one on the other side."""
    study = SensitivityStudy(made)
    comparison, variations = study.comparison, study.listed().keys
    traces, repeats = comparison.traces, range(TRUTH)
    with study.opened(folder, RunOptions(), None) as runs:
        as_is = Pairing()
        base = measured(as_is, traces, repeats, comparison.run(runs, side_runs(as_is, traces, repeats)))
        side = side_of(base)
        if side == 0:
            return False
        for each in (each for key in variations for each in key.variations):
            wanted = side_runs(each.pairing, traces, repeats)
            sample = measured(each.pairing, traces, repeats, comparison.run(runs, wanted)).sample
            if sample is not None and sample.excludes_none(-side):
                return False
    return True


def quiet(number: int, seed: int, profiles: Sequence[Profile], folder: Path) -> bool | None:
    """Draw a pair that nothing turns, and say whether a study names a key; None where none was drawn."""
    draw = random.Random(f"quiet {seed} {number}")  # noqa: S311 - reproducible, not secret
    for attempt in range(DRAWS):
        metric, effects, _ = draw.choice(profiles)
        schemes, keys = draw.sample(SCHEMES, 2), draw.sample(sorted(effects), OTHERS)
        place = folder / f"quiet-{number}-{attempt}"
        # Seeds of the truth and of the study are apart: the same runs would agree.
        truth = experiment("truth", schemes, metric, keys, TRUTH, seed + 500 + number)
        try:
            if not is_turned_by_nothing(truth, place / "truth"):
                continue
            turned = turning(
                experiment("study", schemes, metric, keys, REPEATS, seed + number), place / "study"
            )
        except InputError as error:
            print(f"quiet {number}: drawn anew: {error}", flush=True)
            continue
        print(
            f"quiet {number}: {' against '.join(schemes)} in {metric}, {', '.join(keys)}; "
            f"turned by {', '.join(turned) or 'nothing'}",
            flush=True,
        )
        return bool(turned)
    return None


def main(words: Sequence[str]) -> int:
    """Draw them all and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default in (("planted", 20), ("pairs", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--output", type=Path, default=Path("out/planted"))
    given = parser.parse_args(words)
    profiles = [profile(metric, given.output / "profile") for metric in METRICS]
    found = [planted(number, given.seed, profiles, given.output) for number in range(given.planted)]
    named = [quiet(number, given.seed, profiles, given.output) for number in range(given.pairs)]
    drawn = [each for each in named if each is not None]
    print(f"of {len(found)} planted keys {sum(found)} were found, and nothing else")
    print(f"of {len(drawn)} pairs that nothing turns {sum(drawn)} were called turned")
    return 0 if sum(found) >= 0.9 * len(found) and sum(drawn) <= 0.05 * max(20, len(drawn)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

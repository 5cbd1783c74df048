"""What tools/mutants.py has found out, as the Markdown that docs/mutation.md holds."""

import dataclasses
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from mutant_tree import ROOT, WORK

REASONS = ROOT / "docs" / "mutation.md"
SUITES = WORK / "suites.jsonl"
CAUGHT, MISSED, TIMEOUT, UNVIABLE = "caught", "missed", "timeout", "unviable"
# Standard normal quantile of a two-sided 95 % interval.
Z = 1.959964


@dataclasses.dataclass(frozen=True)
class Row:
    """What became of a mutant in one state of sources and tests."""

    state: str
    mutant: str
    outcome: str
    seconds: float
    # The test that failed, if one did.
    by: str


def wilson(share: float, count: float) -> tuple[float, float]:
    """95 % interval of a share of so many (Wilson 1927)."""
    spread = Z * Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def score(
    outcomes: Mapping[str, str], strata: Mapping[str, int], stratum: Callable[[str], str]
) -> tuple[float, float, float]:
    """The share of viable mutants that is caught, and the ends of its 95 % interval.

    Folders weigh by the number of their mutants that compile, as estimated from the sample. The interval is
    Wilson's for the number of mutants of a simple sample that would have the same variance; where all or
    none of a folder's were caught, its variance is that of half a mutant more of each kind.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for key, outcome in outcomes.items():
        counts[stratum(key)][outcome] += 1
    weights, hits, sizes = {}, {}, {}
    for name, count in counts.items():
        viable = count.total() - count[UNVIABLE]
        if viable:
            weights[name] = strata[name] * viable / count.total()
            hits[name], sizes[name] = count[CAUGHT], viable
    total = sum(weights.values())
    share = variance = 0.0
    for name, weight in weights.items():
        of_folder = (hits[name] + 0.5) / (sizes[name] + 1)
        share += weight / total * hits[name] / sizes[name]
        variance += (weight / total) ** 2 * of_folder * (1 - of_folder) / sizes[name]
    smooth = (share * sum(sizes.values()) + 0.5) / (sum(sizes.values()) + 1)
    return share, *wilson(share, smooth * (1 - smooth) / variance)


def by_suite() -> dict[str, str]:
    """The suite and the test that caught what the Rust tests missed, by mutant; an empty text: none did."""
    lines = SUITES.read_text().splitlines() if SUITES.exists() else []
    return {entry["mutant"]: entry["by"] for entry in map(json.loads, lines)}


def line_of(title: str, outcomes: Mapping[str, str], told: tuple[float, float, float]) -> str:
    """A line of the table of scores."""
    count = Counter(outcomes.values())
    viable = len(outcomes) - count[UNVIABLE]
    share, low, high = told
    return (
        f"| {title} | {viable} | {count[CAUGHT]} | {count[MISSED]} | {count[TIMEOUT]} | {share:.1%} "
        f"| {low:.1%} to {high:.1%} |"
    )


def report(
    rows: Mapping[str, Row],
    first: Mapping[str, Row],
    strata: Mapping[str, int],
    stratum: Callable[[str], str],
) -> None:
    """Print the scores, what each folder has, and each survivor with the suite that caught it."""
    now = {key: row.outcome for key, row in rows.items()}
    before = {key: row.outcome for key, row in first.items()}
    if not any(outcome != UNVIABLE for outcome in now.values()):
        print("caught: nothing to catch")
        return
    later = by_suite()
    all_suites = {key: CAUGHT if later.get(key) and now[key] != CAUGHT else now[key] for key in now}
    count = Counter(now.values())
    print(
        f"\n{len(now)} of {sum(strata.values())} mutants drawn, {len(now) - count[UNVIABLE]} of which "
        "compile.\n\n| | Viable | Caught | Missed | Not ended | Score | 95 % interval |\n" + "|---" * 7 + "|"
    )
    print(line_of("Rust tests, when first tried", before, score(before, strata, stratum)))
    print(line_of("Rust tests, now", now, score(now, strata, stratum)))
    print(line_of("all suites, now", all_suites, score(all_suites, strata, stratum)))
    print("\n| Folder | Mutants | Drawn | Viable | Caught first | Caught now |\n|---|---|---|---|---|---|")
    for name in sorted(strata):
        members = [key for key in now if stratum(key) == name]
        viable = [key for key in members if now[key] != UNVIABLE]
        hits = [sum(which[key] == CAUGHT for key in viable) for which in (before, now)]
        print(f"| `{name}` | {strata[name]} | {len(members)} | {len(viable)} | {hits[0]} | {hits[1]} |")
    reasons = REASONS.read_text() if REASONS.exists() else ""
    print("\n| Not caught by the Rust tests when first tried | Now caught by |\n|---|---|")
    for key, outcome in sorted(before.items()):
        if outcome in {MISSED, TIMEOUT}:
            caught = f"`{rows[key].by}`" if now[key] == CAUGHT else later.get(key, "")
            reason = "a reason below" if key in reasons else f"**nothing**, and no reason in {REASONS.name}"
            print(f"| `{key}` | {caught or reason} |")

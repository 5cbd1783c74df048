"""The paper on channel-aware GC as it ships: cells, statements, and gains by reading, worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import channel_aware
import made_points
import reclaim
from channel_aware import course, figures, shapes
from channel_aware.course import Course, limit
from channel_aware.gains import CONVENTIONAL, PRINTED, SCHEMES, WORKLOADS, Gains, printed_cells
from channel_aware.shapes import SHAPES
from channel_aware.statements import JOURNALS, especially, of_runs
from reclaim.paper.agreements import judge
from reclaim.paper.evaluation import Evidence, Variations
from reclaim.paper.experiments import read_table, scheme_name, trace_table
from reclaim.paper.figures import LevelRuns, by_name
from reclaim.paper.measured import OurFigure
from reclaim.paper.paper import load_paper
from reclaim.shipped import PAPERS

PLACE = PAPERS / "channel-aware"
GIB = 1 << 30
METRICS = tuple(dict(PRINTED))
FOUR = ("cells", "pages-8k", "stand-ins", "greedy", "cost-benefit", "bus", "mesh", "pages-8k-doubled")


def experiment(name: str) -> dict[str, Any]:
    return read_table(PLACE / f"{name}.toml", PLACE)


def test_all_four_schemes_are_in_every_cell() -> None:
    for name in FOUR:
        table = experiment(name)
        assert [scheme_name(each) for each in table["schemes"]] == list(SCHEMES)
        assert sorted(trace_table(each)["name"] for each in table["traces"]) == sorted(WORKLOADS)


@pytest.mark.parametrize(("name", "drive_gib"), [("cells", 1), ("pages-8k", 2), ("stand-ins", 1)])
def test_every_workload_writes_three_times_the_drive(name: str, drive_gib: int) -> None:
    for entry in experiment(name)["traces"]:
        given = entry.get("set", {})
        summary = reclaim.open_trace(entry["source"]).summary()
        share = min(1.0, given.get("trace.max_requests", summary["requests"]) / summary["requests"])
        written = summary["write_bytes"] * share * given.get("trace.repeat", 1)
        # Of a part of a stand-in, which is the same throughout, the share is near enough.
        room = 0.99 if share < 1 else 1
        assert written >= 3 * drive_gib * GIB * room, f"{entry['name']}: {written / GIB:.2f} GiB"


def test_the_limit_is_that_of_the_paper() -> None:
    allowed = {499: 0, 500: 0, 501: 1, 587: 1, 588: 2, 675: 2, 676: 3, 763: 4, 849: 4, 999: 4}
    assert {used: limit(used, 1000) for used in allowed} == allowed


def points(*latencies: float) -> pl.DataFrame:
    """Six repeats of all workloads, in which a scheme takes so long, and 1 ns longer each time."""
    given = {name: dict.fromkeys(METRICS, value) for name, value in zip(SCHEMES, latencies, strict=True)}
    return made_points.points(given, WORKLOADS, 6).with_columns(pl.col(*METRICS) + pl.col("repeat"))


def test_a_gain_is_over_the_best_conventional_scheme() -> None:
    gains = Gains(points(400.0, 200.0, 300.0, 100.0))
    assert len(PRINTED) == 20
    assert gains.gain()(PRINTED[0], 0) == 2.0
    assert gains.gain(over=CONVENTIONAL[:1])(PRINTED[0], 0) == 4.0
    whole = gains.gain_of(PRINTED)
    assert whole.value == pytest.approx((202 / 102 + 203 / 103) / 2)
    assert whole.interval == pytest.approx((205 / 105, 2.0))


@pytest.mark.parametrize(
    ("journal", "other", "agreement"),
    [(0.9, 0.8, "not reproduced"), (1.2, 1.1, "matches"), (1.1, 1.2, "not reproduced")],
)
def test_the_larger_of_two_losses_is_no_especially_large_gain(
    journal: float, other: float, agreement: str
) -> None:
    journals = printed_cells(JOURNALS)
    others = [cell for cell in PRINTED if cell not in journals]
    tables = [
        points(*(gain * 1e6,) * 3, 1e6).filter(pl.col("trace").is_in(JOURNALS) == of_journals)
        for gain, of_journals in ((journal, True), (other, False))
    ]
    found = especially(Gains(pl.concat(tables)), journals, others)
    claims = {each.id: each for each in load_paper("channel-aware").expected.claims}
    judgement = judge(claims["s43-strength-bursty-journal"], OurFigure(found.figure, found.parts))
    assert judgement.agreement == agreement


def test_a_level_without_the_workloads_says_so(tmp_path: Path) -> None:
    some = points(1.0, 1.0, 1.0, 1.0).filter(pl.col("trace") == "sqlite")
    paper = load_paper("channel-aware")
    figures = by_name(of_runs(LevelRuns("quick", "own", some, tmp_path)))
    rows = Evidence(paper, some, figures, Variations()).rows()
    named = [row for row in rows if row.claim.figure]
    assert named
    assert {row.judgement.agreement for row in named} == {"not run", "error in the paper"}
    with pytest.raises(reclaim.InputError, match="brings no figure"):
        Evidence(paper, some, figures, Variations(), complete=True).rows()


@pytest.mark.parametrize(
    ("name", "rows", "value"),
    [
        ("none-below-theta1", [(300, 0, 0), (520, 1, 1)], 1.0),
        ("none-below-theta1", [(300, 1, 0), (520, 1, 1)], 0.0),
        ("limit-follows-usage", [(300, 0, 0), (520, 1, 1), (900, 1, 4)], 1.0),
        ("limit-follows-usage", [(300, 0, 0), (520, 1, 2)], 0.0),
        ("full-above-theta2", [(900, 1, 4)], 1.0),
        ("full-above-theta2", [(900, 1, 3)], 0.0),
        ("full-above-theta2", [(300, 0, 0)], None),
        ("no-jumps", [(300, 0, 0), (520, 1, 1)], 1.0),
        ("no-jumps", [(300, 0, 0), (700, 1, 3)], 0.0),
    ],
)
def test_a_shape_is_there_or_not(
    name: str, rows: list[tuple[int, int, int]], value: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a drive of 1,000 pages: used pages, jobs begun, channels allowed."""
    table = [
        {"trace": "sqlite", "scheme": "adaptive", "repeat": 0, "start_ns": at}
        | dict(zip(("used_pages", "jobs_begun", "allowed_channels"), row, strict=True))
        for at, row in enumerate(rows)
    ]
    monkeypatch.setattr(course, "PAGES", 1_000)
    monkeypatch.setattr(shapes, "PAGES", 1_000)
    found = SHAPES.of(Course(pl.DataFrame(table)), name)[name]
    assert (found.figure.value if found.figure else None) == value


LATENCIES = {
    f"{scheme}, {start}": took
    for start, times in {
        "idle": (50, 10, 12, 20),
        "first": (90, 30, 36, 60),
        "turn": (55, 25, 35),
        "idle, drained": (None, 40, 45),
        "first, drained": (None, 120, 80),
    }.items()
    for scheme, took in zip(SCHEMES, times, strict=False)
    if took is not None
}
"""Of every cell, ms: waiting takes two thirds off, not draining three quarters, and G(t) doubles the rest."""


def ran_of(points: pl.DataFrame) -> LevelRuns:
    return LevelRuns("default", "own", points, Path())


@pytest.fixture(scope="module")
def ran() -> LevelRuns:
    given = {name: dict.fromkeys(METRICS, latency * 1e6) for name, latency in LATENCIES.items()}
    return ran_of(made_points.points(given, WORKLOADS, 6, experiment_key="readings"))


def test_each_part_alone_is_beside_what_differs_in_it_alone(ran: LevelRuns) -> None:
    told = made_points.told("channel-aware", ran)
    found = made_points.values(told.figures)
    alone = pytest.approx(
        {
            "G alone, idle": 0.5,
            "G alone, first": 0.5,
            "G alone, first, drained": 2,
            "half alone, idle": 10 / 12,
            "half alone, first, drained": 1.5,
            "not draining alone, first": 4,
            # The best of the three baselines: 80 of those that drain, 30 of those that do not.
            "control": 8,
            "control, not drained": 3,
            "control, idle drained": 4,
            "control, turn": 2.5,
        }
    )
    assert {name: found[f"{name}, recordings"] for name in alone.expected} == alone
    rows = {row[0]: row[1:] for row in told.tables[0].rows}
    assert rows["all wait for idle channels (section 3.1): the default"][:2] == ("0.50", "0.50")
    assert rows["conventional ones go before the host (section 4.3)"][-1] == "20.00"


@pytest.fixture(scope="module")
def counted(ran: LevelRuns) -> LevelRuns:
    """Crossed with valid pages as the usage, where G(t) is as fast as the gate; MongoDB's jobs are forced."""
    points = ran.points.with_columns(
        experiment_key=pl.lit("crossed"),
        gc_jobs=1000,
        gc_trigger_blocks_listed=900,
        gc_concurrency_emergency_starts=pl.when(pl.col("trace") == "mongodb").then(990).otherwise(200),
        gc_write_amplification=1.25,
        utilisation_die=0.5,
    )
    scheme = pl.col("scheme")
    of_g = points.filter(scheme == "conv-0.7-allch, idle").with_columns(scheme=pl.lit("adaptive, idle"))
    valid = pl.concat([points.filter(scheme.str.contains("conv-0.7")), of_g])
    return ran_of(pl.concat([points, valid.with_columns(scheme + ", valid")]))


def test_rules_are_crossed_with_readings(counted: LevelRuns) -> None:
    name = "first drained against idle, valid, recordings, where it acts"
    values = made_points.values(made_points.told("channel-aware", counted).figures)
    # The best baseline takes 80, G(t) as long as the gate.
    assert values[name] == values[f"plain gate, {name}"] == pytest.approx(8)
    assert values["G beside the gate, recordings"] == 0.5
    assert values["G beside the gate, valid, recordings"] == 1
    assert not any("interleaved" in each for each in values), "without such runs there are no figures"


def test_workloads_whose_jobs_are_forced_are_set_apart(counted: LevelRuns) -> None:
    told = made_points.told("channel-aware", counted, channel_aware)
    found = made_points.values(told.figures)
    assert found["workloads where it acts, recordings"] == len(WORKLOADS) - 1
    (acting,) = (each for each in told.tables if each.name == "acts")
    rows = {row[0]: row[1:] for row in acting.rows}
    assert (rows["mongodb"], rows["sqlite"][0]) == (("1 %", "1.25", "50 %"), "80 %")


def test_curves_have_a_point_for_each_part_of_a_run() -> None:
    run = pl.DataFrame({"start_ns": [0, 10**9], "outstanding_requests": [4, 8]})
    of = {"a": ("cassandra", "adaptive")}
    rows = run.with_columns(trace=pl.lit("cassandra"), scheme=pl.lit("adaptive"))
    assert figures.rows(rows, figures.Curves(figures.WAITING, of)) == [("a", 0.0, 4.0), ("a", 1.0, 8.0)]


def test_other_parameters_are_beside_the_same_baselines(ran: LevelRuns) -> None:
    tables = made_points.tables("channel-aware", ran)
    assert "choices" not in tables, "without such runs there is no table"
    points = []

    def add(experiment: str, of: str, times: float, name: str) -> None:
        took = pl.col(*METRICS) * times
        named = {"experiment_key": pl.lit(experiment), "scheme": pl.lit(name)}
        points.append(ran.points.filter(pl.col("scheme") == of).with_columns(took, **named))

    others = ("2 channels", "8 channels", "30 % to 70 %", "70 % to 85 %", "80 % to 95 %", "most invalid")
    for experiment, beside in (("crossed", "choices"), ("crossed-stand-ins", "choices-stand-ins")):
        points.append(ran.points.with_columns(experiment_key=pl.lit(experiment)))
        for number, name in enumerate(others):
            add(beside, "adaptive, idle", 0.5**number, f"adaptive, {name}")
        for name in ("conv-0-allch, idle", "conv-0.7-allch, idle", "conv-0.7-halfch, idle"):
            add(beside, name, 3, f"{name}, most invalid")
    rows = made_points.tables("channel-aware", ran_of(pl.concat(points)))["choices"]
    # The best that waits has 10 ms, the best that drains before the host 80.
    assert [row[1] for row in rows[:4]] == ["0.50", "0.50", "1.00", "2.00"]
    assert [row[2] for row in rows[:4]] == ["4.00", "4.00", "8.00", "16.00"]
    assert [row[1:3] for row in rows] == [row[3:5] for row in rows]
    alone, alike = rows[-2:]
    assert alike[1] == f"{3 * float(alone[1]):.2f}", "with baselines that share the choice"
    assert alike[2] == "–", "those before the host were not run with it"

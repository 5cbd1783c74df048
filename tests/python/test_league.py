"""The league: its cells are tunings that can be made, or are named; its table pairs what was measured."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

import league_after
import league_pace
import league_page
import league_variations
from league import beside, pictures
from league_cells import LEFT, UNPLAYED, LeagueCell, cells, place_of, prepared
from league_figures import beats, compared, composed, numbers, paired, reference, row, tables
from league_plots import heat
from reclaim.experiment.experiment import Experiment
from reclaim.paper import page
from reclaim.study.study import RunOptions

FOLDER = league_page.FOLDER
LEAGUE = FOLDER / "league.toml"
JITTER = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0]
BACK = JITTER[::-1]
HALF = [each / 2 for each in BACK]


@pytest.fixture(scope="module")
def small() -> list[LeagueCell]:
    return list(cells(FOLDER / "small.toml", []))


def of_five(figures: list[float]) -> dict[str, list[float]]:
    """Of five workloads that measured the same."""
    return {str(name): figures for name in range(1, 6)}


def measured(
    cell: LeagueCell, as_it_is: list[float], found: list[float] | None, **beside: list[float]
) -> LeagueCell:
    """A cell with figures as the scheme is and as it was found."""
    given = {"read_p99_ns": found or []} | beside
    metrics = {name: {"values": of_five(figures)} for name, figures in given.items()}
    judged = [{"is_found": True, "metrics": metrics, "reached": {"x <= 1": 0.5}}]
    result: dict[str, Any] = {
        "judged": judged if found else [],
        "found": {"set": {}},
        "runs": 9,
        "trials": [1],
    }
    result |= {"objectives": ["read_p99_ns"], "values_as_it_is": {"read_p99_ns": of_five(as_it_is)}}
    result |= {"reached_as_it_is": {"x <= 1": 2.0}}
    return LeagueCell(cell.league, cell.drive, cell.scheme, cell.family, cell.experiment, "", [], result, {})


def by_name(listed: list[LeagueCell], name: str) -> LeagueCell:
    return next(each for each in listed if each.scheme == name)


def at_pace(pace: float, *names: str) -> list[LeagueCell]:
    """The league's cells, with some of its traces or all, each at the same pace."""
    listed = [each for each in cells(LEAGUE, []) if each.league == "plain and papers"]
    for each in listed:
        table = each.experiment.table
        paces = dict.fromkeys(names or [trace["name"] for trace in table["traces"]], pace)
        each.experiment = Experiment.from_dict(league_pace.paced(table, paces), base=FOLDER)
    return listed


@pytest.mark.slow
def test_every_scheme_has_a_cell_or_is_named(small: list[LeagueCell]) -> None:
    plans = {each.scheme: prepared(each) for each in small}
    missing = {each.scheme: each.missing for each in small if each.missing}
    assert {"RAID-5", "deferred GC"} <= set(missing)
    assert "8 chips for a stripe" in missing["RAID-5"]
    assert {name for name, plan in plans.items() if plan is None} == set(missing)
    for plan in filter(None, plans.values()):
        assert plan.trials == 4
        assert len(plan.space.parameters) > 3
        found = plan.space.values([0] * len(plan.space.parameters))
        assert plan.space.values(place_of(plan.space, found)) == found
    assert len({each.folder for each in small}) == len(small)


def test_every_trace_has_its_pace_in_place_of_the_utilisation() -> None:
    table = tomllib.loads(LEAGUE.read_text(encoding="utf-8"))
    assert league_pace.is_aimed_at(table)
    assert not set(table["tune"]["tune_on"]["traces"]) & set(table["tune"]["judge_on"]["traces"])
    paces = {"varmail": 2.0, "sqlite": 3.0}
    made = league_pace.paced(table, paces)
    assert not league_pace.is_aimed_at(made)
    assert {each["name"]: each["set"][league_pace.PACE] for each in made["traces"]} == paces
    tune = made["tune"]
    assert (tune["tune_on"]["traces"], tune["judge_on"]["traces"]) == (["varmail"], ["sqlite"])
    assert "trace.repeat" in made["traces"][0]["set"]


def test_ratios_are_paired_by_workload_and_repeat() -> None:
    found = paired({"a": [2.0, 8.0], "b": [4.0, 4.0]}, {"a": [1.0, 4.0], "b": [4.0, 4.0]})
    assert found is not None
    assert (found.mean, found.deviation, found.count) == (pytest.approx(math.log(2) / 2), 0.0, 2)
    assert numbers(found) == {"ratio": pytest.approx(math.sqrt(2), rel=1e-4), "low": None, "high": None}
    assert paired({"a": [None]}, {"a": [1.0]}) is paired({"a": [1.0]}, {"b": [1.0]}) is None


def test_schemes_are_compared_with_the_first_one_as_it_was_tuned(small: list[LeagueCell]) -> None:
    first = measured(small[0], [2 * each for each in JITTER], JITTER)
    lower, same = measured(small[1], JITTER, HALF), measured(small[2], BACK, None)
    found = compared([(lower, first), (same, first)])
    assert found[0]["established"]["ratio"] == pytest.approx(0.5, rel=1e-3)
    assert [each["says"] for each in found] == ["lower", "not shown"]
    assert row(first)["gain"]["ratio"] == pytest.approx(0.5, rel=1e-3)
    assert [row(each)["reached"] for each in (first, same)] == [{"x <= 1": 0.5}, {"x <= 1": 2.0}]


def test_nothing_is_said_where_the_runs_do_not_bear_it(small: list[LeagueCell]) -> None:
    first, other = measured(small[0], JITTER, JITTER), measured(small[1], JITTER, HALF)
    first.marked, other.marked = {"1": 3, "2": 0}, {"1": 4, "2": 2}
    (found,) = compared([(other, first)])
    assert (found["sound"], found["says"]) == (["2", "3", "4", "5"], "lower")
    other.marked["2"] = 4
    (found,) = compared([(other, first)])
    assert (found["says"], found["established"]) == ("not established", None)
    assert found["all"]["ratio"] == pytest.approx(0.5, rel=1e-3)


def test_a_composition_beats_only_what_it_is_better_than_and_no_worse_beside(small: list[LeagueCell]) -> None:
    costs = {"read_mean_ns": JITTER, "gc_write_amplification": JITTER}
    plain = measured(by_name(small, "greedy"), JITTER, BACK, **costs)
    ours = measured(by_name(small, "composed of pages"), JITTER, HALF[::-1], **costs)
    (found,) = composed([plain, ours])
    assert (found["scheme"], found["rival"]) == ("composed of pages", "greedy")
    assert beats(found)
    assert not beats(found | {"says": "not established"})
    worse = costs | {"gc_write_amplification": [1.2 * each for each in JITTER]}
    assert not beats(composed([plain, measured(ours, JITTER, HALF[::-1], **worse)])[0])


def test_what_was_found_is_taken_apart_and_moved(tmp_path: Path) -> None:
    listed = at_pace(2.0)
    plain = measured(by_name(listed, "greedy"), JITTER, JITTER)
    ours = measured(by_name(listed, "composed of pages"), JITTER, HALF)
    ours.result["found"] = {"set": {"gc.pages_in_flight": "4", "gc.concurrency": '{ kind = "channels" }'}}
    league_after.write([plain, ours], tmp_path, FOLDER)
    after = tmp_path / "tlc" / "after"
    ablate, sensitivity = (
        Experiment.load(after / f"{name}.toml").parts for name in ("ablate", "sensitivity")
    )
    assert "ablate" in ablate.sections
    assert "sensitivity" in sensitivity.sections
    settings = {each.name: each.settings for each in ablate.schemes}["composed of pages"]
    assert settings["gc.pages_in_flight"].text == "4"
    assert league_after.results(tmp_path, "read_p99_ns", {}) == {"tlc": {}}


def test_a_study_that_cannot_be_is_told_and_the_league_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [measured(by_name(at_pace(2.0), "greedy"), JITTER, JITTER)]
    place = tmp_path / "tlc" / "after"
    place.mkdir(parents=True)
    (place / "ablate.toml").write_text('name = "apart"\n')
    league_after.run(listed, tmp_path, FOLDER, RunOptions(), ["ablate"])
    assert "ablate.toml: devices is missing" in capsys.readouterr().err
    assert league_after.results(tmp_path, "read_p99_ns", {}) == {"tlc": {}}


@pytest.mark.slow
def test_all_schemes_are_run_again_under_other_conditions() -> None:
    listed = at_pace(3.0, "varmail", "sqlite")
    ran = [measured(by_name(listed, name), JITTER, JITTER) for name in ("greedy", "d-choices", "CoupledCB")]
    greedy, d_choices, coupled = (each.result for each in ran)
    greedy["found"], d_choices["found"] = {"set": {"gc.pages_in_flight": "4"}}, None
    made = league_variations.experiments(ran, FOLDER)
    assert list(made) == ["half", "faster", "same-start", "first-come", "hard-off"]
    for name, pace in (("half", 1.5), ("faster", 4.0), ("same-start", 3.0)):
        paces = {each["name"]: each["set"][league_pace.PACE] for each in made[name]["traces"]}
        assert paces == pytest.approx({"sqlite": pace})
    assert made["half"]["schemes"][0]["set"]["gc.pages_in_flight"] == 4
    assert made["same-start"]["set"]["warmup.scheme"] == "greedy"
    assert made["first-come"]["schemes"][0]["schemes"] == ["greedy", "first-come"]
    alone = {each["name"]: each["set"] for each in made["hard-off"]["schemes"]}
    assert alone["greedy"] == {"gc.pages_in_flight": 4}, "what others are compared with, tuned"
    assert alone["d-choices"] == {"gc.trigger.hard": "off"}, "others as they are"

    def halved() -> list[str]:
        return [each["name"] for each in league_variations.experiments(ran, FOLDER)["half"]["schemes"]]

    assert halved() == ["greedy", "CoupledCB"], "what found nothing is left out"
    coupled["found"] = {"set": {"warmup.scheme": "raid5"}}
    assert halved() == ["greedy"], "CoupledCB cannot start so"
    greedy["found"] = None
    assert halved() == ["greedy"], "others are compared with it"


def test_others_are_compared_with_a_plain_scheme_whose_runs_bear_it(small: list[LeagueCell]) -> None:
    ran = [measured(small[place], JITTER, JITTER) for place in range(3)]
    assert reference(ran) is ran[0]
    ran[0].marked = {"1": 4, "2": 4, "3": 3}
    assert reference(ran) is ran[1], "three of five workloads are too few"
    ran[1].family = "control"
    assert reference(ran) is ran[2]
    ran[2].marked = ran[0].marked
    assert reference(ran) is ran[0], "where none does, the first"


def test_page_pictures_and_report_are_made_of_what_was_found() -> None:
    data, planes = league_page.read()
    assert league_page.PAGE.read_text(encoding="utf-8") == league_page.render(data, planes)
    for name, png in page.pictures(FOLDER, planes).items():
        assert (FOLDER / "pictures" / name).read_bytes() == png
    text = league_page.report(data)
    for each in (each for found in data["tables"] for each in found["rows"]):
        assert f"| {each['scheme']}" in text or f"* {each['scheme']}" in text
        assert each.get("missing", "") in text


def test_a_cell_that_is_missing_says_why(small: list[LeagueCell]) -> None:
    gone = LeagueCell(small[0].league, "tlc.toml", "raid", "RAID", small[0].experiment, "it is refused")
    (found,) = tables([measured(small[0], JITTER, JITTER), gone])
    assert found["rows"][1] == {"scheme": "raid", "family": "RAID", "missing": "it is refused"}


def test_pictures_are_of_the_schemes_that_ran(small: list[LeagueCell], tmp_path: Path) -> None:
    ran = [measured(small[0], [1.0] * 6, None), measured(small[1], [2.0] * 6, None), small[-1]]
    for each in ran[:2]:
        each.result["values_as_it_is"]["gc_write_amplification"] = of_five([2.0] * 6)
    ran[-1].missing = "it is refused"
    pictures(ran, tmp_path)
    names = {f"league-{kind}-tlc-plain-and-papers.png" for kind in ("heat", "front")}
    assert {each.name for each in tmp_path.iterdir()} == names
    drawn = heat({each.scheme: each.values("read_p99_ns") for each in ran[:2]}, "read_p99_ns").to_dict()
    text = [each["text"] for values in drawn.get("datasets", {}).values() for each in values]
    text = text or [each["text"] for each in drawn["layer"][0]["data"]["values"]]
    assert text[4:6] == ["1.00", "2.00"]


def test_a_drive_that_plays_too_few_workloads_has_no_cells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def found(_: Any, scheme: str, *__: Any) -> dict[str, float]:
        asked.append(scheme)
        return {"varmail": 2.0}

    monkeypatch.setattr(league_pace, "found", found)
    for each in cells(LEAGUE, ["tlc.toml", "many-chips.toml"], tmp_path):
        assert each.missing in (LEFT, UNPLAYED)
        assert prepared(each) is None
    # RAID is left out on the third drive: no pace is looked for.
    assert asked == ["greedy", "raid5", "greedy"]
    monkeypatch.setattr(league_pace, "found", lambda *_: {"varmail": 2.0, "sqlite": 3.0})
    played = by_name(list(cells(LEAGUE, [], tmp_path)), "greedy")
    assert not played.missing
    assert "mysql" in played.without


def test_drives_from_elsewhere_are_called_by_their_file(small: list[LeagueCell]) -> None:
    drive = "../../examples/devices/intel-p4500-1tb.toml"
    cell = LeagueCell(small[0].league, drive, "greedy", "plain", small[0].experiment)
    assert cell.folder == Path("intel-p4500-1tb/greedy")
    assert all((FOLDER / name).is_file() for name in (drive, "tlc.toml", "qlc.toml", "many-chips.toml"))


def test_a_run_stands_beside_drives_that_were_run_before() -> None:
    def made(drive: str, budget: int) -> dict[str, Any]:
        tables = [{"drive": drive, "rows": [budget]}]
        return {"league": "league", "budget": budget, "tables": tables, "after": {drive: {"ours": budget}}}

    both = beside(made("tlc", 40), made("qlc", 40))
    assert [each["drive"] for each in both["tables"]] == ["qlc", "tlc"]
    assert set(both["after"]) == {"tlc", "qlc"}
    assert beside(made("qlc", 40), both)["tables"] == both["tables"], "each in its own place"
    with pytest.raises(ValueError, match="another league: budget"):
        beside(made("tlc", 40), made("qlc", 14))

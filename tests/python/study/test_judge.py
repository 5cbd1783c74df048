"""`reclaim judge`: what a card says of a candidate, and what it catches."""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import small_suite

import baselines
import reclaim
from conftest import ran
from reclaim.experiment.experiment import Experiment
from reclaim.report.html import write
from reclaim.report.ratios import listed
from reclaim.statistics.intervals import fewest
from reclaim.study.judging import alike, cost, deciding, notes
from reclaim.study.judging import card as cards
from reclaim.study.judging.candidate import entry_of
from reclaim.study.judging.effects import Effect, against, by_workload
from reclaim.study.judging.judge import Card, JudgeStudy
from reclaim.study.judging.own import FAMILIES, drawn_of, held_out, own
from reclaim.study.judging.suite import (
    AMPLIFICATION,
    BASELINES,
    BOUND,
    GENERATED,
    HELD_OUT,
    KEPT,
    LATEST,
    METRICS,
    READ_TAIL,
    RECORDED,
    WRITE_TAIL,
    Suite,
    figures_of,
    mark_of,
)
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

CANDIDATES = """
import time

import numpy as np
import reclaim


@reclaim.victim_policy
def fewest(plane):
    return plane.blocks[plane.valid.argmin()]


@reclaim.victim_policy
def by_the_clock(plane):
    return plane.blocks[time.perf_counter_ns() // 7 % len(plane.blocks)]


@reclaim.victim_policy
class Counting:
    def __init__(self, drive):
        self.asked = 0

    def select(self, plane):
        self.asked += 1
        return plane.blocks[plane.valid.argmin()]


BASE = 1


def worth(plane):
    return plane.age + BASE + plane.since_sealed


@reclaim.victim_policy
def helped(plane):
    return plane.blocks[worth(plane).argmax()]


@reclaim.victim_policy
def by_chance(plane):
    return np.random.choice(plane.blocks)


@reclaim.victim_policy
class same_chance:
    def __init__(self, drive):
        self.chance = np.random.default_rng(1)

    def select(self, plane):
        return self.chance.choice(plane.blocks)


@reclaim.victim_policy
def powered(plane, power=1):
    return plane.blocks[(plane.valid.astype(float) ** power).argmin()]


@reclaim.victim_policy
def ranked(plane, share=1.0, mode="least"):
    # The smaller its share, the fewer pages it moves.
    return plane.blocks[plane.valid.argsort(kind="stable")[int(share * (len(plane.blocks) - 1) / 4)]]


@reclaim.trigger_policy
class BeforeTheRun:
    # Collects all there is before the run, where nobody counts, and nothing in it.

    def __init__(self, drive):
        pass

    def wants(self, space):
        is_before = space.channel_idle and space.host_waits
        return is_before and space.reclaimable_pages > space.drive.pages_per_block // 2


@reclaim.trigger_policy
def never(space):
    return False
"""
FORESIGHT = """
import reclaim

COMES = reclaim.open_trace("bundled/sqlite")


@reclaim.victim_policy
def told(plane):
    return plane.blocks[plane.valid.argmin()]
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return small_suite.made(tmp_path_factory.mktemp("suite") / "small")


def judged(suite: Suite, folder: Path, candidate: str, **how: object) -> Card:
    return JudgeStudy(candidate, suite, **how).run(folder / "judged", RunOptions(workers=1))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("policies") / "mine.py"
    file.write_text(CANDIDATES)
    return file


def test_a_rival_again_is_equal(suite: Suite, tmp_path: Path) -> None:
    card = judged(suite, tmp_path, "greedy")
    assert card.against[AMPLIFICATION]["greedy"].shown == "equal"
    assert {of["greedy"].value for of in card.against.values()} == {1}
    assert not card.caught
    assert "writes as many NAND bytes as greedy, within 1 %" in cards.sentence(card)
    assert any("exactly as many bytes as greedy" in each for each in card.notes)


def test_greedy_in_python_is_found_near_greedy(suite: Suite, policies: Path, tmp_path: Path) -> None:
    """Ties differ, so the runs do; that is no difference."""
    card = judged(suite, tmp_path, f"{policies}:fewest")
    assert card.name == "mine.py:fewest"
    assert card.effect(AMPLIFICATION, "greedy") is not None
    assert not card.caught


def test_fifo_writes_more_than_greedy(suite: Suite, tmp_path: Path) -> None:
    card = judged(suite, tmp_path, "fifo", name="oldest first")
    effect = card.against[AMPLIFICATION]["greedy"]
    assert effect.shown == "higher"
    assert effect.ends is not None
    assert effect.ends[0] > 1
    assert card.against[AMPLIFICATION]["fifo"].shown == "equal"
    said = cards.sentence(card)
    assert said.startswith("oldest first writes ")
    assert "more NAND bytes than greedy" in said or "times as many NAND bytes as greedy" in said
    lost = next(note.text for note in cards.notes_of(card) if "writes more than greedy on" in note.text)
    assert re.search(r"on (\d) of \1 workloads", lost)


def test_blocks_of_drives_that_are_made_small_are_counted_as_they_are(suite: Suite) -> None:
    """Of `tlc`, blocks have 48 pages, but for the workload that makes them smaller."""
    small = {"name": "b", "set": {"geometry.pages_per_block": 8}}
    made = replace(suite, drive="tlc", is_own=True, table={**suite.table, "traces": [{"name": "a"}, small]})
    drive = reclaim.Device("tlc").set("geometry.pages_per_block", 8)
    frame = {"device": ["tlc"] * 2, "trace": ["a", "b"], "flash_erases": [100, 100]}
    frame["written_nand_bytes"] = [100 * 48 * 4096, 100 * 8 * 4096]
    assert not list(notes.not_collected(pl.DataFrame(frame), drive, made))
    frame["flash_erases"] = [90, 100]
    assert list(notes.not_collected(pl.DataFrame(frame), drive, made))


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("FILE:by_the_clock", "Two runs of the same thing differ"),
        ("FILE:by_chance", "Two runs of the same thing differ"),
        ("foresight.py:told", "has the words open_trace: it may look ahead"),
        ("FILE:BeforeTheRun", "puts collection off"),
    ],
)
def test_planted_cheats_are_caught(
    suite: Suite, policies: Path, tmp_path: Path, candidate: str, said: str
) -> None:
    (policies.parent / "foresight.py").write_text(FORESIGHT)
    place = candidate.replace("FILE", str(policies)).replace("foresight", str(policies.parent / "foresight"))
    # A trigger of one's own may ask what only time tells.
    card = judged(suite, tmp_path, place, untimed="Before" not in candidate)
    assert any(said in each for each in card.caught), card.caught
    assert JudgeStudy("greedy", suite).outcome(card)[0] == 1
    assert cards.document(card)


def test_what_draws_by_itself_and_the_same_each_time_is_noted(
    suite: Suite, policies: Path, tmp_path: Path
) -> None:
    card = judged(suite, tmp_path, f"{policies}:same_chance", untimed=True)
    assert not card.caught
    assert any("It draws numbers by itself (default_rng and random)" in each for each in card.notes)


def test_settings_that_were_judged_beside_are_counted(suite: Suite, policies: Path, tmp_path: Path) -> None:
    def notes_with(power: int) -> list[str]:
        candidate = f"{policies}:powered+gc.victim.params.power={power}"
        study = JudgeStudy(candidate, suite, untimed=True, rivals=["greedy"])
        card = study.run(tmp_path / str(power), RunOptions(workers=1))
        return [each for each in card.notes if "may be tuned on it" in each]

    assert not notes_with(1)
    assert "2 settings of mine.py:powered were judged on this suite" in notes_with(2)[0]
    assert "3 settings of" in notes_with(3)[0]
    assert "3 settings of" in notes_with(3)[0]


def test_a_wish_to_never_collect_does_not_put_it_off(suite: Suite, policies: Path, tmp_path: Path) -> None:
    """From its last free blocks on a drive collects whatever the trigger says, so nothing is left to gain."""
    card = judged(suite, tmp_path, f"{policies}:never")
    assert any("screen.toml" in each for each in card.failures)
    assert {*card.runs["device"]} == {"tlc.toml"}
    assert [*card.against[AMPLIFICATION]] == ["greedy", "cost-benefit", "fifo"]
    assert not any("puts collection off" in each for each in card.caught)


def test_erasing_less_than_is_written_is_caught(suite: Suite) -> None:
    drive = reclaim.Device(str(suite.folder / "tlc.toml"))
    facts = drive.facts()
    block = 24 * facts["raw_bytes"] // facts["physical_pages"]
    frame = {
        "device": ["tlc.toml"],
        "trace": ["a"],
        "written_nand_bytes": [block * 100],
        "flash_erases": [94],
    }
    assert "94%" in next(iter(notes.not_collected(pl.DataFrame(frame), drive, suite)))
    frame["flash_erases"] = [96]
    assert not list(notes.not_collected(pl.DataFrame(frame), drive, suite))


def test_the_bound_is_no_candidate(suite: Suite, tmp_path: Path) -> None:
    card = judged(suite, tmp_path, "ftl.separation=future-knowledge", untimed=True)
    assert any("knows the rest of the trace" in each for each in card.notes)


def test_the_sentence_counts_and_names(suite: Suite) -> None:
    """It counts whom the candidate beats, and names its equals and its betters."""
    each = dict.fromkeys("abcdefgh", 0.0)

    def of(shift: float) -> Effect:
        return Effect({name: shift + number / 1e4 for number, name in enumerate(each)}, 0.001)

    shifts = {"greedy": -0.4, "cost-benefit": -0.2, "FIFO": -0.7, "DAC": 0.0, "SepBIT": 0.1, BOUND: 0.9}
    effects = {rival: of(shift) for rival, shift in shifts.items()}
    tails = {READ_TAIL: {"greedy": of(0.0)}, WRITE_TAIL: {"greedy": of(-0.1)}}
    card = Card(suite, "mine", pl.DataFrame(), {AMPLIFICATION: effects, **tails})
    assert cards.sentence(card) == (
        "mine writes 33 % fewer NAND bytes than greedy. It writes fewer than 2 of the 4 other rivals, "
        "as many as DAC and more than SepBIT. Tails beside greedy: read p99.9 equal, write p99.9 9.5 % lower."
    )


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        (Effect(dict.fromkeys("abcdefgh", 0.001)), "writes as many NAND bytes as greedy, within 1 %."),
        (
            Effect({name: 0.3 if name == "a" else number / 1e4 for number, name in enumerate("abcdefghij")}),
            "writes as many NAND bytes as greedy on the median workload, within 1 %.",
        ),
        (
            Effect(dict.fromkeys("abc", 0.5), conclusive=False, overloaded=True),
            "is not shown to differ from greedy in NAND bytes, for too many runs are inconclusive.",
        ),
    ],
)
def test_the_sentence_says_no_more_than_is_shown(suite: Suite, effect: Effect, said: str) -> None:
    card = Card(
        suite, "mine", pl.DataFrame(), {AMPLIFICATION: {"greedy": effect}, READ_TAIL: {}, WRITE_TAIL: {}}
    )
    assert cards.sentence(card) == f"mine {said}"


def test_a_damaged_run_is_told(suite: Suite, tmp_path: Path) -> None:
    judged(suite, tmp_path, "fifo", untimed=True)
    stored = next((tmp_path / "judged" / "points").glob("*/results.json"))
    stored.write_text(stored.read_text().replace("1", "2", 1))
    study = JudgeStudy("fifo", suite, untimed=True)
    told = study.complaints(study.run(tmp_path / "judged", RunOptions(workers=1)))
    assert len(told) == 1
    assert told[0].startswith("warning: ")
    assert stored.parent.name in told[0]


def test_versions_are_counted(suite: Suite, tmp_path: Path) -> None:
    assert not any("versions" in each for each in judged(suite, tmp_path, "fifo", untimed=True).notes)
    assert not any("versions" in each for each in judged(suite, tmp_path, "fifo", untimed=True).notes)
    study = JudgeStudy("cost-benefit", suite, untimed=True)
    again = study.run(tmp_path / "judged", RunOptions(workers=1, force=True))
    assert any("2 versions of it were judged in this folder" in each for each in again.notes)


def test_one_rival_alone(suite: Suite, tmp_path: Path) -> None:
    card = judged(suite, tmp_path, "fifo", rivals=["cost-benefit"], untimed=True)
    assert card.rivals == ["cost-benefit"]
    assert card.first == "cost-benefit"
    with pytest.raises(reclaim.InputError, match=r'small has no such rival; valid: greedy.*mean "greedy"'):
        JudgeStudy("fifo", suite, rivals=["gredy"])


def test_card_is_told_as_page_json_and_latex(suite: Suite, tmp_path: Path) -> None:
    study = JudgeStudy("fifo", suite, command="reclaim judge fifo")
    card = study.run(tmp_path / "judged", RunOptions(workers=1, report=True))
    page = (tmp_path / "judged" / "report.html").read_text()
    assert "NAND bytes" in page
    assert "reclaim judge fifo" in page
    told = json.loads((tmp_path / "judged" / "card.json").read_text())
    assert told["against"][AMPLIFICATION]["greedy"]["shown"] == "higher"
    assert told["suite_digest"] == suite.digest
    row = (tmp_path / "judged" / "card.tex").read_text().splitlines()[1]
    assert row.startswith("fifo (again) & $\\times$")
    assert row.count("&") == 3
    write(cards.document(card), tmp_path / "again.html", pictures=False)


def test_every_policy_says_what_it_keeps_of_a_block() -> None:
    """Those of one's own and scores are told by their text."""
    names = {each["key"]: {policy["name"] for policy in each["policies"]} for each in reclaim.catalogue()}
    assert {*cost.VICTIMS} == names["gc.victim"] - {"score", "python"}
    assert {*cost.SEPARATIONS} == names["ftl.separation"] - {"python"}


def test_shipped_costs_are_of_the_rivals() -> None:
    suite = Suite.named(LATEST)
    assert [*suite.costs] == suite.rivals
    for name, entry in zip(suite.rivals, suite.table["schemes"], strict=True):
        assert suite.costs[name].bytes_per_block == suite.cost(entry, timed=False).bytes_per_block, name
        assert suite.costs[name].times is not None
    # Six regions in a byte for each of the 24 pages of a block, beside those of cost-benefit.
    assert suite.costs["greedy"].times == 1
    assert suite.costs["DAC"].bytes_per_block == suite.costs["cost-benefit"].bytes_per_block + 24


@pytest.mark.parametrize(
    ("candidate", "kept", "at_least"),
    [
        ("FILE:fewest", 2, False),
        ("score=-age*invalid/valid", 6, False),
        ("random", 0, False),
        ("gc.victim=word-line", 6, False),
        ("greedy+ftl.separation=sepbit", 2 + 24 * 4, False),
        ("FILE:Counting", 2, True),
        # Others of its file ask for more, or less.
        ("FILE:by_chance", 0, True),
        ("FILE:helped", 8, False),
    ],
)
def test_a_candidate_says_what_it_keeps(
    suite: Suite, policies: Path, candidate: str, kept: int, at_least: bool
) -> None:
    found = suite.cost(entry_of(candidate.replace("FILE", str(policies))), timed=False)
    assert (found.bytes_per_block, found.at_least, found.times) == (kept, at_least, None)


def test_greedy_takes_as_long_as_itself(suite: Suite) -> None:
    assert suite.cost(entry_of("greedy", "greedy under another name")).times == 1


def test_the_card_has_costs(suite: Suite, tmp_path: Path) -> None:
    card = judged(suite, tmp_path, "cost-benefit", untimed=True)
    assert card.cost is not None
    assert card.cost.times is not None
    assert 0.1 < card.cost.times < 10
    assert "It keeps 6 bytes per block." in cards.sentence(card)
    rows = {row[0].text: [cell.text for cell in row[-2:]] for row in cards.table(card).body}
    assert rows["cost-benefit"][0] == "6"
    assert rows["greedy"][0] == "2"
    assert all(time.startswith("×") for _, time in rows.values())


def test_ones_own_drive_and_trace_are_judged_beside_rivals_that_run_too(suite: Suite, tmp_path: Path) -> None:
    alone = own(suite, traces=["bundled/sqlite"])
    assert alone.digest != suite.digest
    card = judged(alone, tmp_path / "trace", "fifo", rivals=["greedy", "fifo"], untimed=True)
    assert card.name == "fifo (again)"
    assert {*card.suite.baselines["scheme"]} == {"greedy", "fifo"}
    assert {*card.runs["trace"]} == {"sqlite"}
    assert card.against[AMPLIFICATION]["fifo"].value == 1
    assert card.against[AMPLIFICATION]["greedy"].value > 1
    assert any("Fewer than 6 workloads" in note.text for note in cards.notes_of(card))
    both = own(suite, drive="tlc", traces=["bundled/sqlite"])
    card = judged(both, tmp_path / "both", "cost-benefit", name="mine", rivals=["greedy"])
    assert {*card.runs["device"]} == {"tlc"}
    assert card.against[READ_TAIL]["greedy"].by_drive.keys() == {"tlc"}
    assert any("tlc is made as small as each workload fills: planes of" in each for each in card.notes)
    write(cards.document(card), tmp_path / "card.html", pictures=False)


def test_rivals_that_a_drive_refuses_are_left_out_and_told(tmp_path: Path) -> None:
    file = tmp_path / "superblocks.toml"
    plain = (Path(__file__).parents[3] / "examples/devices/tlc.toml").read_text()
    spans = plain.replace("[ftl.allocation]", '[ftl]\nsuperblock = "die"\n\n[ftl.allocation]')
    file.write_text(spans.replace("planes_per_die = 1", "planes_per_die = 2"))
    made = own(Suite.named(LATEST), drive=str(file), traces=["bundled/sqlite"])
    card = judged(made, tmp_path / "out", "fifo", name="mine", rivals=["greedy", "DAC"], untimed=True)
    assert {*card.suite.baselines["scheme"]} == {"greedy"}
    assert any("refuses it: DAC" in note and "separation" in note for note in card.notes)
    with pytest.raises(reclaim.InputError, match="takes no rival; DAC: "):
        judged(made, tmp_path / "none", "fifo", name="mine", rivals=["DAC"], untimed=True)


def test_a_drive_with_little_spare_space_gets_more_blocks(suite: Suite) -> None:
    made = own(suite, drive="gc-bypass", traces=["bundled/sqlite"])
    (sized,) = made.table["traces"]
    assert sized["set"]["geometry.blocks_per_plane"] >= 256
    Experiment.from_dict(made.experiment(["greedy"])).points()


@pytest.mark.parametrize("drive", ["mqsim-mirror", "gc-bypass"])
def test_a_drive_that_counts_blocks_is_made_small_with_its_own_trigger(suite: Suite, drive: str) -> None:
    """`mqsim-mirror` collects below 25 blocks, and stops the host at 10, however large a plane is."""
    made = own(suite, drive=drive)
    for each in made.table["traces"]:
        assert not any(key.startswith("gc.") for key in each["set"])
    Experiment.from_dict(made.experiment(["greedy"])).points()


def test_whole_families_are_held_out_by_the_edition(suite: Suite, tmp_path: Path) -> None:
    made = own(suite, draw=1)
    families = made.families
    held = [name for name, family in families.items() if family == HELD_OUT]
    assert held == held_out(suite) == held_out(own(suite, draw=2))
    assert len(families) == 2 * len(held)
    assert {*held} < {*FAMILIES}
    # Another edition holds out others.
    editions = [replace(suite, table={**suite.table, "name": f"gc-{year}"}) for year in range(2026, 2036)]
    assert len({tuple(held_out(each)) for each in editions}) > 1
    card = judged(made, tmp_path, "cost-benefit", untimed=True, rivals=["fifo"])
    # Of a drive so small a run may be inconclusive.
    effect = replace(card.against[AMPLIFICATION]["fifo"], conclusive=True)
    assert re.fullmatch(
        r"generated ×[\d.]+, held out ×[\d.]+", cards.parts_of(card.suite, AMPLIFICATION, effect)
    )
    assert any(f"held them out: {listed(held)}." in each for each in card.notes)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_that_can_be_held_out_can_be_drawn(suite: Suite, family: str) -> None:
    tables = [drawn_of(suite, seed, family) for seed in (1, 1, 2)]
    assert tables[0] == tables[1] != tables[2]
    table = {**suite.experiment(["greedy"], untimed=True), "traces": [tables[0]]}
    (first, *_) = Experiment.from_dict(table).points()
    assert first.opened is not None
    assert first.opened.summary()["requests"] == 8000


def test_drawn_workloads_follow_from_their_number(suite: Suite) -> None:
    one, again, other = (own(suite, draw=number).table["traces"] for number in (1, 1, 2))
    assert one == again
    assert one != other
    assert len({each["name"] for each in one}) == len(one) >= fewest()
    Experiment.from_dict(own(suite, draw=1).experiment(["greedy"])).points()
    with pytest.raises(reclaim.InputError, match="give one of them"):
        own(suite, traces=["bundled/sqlite"], draw=1)
    with pytest.raises(reclaim.InputError, match=r"another one is called sqlite"):
        own(suite, traces=["bundled/sqlite", "else/sqlite.csv"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"drive": "smal"}, "smal"),
        ({"drive": "nowhere.toml"}, "nowhere.toml"),
        ({"traces": ["nowhere.csv"]}, "nowhere.csv"),
        ({"traces": ["bundled/sqlit"]}, "bundled/sqlite"),
    ],
)
def test_what_is_no_drive_or_trace_is_refused_in_a_line(
    suite: Suite, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(reclaim.InputError, match=said) as told:
        own(suite, **given)
    assert "suite.toml" not in str(told.value)
    assert "\n" not in str(told.value)


def test_what_decides_it_is_found_by_part_and_by_choice(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "BUDGET", "150 points")
    candidate = "fifo+gc.pages_in_flight=4"
    card = judged(suite, tmp_path, candidate, untimed=True, decide=True)
    found = card.decided
    assert found is not None
    assert found.nearest == "fifo"
    (part,) = found.parts
    assert part == ("gc.pages_in_flight", pytest.approx(1, abs=0.01))
    assert found.against == "greedy"
    assert 0 < len(found.choices) <= deciding.STRONGEST
    assert candidate in found.conclusion
    write(cards.document(card), tmp_path / "card.html", pictures=False)
    assert json.loads((tmp_path / "judged" / "card.json").read_text())["decided"]["nearest"] == "fifo"


def test_what_needs_time_is_not_taken_apart(suite: Suite, policies: Path) -> None:
    with pytest.raises(reclaim.InputError, match="leave --decide out"):
        JudgeStudy(f"{policies}:never", suite, decide=True)


@pytest.fixture(scope="module")
def tuned_suite(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    alike.keep_tuned(suite, tmp_path_factory.mktemp("tuned"), RunOptions(workers=1))
    return Suite.load(suite.folder)


def test_candidate_and_rivals_are_tuned_alike(tuned_suite: Suite, policies: Path, tmp_path: Path) -> None:
    """The best value is known; that it writes less than as it is shows that it was run."""
    card = judged(tuned_suite, tmp_path, f"{policies}:ranked", untimed=True, tune=True)
    found = card.tuned
    assert found is not None
    assert found.chosen[card.name].values == {"gc.victim.params.share": "0.25"}
    assert {
        name: each.cell.text for name, each in found.chosen.items() if name != card.name
    } == dict.fromkeys(("greedy", "cost-benefit", "fifo"), "has no parameters")
    for rival, each in found.against.items():
        assert each.value < card.against[AMPLIFICATION][rival].value
    assert found.gain.value < 1
    kept, before = tuned_suite.tuned[1], tuned_suite.baselines.filter(device="screen.toml")
    assert kept.equals(before)
    assert "Once all are tuned alike, 16 trials on 4 drawn workloads, it " in cards.sentence(card)
    write(cards.document(card), tmp_path / "card.html", pictures=False)
    told = json.loads((tmp_path / "judged" / "card.json").read_text())["tuned"]
    assert told["chosen"][card.name]["values"] == found.chosen[card.name].values


def test_on_workloads_of_ones_own_the_rivals_are_tuned_there(
    suite: Suite, policies: Path, tmp_path: Path
) -> None:
    drawn_anew = own(suite, draw=3)
    card = judged(
        drawn_anew, tmp_path, f"{policies}:ranked", untimed=True, tune=True, rivals=["fifo", "greedy"]
    )
    assert card.tuned is not None
    assert {*card.tuned.against} == {"fifo", "greedy"}
    ran = {each.name for each in (tmp_path / "judged" / "tuned").iterdir()}
    assert ran == {"2", "suite"}


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("random", "has no parameters to tune"),
        ("FILE:fewest", "has no parameters to tune"),
        ("FILE:never", "leave --tune out"),
    ],
)
def test_what_cannot_be_tuned_says_so_before_it_runs(
    suite: Suite, policies: Path, candidate: str, said: str
) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        JudgeStudy(candidate.replace("FILE", str(policies)), own(suite, draw=1), tune=True)


def test_effects_by_hand() -> None:
    """Two repeats of a workload are one unit; a rival that lacks a workload leaves it out."""
    base = dict.fromkeys(KEPT, 0.0) | dict.fromkeys(map(mark_of, METRICS), "")

    def runs(scheme: str, *values: tuple[str, int, float]) -> pl.DataFrame:
        return pl.DataFrame(
            [
                {
                    "device": "s",
                    "trace": trace,
                    "scheme": scheme,
                    "repeat": repeat,
                    **base,
                    AMPLIFICATION: value,
                }
                for trace, repeat, value in values
            ]
        )

    ours = runs("x", ("a", 0, 2.0), ("a", 1, 4.0), ("b", 0, 3.0))
    theirs = runs("y", ("a", 0, 1.0), ("a", 1, 1.0), ("c", 0, 3.0))
    effect = against(ours, theirs, ["y"], ["s", "t"])[AMPLIFICATION]["y"]
    assert effect.by_workload == {"a": pytest.approx((math.log(2) + math.log(4)) / 2)}
    assert effect.ends is None
    assert effect.shown == "no measurable difference"
    assert effect.by_drive == {"s": pytest.approx((math.log(2) + math.log(4)) / 2)}


def test_what_is_inconclusive_is_left_out_and_what_does_not_keep_up_is_said() -> None:
    def runs(scheme: str, *values: tuple[str, float, str]) -> pl.DataFrame:
        base = dict.fromkeys(KEPT, 0.0) | dict.fromkeys(map(mark_of, METRICS), "")
        rows = [
            {"device": "t", "trace": trace, "scheme": scheme, "repeat": 0, **base}
            | {READ_TAIL: value, mark_of(READ_TAIL): mark}
            for trace, value, mark in values
        ]
        return pl.DataFrame(rows)

    traces = "abcdefg"
    ours = runs("x", *((each, 2.0, "") for each in traces))

    def beside(marks: dict[str, str]) -> Effect:
        theirs = runs(
            "y", *((each, 1.0 if each not in marks else 9.0, marks.get(each, "")) for each in traces)
        )
        return against(ours, theirs, ["y"], ["s", "t"])[READ_TAIL]["y"]

    left = beside({"a": "?"})
    assert left.by_workload == {each: pytest.approx(math.log(2)) for each in "bcdefg"}
    assert beside({"a": "?", "b": "!"}).shown == "inconclusive"
    assert beside(dict.fromkeys("abcd", "!")).shown == "overloaded"


@pytest.mark.parametrize(
    ("ratios", "p", "shown"),
    [
        ([0.995, 1.0, 1.004, 1.001, 0.999, 1.002], 1.0, "equal"),
        ([0.98, 1.0, 1.004, 1.001, 0.999, 1.002], 1.0, "no measurable difference"),
        ([0.8, 0.81, 0.85, 0.9, 0.88, 0.7], 0.01, "lower"),
        ([0.8, 0.81, 0.85, 0.9, 0.88, 0.7], 0.06, "no measurable difference"),
        ([1.1, 1.2, 1.3, 1.1, 1.2, 1.05], 0.01, "higher"),
        ([0.8, 0.81, 0.85, 0.9, 0.88], 0.01, "no measurable difference"),
    ],
)
def test_equal_is_an_interval_inside_one_percent(ratios: list[float], p: float, shown: str) -> None:
    assert Effect({str(each): math.log(ratio) for each, ratio in enumerate(ratios)}, p).shown == shown


def test_candidates_are_told_apart(policies: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[ftl]\nseparation = "sepbit"\n')
    assert entry_of(f"{policies}:never")["set"] == {
        "gc.trigger": f'{{ kind = "python", function = "{policies}:never" }}'
    }
    assert entry_of(f"cost-benefit+{file}") == {
        "name": "cost-benefit+own.toml",
        "schemes": ["cost-benefit"],
        "set": {"ftl.separation": "sepbit"},
    }


def test_the_command_says_what_it_takes(tmp_path: Path) -> None:
    done = ran(tmp_path, "judge", "score=-age*invalid/valid", "--quick", "--cost")
    assert done.stdout.startswith("score=-age*invalid/valid on gc-2026.1: points: 20\n"), done.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("greedy+geometry.spare_factor=50%", "geometry.spare_factor: is of the drive or the load"),
        ("greedy+host.queue_depth=1", "host.queue_depth: is of the drive or the load"),
        ("greedy+flash.t_erase=1us", "flash.t_erase: is of the drive or the load"),
        ("greedy++fifo", "nothing on one side"),
        ("nowhere.py:mine", "there is no file"),
        ("gc.victim=fifo+score=valid", "gc.victim is given twice"),
    ],
)
def test_what_is_no_candidate_is_refused(candidate: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        entry_of(candidate)


def test_a_suite_without_its_baselines_says_what_makes_them(suite: Suite, tmp_path: Path) -> None:
    shutil.copytree(suite.folder, tmp_path / "small")
    copied = Suite.load(tmp_path / "small")
    with (copied.folder / "tlc.toml").open("a") as file:
        file.write("# another drive\n")
    with pytest.raises(reclaim.InputError, match="make baselines"):
        JudgeStudy("greedy", copied)
    (copied.folder / BASELINES).unlink()
    with pytest.raises(reclaim.InputError, match="make baselines"):
        JudgeStudy("greedy", Suite.load(copied.folder))
    with pytest.raises(reclaim.InputError, match=r'there is no such suite.*mean "gc-2026.1"'):
        Suite.named("gc-2026.2")


def test_page_has_what_is_kept() -> None:
    """Figures of docs/judge.md come from the baselines: `python tools/baselines.py --page`."""
    assert baselines.page(Suite.named(LATEST)) == baselines.PAGE.read_text()


def test_page_says_where_dac_and_sepbit_write_less() -> None:
    suite = Suite.named(LATEST)
    reached = by_workload(suite.baselines, suite.devices[:1])
    less = {name: reached["DAC"][name] < reached["SepBIT"][name] for name in suite.families}
    recorded = [less[name] for name, family in suite.families.items() if family == RECORDED]
    generated = [less[name] for name, family in suite.families.items() if family == GENERATED]
    assert all(generated)
    assert sum(recorded) < len(recorded) / 2
    lower = [reached["DAC"][name] < reached[BOUND][name] for name in suite.families]
    assert sum(lower) > len(lower) / 2, "future knowledge is no bound"


def test_shipped_suite_has_headroom() -> None:
    """Greedy amplifies writes by a half, and another that a drive could have writes a tenth less."""
    suite = Suite.named(LATEST)
    reached = by_workload(suite.baselines, suite.devices[:1])
    for trace in suite.families:
        greedy = reached["greedy"][trace]
        assert greedy > 1.3, trace
        assert min(of[trace] for name, of in reached.items() if name != BOUND) < 0.9 * greedy, trace


def test_a_candidate_that_no_drive_takes_is_refused_in_a_line(suite: Suite) -> None:
    with pytest.raises(reclaim.InputError, match=r"^gc.victim=grede: .*grede") as refused:
        JudgeStudy("gc.victim=grede", suite)
    assert "\n" not in str(refused.value)


def test_shipped_rivals_are_tuned_as_is_measured_now(tmp_path: Path) -> None:
    """Where results change, `make baselines` tunes the rivals anew."""
    suite = Suite.named(LATEST)
    chosen, kept = suite.tuned
    known = dict(zip(suite.rivals, suite.table["schemes"], strict=True))
    assert {*known} - {*chosen} == {"channel-aware GC"}, "it needs time"
    entry = alike.with_values(known["SepBIT"], "SepBIT", chosen["SepBIT"]["values"])
    table = suite.experiment([entry], untimed=True)
    traces = [each for each in table["traces"] if each["name"] == "sqlite"]
    now = figures_of(
        Sweep(Experiment.from_dict({**table, "traces": traces})).run(tmp_path, RunOptions(workers=1))
    )
    assert now.equals(kept.filter(scheme="SepBIT", trace="sqlite")), "make baselines"
    assert not now.equals(suite.baselines.filter(scheme="SepBIT", trace="sqlite", device="screen.toml"))


@pytest.mark.parametrize("rival", ["greedy", "SepBIT"])
def test_shipped_baselines_are_what_is_measured_now(rival: str, tmp_path: Path) -> None:
    """Where results change, `make baselines` measures what the rivals reach anew."""
    suite = Suite.named(LATEST)
    entry = next(
        each
        for each in suite.table["schemes"]
        if rival in (each, dict(each).get("name") if isinstance(each, dict) else "")
    )
    table = suite.experiment([entry])
    devices = [each for each in table["devices"] if Path(each).name in ("screen.toml", "tlc.toml")]
    traces = [each for each in table["traces"] if each["name"] == "sqlite"]
    experiment = Experiment.from_dict({**table, "devices": devices, "traces": traces})
    now = figures_of(Sweep(experiment).run(tmp_path, RunOptions(workers=1)))
    kept = suite.baselines.filter(
        pl.col("device").is_in(["screen.toml", "tlc.toml"]), scheme=rival, trace="sqlite"
    )
    assert now.equals(kept), "make baselines"

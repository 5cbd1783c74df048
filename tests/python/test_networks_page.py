"""docs/networks.md holds what is stored, and what is stored is what studies/networks/study.toml asks for."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from network_study import page, pictures
from network_study.measured import TAIL_READS, stored
from network_study.study import BUS, DRIVES, STUDY, Drive, linked, schemes

SPREAD = 1e-9
STEPS = ["parts", "orders", "copybacks", "reads", "own", "lasting", "suspended"]


def test_the_page_is_made_of_the_stored_figures() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.render(), "run make networks"


@pytest.mark.parametrize("step", ["coarse", *STEPS, "turns"])
def test_every_drive_has_every_network_and_load_or_choice_of_the_study(step: str) -> None:
    every = {"drives": DRIVES, "loads": STUDY["loads"], "networks": STUDY["networks"]}
    section = every if step == "coarse" else STUDY[step]
    cell = "choice" if step == "turns" else "cell"
    cells = section["choices"] if step == "turns" else [f"{load} %" for load in section["loads"]]
    asked = {(*where, *rest) for where, *rest in product(section["drives"], cells, section["networks"])}
    found = [tuple(row[key] for key in ("flash", "page", "rate", cell, "network")) for row in stored(step)]
    assert set(found) == asked
    assert step != "coarse" or len(found) == len(asked), "once"


@pytest.mark.parametrize("step", ["coarse", "fine", *STEPS, "turns"])
def test_intervals_are_of_six_repeats_and_whoever_is_beside_itself_is_one(step: str) -> None:
    beside = STUDY.get(step, {}).get("beside", BUS)
    for row in stored(step):
        middle, low, high = row["mean"]
        same = row["network"] in (beside, "pssd, no faster")
        assert (low is None) == (row["repeats"] < 6 or same), row
        if row["network"] == beside:
            assert middle == 1
        elif low is not None:
            assert low - SPREAD <= middle <= high + SPREAD


def test_far_percentiles_rest_on_enough_reads() -> None:
    assert {row["drive"] for row in stored("peaks")} == {drive.key for drive in DRIVES}
    assert STUDY["fine"]["requests"] * (1 - STUDY["write"]) >= TAIL_READS
    with_tails = {
        step: {"tail" in row for row in stored(step)} for step in ("fine", "coarse", "reads", "turns")
    }
    assert with_tails == {"fine": {True}, "coarse": {False}, "reads": {False}, "turns": {False}}


def medians(step: str) -> list[dict[str, float]]:
    """Mean of reads by network, cell by cell, of runs that are trustworthy."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in page.chosen(step):
        if row["verdict"] == "trustworthy":
            place = (row["drive"], row["load"], row.get("choice"))
            found.setdefault(place, {})[row["network"]] = row["mean"][0]
    return list(found.values())


@pytest.mark.parametrize(
    ("steps", "shorter", "longer", "least"),
    [
        # Nothing tried turns the order of width, entries and ways.
        (("turns",), "pssd", "venice-8", 2 * len(STUDY["turns"]["choices"]) - 2),
        (("turns",), "venice-8", "venice-4", 2 * len(STUDY["turns"]["choices"]) - 2),
        # A free entry is shorter than ways around.
        (("reads", "parts"), "mesh-4", "venice-4", len(medians("reads")) + 1),
        # Sharing is worth more than setting aside.
        (("parts",), "venice-5", "venice-4, own", 3),
        (("parts",), "venice-5", "venice-priority", 3),
        (("parts",), "pnssd", "pnssd, spatial", 3),
        # A mesh of the bus is longer with writes.
        (("parts",), BUS, "mesh-4, own", 3),
    ],
)
def test_one_network_is_shorter_in_every_cell(
    steps: tuple[str, ...], shorter: str, longer: str, least: int
) -> None:
    cells = [each for step in steps for each in medians(step) if {shorter, longer} <= each.keys()]
    assert len(cells) >= least
    assert all(each[shorter] < each[longer] for each in cells)


def test_a_mesh_of_the_bus_is_the_bus_under_reads() -> None:
    assert all(abs(each["mesh-4, own"] - 1) < 0.02 for each in medians("reads"))


def test_programs_overtake_reads_on_a_mesh() -> None:
    rows = page.chosen("copybacks", network="mesh-4, own", load=90)
    assert len(rows) == len(STUDY["copybacks"]["drives"])
    assert all(row["mean"][1] > 1 > row["write"][2] for row in rows)


def test_one_controller_fails_where_collection_needs_more() -> None:
    for each, load in product(STUDY["own"]["drives"], STUDY["own"]["loads"]):
        where = {"drive": Drive(*each).key, "load": load}
        (one,) = page.chosen("own", network="1 of its own", **where)
        (two,) = page.chosen("own", network="2 of its own", **where)
        assert (two["mean"][0] < 1, two["verdict"]) == (True, "trustworthy")
        assert (one["mean"][1] > 1) == (page.needed("own", **where) > 1)


def test_far_percentiles_that_are_told_apart_are_those_that_are_named() -> None:
    rows = [row for row in page.chosen("suspended") if row["network"] != BUS]
    apart = {(row["network"], row["load"]) for row in rows if not row["tail"][1] <= 1 <= row["tail"][2]}
    assert apart == {(name, 90) for name in ("pssd", "pnssd", "nossd", "venice-priority")}


def test_a_sentence_cannot_rest_on_nothing() -> None:
    for network, said in (("none", "nothing has"), ("pssd", "rows have")):
        with pytest.raises(KeyError, match=said):
            page.ratio("coarse", network=network)


@pytest.mark.parametrize(("verdict", "mark"), [("not-established", "?"), ("trustworthy", "")])
def test_doubted_ratios_are_marked_on_the_page_and_in_the_picture(verdict: str, mark: str) -> None:
    row: dict[str, Any] = {
        "flash": "TLC",
        "page": "4KiB",
        "rate": "33 MT/s",
        "cell": "90 %",
        "network": "pssd",
    }
    row |= {"mean": [0.5, 0.4, 0.6], "verdict": verdict}
    assert page._in_words(row, "mean") == f"-50 %{mark}"  # noqa: SLF001
    assert [each["text"] for each in pictures.records([row], "mean")] == [f".50{mark}"]


def test_the_picture_has_a_square_for_every_network_but_the_bus() -> None:
    rows = stored("coarse")
    values = pictures.records(rows, "mean")
    assert len(values) == sum(row["network"] != BUS for row in rows)
    assert {value["kind"] for value in values} == {"TLC, 4 KiB", "TLC, 16 KiB", "fast, 4 KiB", "fast, 16 KiB"}
    assert all(abs(value["log"]) <= pictures.FARTHEST for value in values)


def test_a_narrow_link_is_slower_in_data_and_commands() -> None:
    drive = Drive("TLC", "4KiB", "100 MT/s").settings()
    (scheme,) = schemes({"narrow": {"kind": "venice", "link": "1/4", "scheduler.kind": "fcfs"}}, drive)
    narrow = {"channel.rate": "25.000000 MT/s", "channel.command_cycle": "40ns"}
    narrow |= {"interconnect": {"kind": "venice"}, "scheduler.kind": "fcfs"}
    assert {key: scheme["set"][key] for key in narrow} == narrow
    assert linked(drive, Fraction(1))["channel.command_cycle"] == drive["channel.command_cycle"]


def test_the_links_with_as_many_wires_are_those_that_were_run() -> None:
    found = page.wires()
    # Four rows of eight routers, counted on paper: 28 + 24 + 4 links beside 32 stretches of buses.
    counted = {"along_rows": 28, "along_columns": 24, "controllers": 4, "buses": 32}
    assert {name: found[name] for name in counted} == counted
    ran = {each["link"] for name, each in STUDY["parts"]["networks"].items() if name.endswith(", wires")}
    assert ran == {str(found["share"])}

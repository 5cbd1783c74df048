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


def places(step: str) -> set[tuple[Any, ...]]:
    return {(row["flash"], row["page"], row["rate"], row["cell"], row["network"]) for row in stored(step)}


def test_the_page_is_made_of_the_stored_figures() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.render(), "run make networks"


def test_the_map_has_every_cell_once() -> None:
    asked = {
        (*drive, f"{load} %", network)
        for drive, load, network in product(DRIVES, STUDY["loads"], STUDY["networks"])
    }
    assert places("coarse") == asked
    assert len(stored("coarse")) == len(asked)
    assert {row["drive"] for row in stored("peaks")} == {drive.key for drive in DRIVES}


@pytest.mark.parametrize("step", ["parts", "orders", "copybacks", "reads", "own", "lasting", "suspended"])
def test_comparisons_have_every_network_of_the_study(step: str) -> None:
    section = STUDY[step]
    asked = {
        (*drive, f"{load} %", network)
        for drive, load, network in product(section["drives"], section["loads"], section["networks"])
    }
    assert places(step) == asked


def test_turns_have_every_choice() -> None:
    section = STUDY["turns"]
    found = {
        (row["flash"], row["page"], row["rate"], row["choice"], row["network"]) for row in stored("turns")
    }
    drives = [Drive(*each) for each in section["drives"]]
    assert found == {
        (*where, *rest) for where, *rest in product(drives, section["choices"], section["networks"])
    }


@pytest.mark.parametrize(
    "step",
    ["coarse", "fine", "parts", "orders", "copybacks", "reads", "own", "lasting", "suspended", "turns"],
)
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
    reads = STUDY["fine"]["requests"] * (1 - STUDY["write"])
    assert reads >= TAIL_READS
    assert all("tail" in row for row in stored("fine"))
    assert not any(
        "tail" in row for step in ("coarse", "parts", "reads", "own", "turns") for row in stored(step)
    )


def medians(step: str, **where: Any) -> dict[tuple[Any, ...], dict[str, float]]:
    """Mean of reads by network, cell by cell, of runs that are trustworthy."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in page.chosen(step, **where):
        if row["verdict"] == "trustworthy":
            place = (row["drive"], row["load"], row.get("choice"))
            found.setdefault(place, {})[row["network"]] = row["mean"][0]
    return found


def test_nothing_tried_turns_the_order_of_width_entries_and_ways() -> None:
    cells = [each for each in medians("turns").values() if {"pssd", "venice-8", "venice-4"} <= each.keys()]
    assert len(cells) >= 2 * len(STUDY["turns"]["choices"]) - 2
    assert all(each["pssd"] < each["venice-8"] < each["venice-4"] for each in cells)


def test_a_free_entry_is_shorter_than_ways_around() -> None:
    cells = [*medians("reads").values(), *medians("parts").values()]
    pairs = [(each["mesh-4"], each["venice-4"]) for each in cells if {"mesh-4", "venice-4"} <= each.keys()]
    assert len(pairs) > len(medians("reads"))
    assert all(free < around for free, around in pairs)


def test_sharing_is_worth_more_than_setting_aside() -> None:
    apart = {"venice-4, own": "venice-5", "venice-priority": "venice-5", "pnssd, spatial": "pnssd"}
    cells = list(medians("parts").values())
    pairs = [
        (each[own], each[shared])
        for each in cells
        for own, shared in apart.items()
        if {own, shared} <= each.keys()
    ]
    assert len(pairs) >= len(apart) * 3
    assert all(own > shared for own, shared in pairs)


def test_a_mesh_of_the_bus_is_the_bus_under_reads_and_longer_with_writes() -> None:
    assert all(abs(each["mesh-4, own"] - 1) < 0.02 for each in medians("reads").values())
    assert all(each["mesh-4, own"] > 1.02 for each in medians("parts").values() if "mesh-4, own" in each)


def test_programs_overtake_reads_on_a_mesh() -> None:
    rows = page.chosen("copybacks", network="mesh-4, own", load=90)
    assert len(rows) == len(STUDY["copybacks"]["drives"])
    assert all(row["mean"][1] > 1 > row["write"][2] for row in rows)


def test_one_controller_fails_where_collection_needs_more() -> None:
    for each, load in product(STUDY["own"]["drives"], STUDY["own"]["loads"]):
        where = {"drive": Drive(*each).key, "load": load}
        (one,) = page.chosen("own", network="1 of its own", **where)
        (two,) = page.chosen("own", network="2 of its own", **where)
        assert two["mean"][0] < 1
        assert two["verdict"] == "trustworthy"
        assert (one["mean"][1] > 1) == (page.needed("own", **where) > 1)


def test_far_percentiles_that_are_told_apart_are_those_that_are_named() -> None:
    apart = {
        (row["network"], row["load"])
        for row in page.chosen("suspended")
        if row["network"] != BUS and not row["tail"][1] <= 1 <= row["tail"][2]
    }
    assert apart == {("pssd", 90), ("pnssd", 90), ("nossd", 90), ("venice-priority", 90)}


def test_a_sentence_cannot_rest_on_nothing() -> None:
    with pytest.raises(KeyError, match="nothing has"):
        page.ratio("coarse", network="none")
    with pytest.raises(KeyError, match="rows have"):
        page.ratio("coarse", network="pssd")


def test_doubted_ratios_are_marked_on_the_page_and_in_the_picture() -> None:
    row: dict[str, Any] = {
        "flash": "TLC",
        "page": "4KiB",
        "rate": "33 MT/s",
        "cell": "90 %",
        "network": "pssd",
    }
    row |= {"mean": [0.5, 0.4, 0.6], "verdict": "not-established"}
    assert page._in_words(row, "mean") == "0.50 [0.40, 0.60]?"  # noqa: SLF001
    assert [each["text"] for each in pictures.records([row], "mean")] == [".50?"]
    row["verdict"] = "trustworthy"
    assert [each["text"] for each in pictures.records([row], "mean")] == [".50"]


def test_the_picture_has_a_square_for_every_network_but_the_bus() -> None:
    rows = stored("coarse")
    values = pictures.records(rows, "mean")
    assert len(values) == sum(row["network"] != BUS for row in rows)
    assert {value["kind"] for value in values} == {"TLC, 4 KiB", "TLC, 16 KiB", "fast, 4 KiB", "fast, 16 KiB"}
    assert all(abs(value["log"]) <= pictures.FARTHEST for value in values)


def test_a_narrow_link_is_slower_in_data_and_commands() -> None:
    drive = Drive("TLC", "4KiB", "100 MT/s").settings()
    (scheme,) = schemes({"narrow": {"kind": "venice", "link": "1/4", "scheduler.kind": "fcfs"}}, drive)
    assert scheme["set"]["channel.rate"] == "25.000000 MT/s"
    assert scheme["set"]["channel.command_cycle"] == "40ns"
    assert scheme["set"]["interconnect"] == {"kind": "venice"}
    assert scheme["set"]["scheduler.kind"] == "fcfs"
    assert linked(drive, Fraction(1))["channel.command_cycle"] == drive["channel.command_cycle"]


def test_the_links_with_as_many_wires_are_those_that_were_run() -> None:
    found = page.wires()
    # Four rows of eight routers, counted on paper: 28 + 24 + 4 links beside 32 stretches of buses.
    assert (found["along_rows"], found["along_columns"], found["controllers"], found["buses"]) == (
        28,
        24,
        4,
        32,
    )
    ran = {each["link"] for name, each in STUDY["parts"]["networks"].items() if name.endswith(", wires")}
    assert ran == {str(found["share"])}

"""What docs/placement.md says of drives: its stored figures, and its words."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

import reclaim
from placement_study import drives, page
from placement_study.loads import PAGES, load

APART = ("DAC", "SepBIT")


def test_what_is_stored_comes_out_again(tmp_path: Path) -> None:
    stored = {
        (row["load"], row["planes"], row["block"], row["victim"], row["scheme"]): row
        for row in page.on_drives()
        if row["pages"] == str(PAGES)
    }
    trace = load("mixed", tmp_path)
    for planes, block in (drives.STEPS[0], drives.STEPS[3]):
        case = ("mixed", 0, PAGES, planes, block, drives.SPARE, "greedy")
        for scheme in ("SepGC", "ETI", "SFR", "FADaC"):
            row = stored["mixed", str(planes or "log"), str(block), "greedy", scheme]
            assert drives.amplification(trace, case, scheme) == pytest.approx(
                float(row["amplification"]), abs=1e-4
            )


@pytest.mark.parametrize("scheme", ["SepGC", "ETI"])
def test_superblocks_do_as_one_plane_with_blocks_of_their_size(scheme: str, tmp_path: Path) -> None:
    trace = load("mixed", tmp_path, writes=300_000)
    of_planes = drives.drive(("mixed", 0, PAGES, 16, 64, 0.3, "greedy"), scheme)
    whole = of_planes.with_settings({"ftl.superblock": "drive", "ftl.allocation": "dynamic"})
    found = reclaim.simulate(whole, trace, warn=False).write_amplification
    one = drives.amplification(trace, ("mixed", 0, PAGES, 1, 1024, 0.3, "greedy"), scheme)
    assert found == pytest.approx(one, rel=0.02)


def _best(of: dict[str, list[float]]) -> str:
    return min((name for name in page.SCHEMES if name != "FK"), key=lambda name: median(of[name]))


def test_schemes_write_less_than_no_separation_where_writes_are_not_uniform() -> None:
    suite = page.on_suite()
    assert len(suite) >= 8
    for trace, of in suite.items():
        found = {scheme: median(each) for scheme, each in of.items()}
        assert len(of[drives.GREEDY]) == 6
        assert found[drives.GREEDY] > 1.3, trace
        assert max(found[scheme] for scheme in APART) < min(found[drives.GREEDY], found["NoSep"]), trace
        assert found["FK"] < 0.9 * found[drives.GREEDY], trace
    unsure = [
        trace
        for trace, of in suite.items()
        if len([name for name in page.SCHEMES if name != "FK" and min(of[name]) <= max(of[_best(of)])]) > 1
    ]
    assert unsure == ["mysql"]


def test_open_blocks_cost_spare_space() -> None:
    planes, superblocks = ("16", "64"), ("1", "1024")
    ratios = page.by_step()
    rises = {scheme: median(of[planes]) for scheme, of in ratios.items()}
    few, many = ("NoSep", "SepGC", "SepBIT", "ETI"), ("DAC", "SFR", "FADaC", "FK")
    assert max(rises[scheme] for scheme in few) < min(rises[scheme] for scheme in many)
    assert all(median(of[superblocks]) > rises[scheme] for scheme, of in ratios.items())
    assert all(abs(median(of["log", "64"]) - 1) < 0.02 for scheme, of in ratios.items() if scheme != "FK")
    smaller, _, larger = map(page.by_step, drives.SIZES)
    assert {scheme for scheme, of in smaller.items() if median(of[planes]) > 1} == {"NoSep", "SepGC"}
    costs = {scheme: median(of[planes]) - 1 for scheme, of in larger.items()}
    assert all(cost < 0.55 * (rises[scheme] - 1) for scheme, cost in costs.items())
    assert max(costs[scheme] for scheme in few) < min(costs[scheme] for scheme in many if scheme != "FK")
    assert costs["FK"] < costs["NoSep"]


def test_many_open_blocks_pay_where_there_is_spare_space() -> None:
    least, most = drives.SPARES[0], drives.SPARES[-1]
    fewer = []
    for name in drives.SPARE_LOADS:
        small, found, large = (
            {(each["scheme"], each["spare"]): each for each in page.by_spare(name, pages)}
            for pages in drives.SIZES
        )
        assert found["FADaC", least]["least"] > found["ETI", least]["most"]
        assert found["FADaC", most]["most"] < found["ETI", most]["least"]
        assert small["FADaC", 0.25]["least"] > small["ETI", 0.25]["most"]
        fewer.append(large["FADaC", least]["most"] < large["ETI", least]["least"])
    assert fewer == [True, False, True]


def test_the_picture_has_six_seeds_of_every_load() -> None:
    shown = [row for row in page.on_drives() if row["spare"] != str(drives.SPARE)]
    for name in drives.SPARE_LOADS:
        seeds = {row["further"] for row in shown if (row["load"], row["pages"]) == (name, str(PAGES))}
        assert len(seeds) == 6
        for each in page.by_spare(name):
            assert each["least"] <= each["amplification"] <= each["most"]

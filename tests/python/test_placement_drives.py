"""What docs/placement.md says of drives: its stored figures, and its words."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

import reclaim
from placement_study import drives, page
from placement_study.loads import load

APART = ("DAC", "SepBIT")


def test_what_is_stored_comes_out_again(tmp_path: Path) -> None:
    stored = {
        (row["load"], row["planes"], row["block"], row["victim"], row["scheme"]): row
        for row in page.on_drives()
    }
    trace = load("mixed", tmp_path)
    for planes, block in (drives.STEPS[0], drives.STEPS[3]):
        case = ("mixed", 0, planes, block, drives.SPARE, "greedy")
        for scheme in ("SepGC", "ETI", "SFR", "FADaC"):
            row = stored["mixed", str(planes or "log"), str(block), "greedy", scheme]
            assert drives.amplification(trace, case, scheme) == pytest.approx(
                float(row["amplification"]), abs=1e-4
            )


@pytest.mark.parametrize("scheme", ["SepGC", "ETI"])
def test_superblocks_do_as_one_plane_with_blocks_of_their_size(scheme: str, tmp_path: Path) -> None:
    trace = load("mixed", tmp_path, writes=300_000)
    of_planes = drives.drive(("mixed", 0, 16, 64, 0.3, "greedy"), scheme)
    whole = of_planes.with_settings({"ftl.superblock": "drive", "ftl.allocation": "dynamic"})
    found = reclaim.simulate(whole, trace, warn=False).write_amplification
    one = drives.amplification(trace, ("mixed", 0, 1, 1024, 0.3, "greedy"), scheme)
    assert found == pytest.approx(one, rel=0.02)


def test_schemes_write_less_than_no_separation_where_writes_are_not_uniform() -> None:
    suite = page.on_suite()
    assert len(suite) >= 8
    for trace, of in suite.items():
        found = {scheme: median(each) for scheme, each in of.items()}
        assert len(of[drives.GREEDY]) == 6
        assert found[drives.GREEDY] > 1.3, trace
        assert max(found[scheme] for scheme in APART) < min(found[drives.GREEDY], found["NoSep"]), trace
        assert found["FK"] < 0.9 * found[drives.GREEDY], trace


def test_open_blocks_cost_spare_space() -> None:
    planes, superblocks = ("16", "64"), ("1", "1024")
    ratios = page.by_step()
    rises = {scheme: median(of[planes]) for scheme, of in ratios.items()}
    few, many = ("NoSep", "SepGC", "SepBIT", "ETI"), ("DAC", "SFR", "FADaC", "FK")
    assert max(rises[scheme] for scheme in few) < min(rises[scheme] for scheme in many)
    assert all(median(of[superblocks]) > rises[scheme] for scheme, of in ratios.items())
    assert all(abs(median(of["log", "64"]) - 1) < 0.02 for scheme, of in ratios.items() if scheme != "FK")
    greedy = {
        (row["scheme"], row["planes"], row["block"]): float(row["amplification"])
        for row in page.on_drives()
        if (row["load"], row["victim"], row["spare"]) == ("zipf-1.2", "greedy", str(drives.SPARE))
    }
    lower = [scheme for scheme in ratios if greedy[scheme, *planes] < greedy[scheme, "1", "64"]]
    assert set(ratios) - set(lower) == {"NoSep", "FK"}


def test_many_open_blocks_pay_where_there_is_spare_space() -> None:
    for name in drives.SPARE_LOADS:
        found = {(each["scheme"], each["spare"]): each["amplification"] for each in page.by_spare(name)}
        least, most = drives.SPARES[0], drives.SPARES[-1]
        assert found["FADaC", least] > found["ETI", least]
        assert found["FADaC", most] < found["ETI", most]

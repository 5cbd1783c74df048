"""Every sample of docs/tutorial.md and docs/scaling-down.md does what the page says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import reclaim
from page_samples import ROOT, run, samples


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which somebody has followed the tutorial."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "examples").symlink_to(ROOT / "examples")
    for sample in samples("docs/tutorial.md"):
        run(sample, folder)
    return folder


def page(name: str) -> str:
    return " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return found


def test_the_first_comparison_gives_the_figures_quoted(tutorial: Path) -> None:
    first = tutorial / "out" / "first"
    assert (first / "figures" / "latency_tail.png").is_file()
    assert (first / "report.html").is_file()
    greedy, other = (
        results(first / name)["gc"]["write_amplification"] for name in ("greedy", "cost-benefit")
    )
    assert f"Cost-benefit amplifies writes {other:.3f} times, greedy {greedy:.3f} times." in page(
        "tutorial.md"
    )


def test_the_victim_policy_makes_all_of_the_change(tutorial: Path) -> None:
    ablation = json.loads((tutorial / "out" / "my-sweep" / "ablation" / "ablation.json").read_text())
    amplification = ablation["metrics"][0]
    assert amplification["metric"] == "gc_write_amplification"
    overall = amplification["overall"]
    shares = {each["parts"][0]: each["share"] for each in overall["rows"]}
    assert shares["gc.victim"]["value"] / overall["total"]["value"] > 0.95
    other = shares["gc.pages_in_flight"]
    assert other["low"] < 0 < other["high"], "the page says that the victim policy makes all of it"


BEGIN = "<!-- made by tests/python/test_tutorial.py with RECLAIM_UPDATE_DOCS=1: begin -->\n"
END = "<!-- made by tests/python/test_tutorial.py with RECLAIM_UPDATE_DOCS=1: end -->"


def sizes() -> str:
    """What is left to garbage in the small drive with other numbers of blocks in a plane."""
    heads = (
        "blocks per plane",
        "user capacity",
        "collection starts at",
        "left to garbage",
        "write amplification",
    )
    lines = [f"| {' | '.join(heads)} |", "|" + "--:|" * len(heads)]
    for blocks in (32, 64, 128, 256, 512, 1024):
        drive = reclaim.Device.load(ROOT / "examples" / "devices" / "small.toml")
        facts = drive.set("geometry.blocks_per_plane", blocks).facts()
        load = facts["light_load"]
        start = facts["gc_start_blocks"]
        lines.append(
            f"| {blocks:,} | {facts['user_bytes'] / 2**30:.2f} GiB | {start} block{'s' * (start > 1)} free "
            f"| {load['effective_spare_factor']:.1%} | {load['write_amplification']:.2f} |".replace("%", " %")
        )
    return "\n".join(lines) + "\n"


def test_the_table_of_sizes_is_what_the_program_expects() -> None:
    path = ROOT / "docs" / "scaling-down.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(f"{before}{BEGIN}\n{sizes()}\n{END}{after}", encoding="utf-8")
    else:
        assert table.strip() == sizes().strip(), "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_tutorial.py"


def test_the_samples_of_the_guide_to_scaling_down_run(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = samples("docs/scaling-down.md")
    assert found
    for sample in found:
        run(sample, tmp_path)

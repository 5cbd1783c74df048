"""Every sample of docs/tutorial.md and docs/scaling-down.md does what the page says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import reclaim
from page_samples import ROOT, Sample, run, samples
from reclaim.study.sensitivity.scaling import compare


def followed(folder: Path, sample: Callable[[Sample], Sample] = lambda each: each) -> Path:
    """The folder, in which somebody has followed the tutorial."""
    (folder / "examples").symlink_to(ROOT / "examples")
    for each in samples("docs/tutorial.md"):
        run(sample(each), folder)
    return folder / "out"


def brief(sample: Sample) -> Sample:
    """The same with little of the trace."""
    text = sample.text.replace('"trace.max_requests" = 10000', '"trace.max_requests" = 500')
    long = sample.words[1:2] in (("run",), ("compare",)) and "dbench" in sample.words[2]
    more = ("--max-requests", "1000") if long else ()
    codes = sample.codes if sample.codes == (1,) else (0, 1, 3)
    return replace(sample, text=text, words=sample.words and (*sample.words, *more), codes=codes)


@pytest.mark.slow
def test_every_sample_of_the_tutorial_runs(tmp_path: Path) -> None:
    out = followed(tmp_path, brief)
    for file in ("first/figures/latency_tail.png", "first/report.html", "my-sweep/ablation/ablation.json"):
        assert (out / file).is_file()


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return followed(tmp_path_factory.mktemp("tutorial"))


def page(name: str) -> str:
    return " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())


@pytest.mark.slow
def test_the_first_comparison_gives_the_figures_quoted(tutorial: Path) -> None:
    ratios = reclaim.ResultSet.load(tutorial / "first").normalize(metrics="gc_nand_write_amplification")
    ratio = ratios.filter(scheme="cost-benefit").row(0, named=True)
    assert ratio["high"] < 1
    assert f"writes about {100 * (1 - ratio['value']):.0f} % less than greedy" in page("tutorial.md")


@pytest.mark.slow
def test_the_victim_policy_makes_all_of_the_change(tutorial: Path) -> None:
    ablation = json.loads((tutorial / "my-sweep" / "ablation" / "ablation.json").read_text())
    amplification = ablation["metrics"][0]
    assert amplification["metric"] == "gc_write_amplification"
    overall = amplification["overall"]
    shares = {each["parts"][0]: each["share"] for each in overall["rows"]}
    assert shares["gc.victim"]["value"] / overall["total"]["value"] > 0.95
    other = shares["gc.pages_in_flight"]
    assert other["low"] < 0 < other["high"], "the page says that the victim policy makes all of it"


LAST = "write amplification"
BEGIN = "<!-- made by tests/python/test_tutorial.py with RECLAIM_UPDATE_DOCS=1: begin -->\n"
END = "<!-- made by tests/python/test_tutorial.py with RECLAIM_UPDATE_DOCS=1: end -->"


def table(heads: Sequence[str], rows: list[tuple[str, ...]], alignment: str) -> str:
    lines = [" | ".join(heads), alignment, *(" | ".join(each) for each in rows)]
    return "\n".join(f"| {each} |".replace("%", " %") for each in lines) + "\n"


def sizes() -> str:
    """What is left to garbage in the small drive with other numbers of blocks in a plane."""
    heads = ("blocks per plane", "user capacity", "collection starts at", "left to garbage", LAST)
    rows = []
    for blocks in (32, 64, 128, 256, 512, 1024):
        drive = reclaim.Device.load(ROOT / "examples" / "devices" / "small.toml")
        facts = drive.set("geometry.blocks_per_plane", blocks).facts()
        load, start = facts["light_load"], facts["gc_start_blocks"]
        share, amplification = load["effective_spare_factor"], load["write_amplification"]
        free = f"{start} block{'s' * (start > 1)} free"
        capacity = f"{facts['user_bytes'] / 2**30:.2f} GiB"
        rows.append((f"{blocks:,}", capacity, free, f"{share:.1%}", f"{amplification:.2f}"))
    return table(heads, rows, " | ".join(["--:"] * len(heads)))


def presets() -> str:
    """What the small presets keep of the large ones."""
    heads = ("preset", "its small one, light load", "heavy load", "settings that differ")
    rows = []
    for small in (each for each in reclaim.presets() if each.endswith("-mini")):
        large = small.removesuffix("-mini")
        by_name = {
            each.what: each for each in compare(reclaim.Device.preset(small), reclaim.Device.preset(large))
        }
        shares = (by_name.pop(f"left to garbage under {load} load") for load in ("light", "heavy"))
        texts = [f"{each.large} → {each.small}".replace(" %", "%") for each in shares]
        rest = [f"`{name}`" for name, each in by_name.items() if " " not in name and not each.holds]
        rows.append((f"`{large}`", *texts, ", ".join(rest) or "none"))
    return table(heads, rows, "--- | --: | --: | ---")


def test_the_tables_are_what_the_program_says() -> None:
    path = ROOT / "docs" / "scaling-down.md"
    first, *parts = path.read_text(encoding="utf-8").split(BEGIN)
    made = (presets(), sizes())
    afters = [part.split(END)[1] for part in parts]
    text = first + "".join(f"{BEGIN}\n{each}\n{END}{after}" for each, after in zip(made, afters, strict=True))
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, (
        "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_tutorial.py"
    )


def test_the_samples_of_the_guide_to_scaling_down_run(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = samples("docs/scaling-down.md")
    assert found
    for sample in found:
        run(sample, tmp_path)

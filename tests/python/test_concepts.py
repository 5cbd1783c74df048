"""Each kind of policy has a page with a picture, all policies, and samples that print what it shows.

RECLAIM_UPDATE_DOCS=1 renews tables and what samples print.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import reclaim
from page_samples import ROOT, check_printed, run, samples

FOLDER = ROOT / "docs" / "concepts"
RENEW = "RECLAIM_UPDATE_DOCS=1 pytest tests/python/test_concepts.py"
BEGIN = f"<!-- from `reclaim policy list`; {RENEW}: begin -->\n"
END = "<!-- end -->"
KINDS = {kind["key"]: kind["policies"] for kind in reclaim.catalogue()}


def check_or_renew(path: Path, there: str, made: str) -> None:
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(made, encoding="utf-8")
    else:
        assert there == made, RENEW


def table(policies: list[dict[str, Any]]) -> str:
    rows = [f"| `{policy['name']}` | {policy['about'].replace('|', chr(92) + '|')} |" for policy in policies]
    return "\n".join(["| policy | what it does |", "|---|---|", *rows])


@pytest.mark.parametrize("key", KINDS)
def test_every_kind_has_a_page_with_its_policies_and_a_picture(key: str) -> None:
    name = key.rpartition(".")[2]
    path = FOLDER / f"{name}.md"
    text = path.read_text(encoding="utf-8")
    assert f"`{key}`" in text.splitlines()[0]
    assert f"(../images/concepts/{name}.svg)" in text
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    check_or_renew(path, text, f"{before}{BEGIN}\n{table(KINDS[key])}\n\n{END}{after}")


def test_the_first_page_lists_every_policy_of_every_kind() -> None:
    path = FOLDER / "index.md"
    text = path.read_text(encoding="utf-8")
    row = re.compile(r"^(\| \[`([\w.]+)`\].*\| ).* \|$", re.MULTILINE)
    assert {match[2] for match in row.finditer(text)} == set(KINDS)
    lists = {key: ", ".join(f"`{policy['name']}`" for policy in policies) for key, policies in KINDS.items()}
    check_or_renew(path, text, row.sub(lambda match: f"{match[1]}{lists[match[2]]} |", text))


def test_every_picture_is_shown_and_says_what_it_shows() -> None:
    """To those who cannot see it, too."""
    pictures = sorted((ROOT / "docs" / "images" / "concepts").glob("*.svg"))
    pages = "".join(page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md"))
    assert pictures
    for picture in pictures:
        assert re.search("<svg [^>]*>\\s*<title>[^<]+</title>", picture.read_text(encoding="utf-8"))
        assert f"](../images/concepts/{picture.name})" in pages


def test_features_do_together_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = "docs/concepts/together.md"
    (sample,) = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    rows = {
        line[:16].strip(): re.findall(r"[\d.]+(?= ms|  )", line[16:]) for line in printed.splitlines()[1:]
    }
    burst, writes, amplified, reads = (
        {name: float(row[at]) for name, row in rows.items()} for at in range(4)
    )
    plain = "none of these"
    assert burst["all five"] < burst["SLC cache"] < burst[plain] / 3
    assert amplified["streams"] < amplified[plain]
    assert amplified["all but streams"] < amplified["all five"]
    assert min(amplified["word lines"], amplified["SLC cache"]) > amplified[plain]
    assert burst["4 KiB mapping"] > burst[plain]
    for of in (writes, amplified, reads):
        assert of["4 KiB mapping"] == min(of.values()) < of["all five"] < of[plain] * 1.5


def test_a_burst_falls_off_the_cliff_that_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = "docs/concepts/slc_cache.md"
    sample, command = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    rows = [[int(number) for number in re.findall(r"\d+", line)] for line in printed.splitlines()[1:]]
    first, last = rows[0], rows[-1]
    assert first[2] < first[1] / 2, "in the cache"
    assert last[2] == last[1], "behind it, where folding waits"
    assert last[3] > last[1], "behind it, beside folding"
    assert re.search(r"folded pages.*\d", run(command, tmp_path))


def test_superblocks_amplify_uniform_writes_as_the_page_shows(tmp_path: Path) -> None:
    page = "docs/concepts/superblocks.md"
    (sample,) = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    rows = printed.splitlines()[1:]
    any_page, hot = ([float(number) for number in re.findall(r"\d\.\d+", row)] for row in rows)
    plane, *scopes = any_page
    assert all(amplification > plane for amplification in scopes), any_page
    assert max(hot) < min(any_page)


def test_parity_of_superblocks_costs_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = "docs/concepts/redundancy.md"
    (sample,) = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    lines = printed.splitlines()[1:]
    rows = [[float(number) for number in re.findall(r"[\d.]+", line[14:])] for line in lines]
    assert len(rows) == 8
    for size in (rows[:4], rows[4:]):
        plain, parity, chips, raid5 = size
        # Of eight dies one has parity, which superblocks write for what GC relocates, too.
        assert parity[1] == raid5[1] == pytest.approx(plain[1] * 7 / 8, rel=0.01)
        assert plain[3] == chips[3] == 0 < parity[3]
        assert 1 < plain[2] < parity[2]
        assert 1 < chips[2] < raid5[2]
    (plain, parity, chips, raid5), whole = rows[:4], rows[4:]
    assert parity[2] / plain[2] < 1.5
    assert raid5[2] / chips[2] > 2
    assert parity[4] / plain[4] < raid5[4] / chips[4]
    assert abs(whole[1][2] / whole[0][2] - whole[3][2] / whole[2][2]) < 0.15


def test_less_memory_for_the_mapping_costs_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    page = "docs/concepts/mapping_cache.md"
    (sample,) = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    rows = [
        [float(number) for number in re.findall(r"[\d.]+", line[15:])] for line in printed.splitlines()[1:]
    ]
    *held, (hits, everything, amplified) = rows
    assert hits == 100
    for kind in (held[:3], held[3:]):
        shares, means, costs = zip(*kind, strict=True)
        assert sorted(shares) == list(shares)
        assert sorted(means, reverse=True) == list(means)
        assert min(means) > everything
        assert min(costs) > amplified
    assert all(one[0] > other[0] for one, other in zip(held[:3], held[3:], strict=True)), "entries take twice"


def test_handles_spare_a_log_unless_others_use_its_handle(tmp_path: Path) -> None:
    page = "docs/concepts/separation.md"
    (sample,) = samples(page)
    printed = run(sample, tmp_path)
    check_printed(page, printed, "test_concepts.py")
    rows = [[float(number) for number in re.findall(r"\d\.\d+", row)] for row in printed.splitlines()[1:]]
    (none, *isolated), (none_wrong, *isolated_wrong) = rows[:3], rows[3:]
    assert all(max(each) < max(none) and each[0] < none[0] and each[2] < none[2] for each in isolated), rows
    for right, wrong in zip(isolated, isolated_wrong, strict=True):
        assert wrong[0] > none_wrong[0]
        assert none_wrong[2] - wrong[2] <= 0.51 * (none[2] - right[2])

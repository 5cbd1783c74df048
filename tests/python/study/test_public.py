"""Public volumes of a suite: taken from a copy, known by checksum, and judged as a family apart."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import small_suite

import reclaim
from conftest import ran
from reclaim.study.judging import card as cards
from reclaim.study.judging import public
from reclaim.study.judging.judge import JudgeStudy
from reclaim.study.judging.own import chosen, own
from reclaim.study.judging.suite import AMPLIFICATION, LATEST, PUBLIC, Suite
from reclaim.study.study import RunOptions

Copy = Callable[..., Path]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    edition = Suite.named(LATEST)
    folder = tmp_path / "edition"
    shutil.copytree(edition.folder, folder)
    return Suite.load(folder)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """Make a copy of a volume as MSR writes it: write after write, or others of another seed."""

    def made(name: str = "hm_0", *, seed: int = 1, count: int = 300) -> Path:
        folder = tmp_path / f"copy {seed}"
        (folder / "msr").mkdir(parents=True, exist_ok=True)
        draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
        server, disk = name.split("_")
        lines = [
            f"{128166372003061629 + number * 1000},{server},{disk},Write,{draw.randrange(1024) * 4096},4096,1"
            for number in range(count)
        ]
        with gzip.open(folder / "msr" / f"{name}.csv.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
        return folder

    return made


def test_the_first_copy_is_what_later_ones_must_equal(suite: Suite, copy: Copy) -> None:
    first = copy()
    (found,) = public.fetch(suite, first)
    kept = Path(public.fetched(suite)[0])
    content = gzip.decompress(kept.read_bytes())
    assert (found.name, found.requests, found.known) == ("msr/hm_0", 300, "first copy")
    assert found.sha256 == sha256(content).hexdigest()
    # Unpacked, and in the folder of the set itself, it is the same volume.
    packed = first / "msr" / "hm_0.csv.gz"
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    (again,) = public.fetch(suite, first / "msr")
    assert (again.sha256, again.known) == (found.sha256, "as before")
    with pytest.raises(reclaim.InputError, match=r"hm_0\.csv\.gz: is another msr/hm_0: SHA-256 .*pins\.json"):
        list(public.fetch(suite, copy(seed=2)))
    assert gzip.decompress(kept.read_bytes()) == content
    assert not [*kept.parent.glob("new*")]


def test_a_stated_checksum_is_held(suite: Suite, copy: Copy) -> None:
    (found,) = public.fetch(suite, copy())
    file = suite.folder / public.VOLUMES
    text = file.read_text()
    file.write_text(text.replace('"msr/hm_0" = {}', f'"msr/hm_0" = {{ sha256 = "{found.sha256}" }}'))
    assert [each.known for each in public.fetch(suite, copy())] == ["as stated"]
    with pytest.raises(reclaim.InputError, match=r"is another msr/hm_0: .* of volumes\.toml"):
        list(public.fetch(suite, copy(seed=2)))


def test_the_beginning_of_a_volume_is_taken_and_one_device_of_many(suite: Suite, tmp_path: Path) -> None:
    file = suite.folder / public.VOLUMES
    file.write_text(file.read_text().replace("500_000", "20"))
    (tmp_path / "copy" / "alibaba").mkdir(parents=True)
    devices = [name.partition("/")[2] for name in public.volumes_of(suite) if name.startswith("alibaba")]
    lines = [
        f"{device},W,{number * 4096},4096,{1577808144360767 + number}\n"
        for number in range(30)
        for device in devices
    ]
    (tmp_path / "copy" / "alibaba" / "io_traces.csv").write_text("".join(lines))
    found = [*public.fetch(suite, tmp_path / "copy")]
    assert [(each.name, each.requests) for each in found] == [(f"alibaba/{each}", 20) for each in devices]
    assert len({each.sha256 for each in found}) == 1


def test_what_is_not_there_says_where_to_get_it(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(reclaim.InputError, match=r"has none of msr/hm_0.*iotta\.snia\.org"):
        list(public.fetch(suite, tmp_path))
    with pytest.raises(reclaim.InputError, match="is no folder"):
        list(public.fetch(suite, tmp_path / "none"))
    with pytest.raises(reclaim.InputError, match="no volume was fetched"):
        chosen(LATEST, family=PUBLIC)
    with pytest.raises(reclaim.InputError, match="--family recorded: valid: public"):
        chosen(LATEST, family="recorded")


def test_what_was_fetched_and_changed_is_not_judged_on(suite: Suite, copy: Copy) -> None:
    list(public.fetch(suite, copy()))
    with gzip.open(public.fetched(suite)[0], "at") as file:
        file.write("9999999999,write,0,4096\n")
    with pytest.raises(reclaim.InputError, match="was changed since it was fetched"):
        public.fetched(suite)


def test_volumes_are_a_family_of_their_own(suite: Suite, copy: Copy, tmp_path: Path) -> None:
    copy("hm_0", count=4000)
    list(public.fetch(suite, copy("prxy_0", count=4000)))
    small = small_suite.made(tmp_path / "small")
    files = public.fetched(suite)
    judged_on = own(replace(small, family=PUBLIC), traces=files)
    moved = shutil.copytree(Path(files[0]).parent, tmp_path / "elsewhere")
    elsewhere = own(replace(small, family=PUBLIC), traces=[str(moved / Path(each).name) for each in files])
    assert elsewhere.digest == judged_on.digest
    study = JudgeStudy("fifo", judged_on, rivals=["greedy"], untimed=True)
    card = study.run(tmp_path / "judged", RunOptions(workers=1))
    assert {*card.runs["trace"]} == {"msr-hm_0", "msr-prxy_0"}
    effect = card.against[AMPLIFICATION]["greedy"]
    assert cards.parts_of(card.suite, AMPLIFICATION, effect).startswith("public ×")


@pytest.mark.usefixtures("suite")
def test_the_command_tells_what_it_took(copy: Copy, tmp_path: Path) -> None:
    told = json.loads(ran(tmp_path, "suite", "fetch", copy(), "--json").stdout)
    assert [(each["name"], each["known"]) for each in told] == [("msr/hm_0", "first copy")]
    said = ran(tmp_path, "suite", "fetch", copy()).stdout
    assert "msr/hm_0: 300 requests" in said
    assert "as before" in said

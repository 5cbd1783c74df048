"""Names of traces: what is listed, what a name opens, and the message for one that is not here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.shipped import RECORDINGS
from reclaim.traces.catalogue import entries, resolve

MSR_LINES = "128166372003061629,hm,0,Read,383496192,32768,1413\n128166372003071629,hm,0,Write,0,4096,11\n"
CSV = "time_us,op,offset_bytes,size_bytes\n0,write,0,4096\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of the user's."""
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("RECLAIM_TRACES", str(tmp_path / "mine"))
    return tmp_path / "mine"


def test_stand_ins_and_recordings_are_listed(folder: Path) -> None:
    listed = {each.name: each for each in entries()}
    assert listed["msr-like/hm_0"].kind == "synthetic stand-in"
    assert sum(each.kind == "synthetic stand-in" for each in listed.values()) == 31
    if RECORDINGS.is_dir():
        assert listed["bundled/sqlite"].kind == "recording"
    assert sum(each.name.startswith("msr/") for each in listed.values()) == 36
    assert all(each.where and each.terms for each in listed.values() if each.path is None)
    assert not list(folder.iterdir())


def test_a_public_file_is_picked_up_once_it_is_there(folder: Path) -> None:
    with pytest.raises(reclaim.InputError) as refused:
        reclaim.open_trace("msr/hm_0")
    for part in ("iotta.snia.org", "terms:", str(folder), "msr-like/hm_0", "msr/hm_0.csv.gz"):
        assert part in str(refused.value), refused.value
    (folder / "MSR-Cambridge").mkdir()
    with gzip.open(folder / "MSR-Cambridge" / "hm_0.csv.gz", "wt") as file:
        file.write(MSR_LINES)
    trace = reclaim.open_trace("msr/hm_0")
    assert (trace.format, trace.summary()["requests"]) == ("msr", 2)
    assert trace.provenance == "trace file"
    listed = {each.name: each for each in entries()}
    assert listed["msr/hm_0"].kind == "public set"


def test_own_files_are_named_by_their_place(folder: Path) -> None:
    (folder / "web" / "monday").mkdir(parents=True)
    for name in ("a.csv", "web/monday/monday.csv", "web/notes.txt", "web/stats.md"):
        (folder / name).write_text(CSV)
    own = [each.name for each in entries() if each.kind == "your file"]
    assert own == ["a", "web/monday"]
    assert reclaim.open_trace("web/monday").summary()["requests"] == 1


def test_several_folders_and_the_first_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, lines in (("one", 1), ("two", 2)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "a.csv").write_text(CSV + "5,write,0,4096\n" * (lines - 1))
    monkeypatch.setenv("RECLAIM_TRACES", f"{tmp_path / 'two'}:{tmp_path / 'one'}")
    assert reclaim.open_trace("a").summary()["requests"] == 2


def test_a_name_of_two_files_opens_neither(command: Command, folder: Path) -> None:
    (folder / "dup").mkdir()
    (folder / "dup" / "t.csv").write_text(CSV)
    with gzip.open(folder / "dup" / "t.csv.gz", "wt") as file:
        file.write(CSV + "5,write,0,4096\n")
    for path in (folder / "MSR-Cambridge", folder / "msr"):
        path.mkdir()
        (path / "hm_0.csv").write_text(MSR_LINES)
    for name, files in (
        ("dup/t", ("dup/t.csv", "dup/t.csv.gz")),
        ("msr/hm_0", ("MSR-Cambridge/hm_0.csv", "msr/hm_0.csv")),
    ):
        with pytest.raises(reclaim.InputError) as refused:
            reclaim.open_trace(name)
        for file in files:
            assert str(folder / file) in str(refused.value), refused.value
        listed = [each for each in entries() if each.name == name]
        assert [(each.path, each.also) for each in listed] == [
            (str(folder / files[0]), (str(folder / files[1]),))
        ]
    done = command("trace", "list", "dup/t")
    assert "the name is ambiguous" in done.stdout
    assert reclaim.open_trace(folder / "dup" / "t.csv.gz").summary()["requests"] == 2


def test_a_folder_that_is_not_there_is_said(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECLAIM_TRACES", f"{folder}:{folder / 'gone'}")
    gone = str(folder / "gone")
    done = command("trace", "list", "msr-like/hm_0", "--json")
    assert (done.returncode, len(json.loads(done.stdout))) == (0, 2)
    assert done.stderr == f"warning: RECLAIM_TRACES names {gone}, which is no folder here\n"
    for name in ("web/monday", "mine.csv", "msr/hm_0", "msr-like/hm0"):
        done = command("trace", "info", name)
        assert done.returncode == 2
        assert f"RECLAIM_TRACES names what is no folder here: {gone}" in done.stderr, done.stderr
    assert command("trace", "info", "app-like/mysql", "--max-requests", "10").stderr == ""
    monkeypatch.setenv("RECLAIM_TRACES", str(folder))
    assert "RECLAIM_TRACES" not in command("trace", "info", "mine.csv").stderr


def test_the_nearest_stand_in_comes_first(folder: Path) -> None:
    with pytest.raises(reclaim.InputError) as refused:
        reclaim.open_trace("msr/hm_0")
    named = [line.rpartition(" ")[2] for line in str(refused.value).splitlines() if "stand-in" in line]
    assert named == ["msr-like/hm_0", "msr-like/hm_0-deferred-raid"]
    assert folder.is_dir()


def test_a_pattern_may_be_of_the_last_part_of_a_name(command: Command, folder: Path) -> None:
    for words in (["list", "--json"], ["stand-ins", "--json"]):
        done = command("trace", *words, "mysq?")
        assert done.returncode == 0, done.stderr
        assert "app-like/mysql" in [each["name"] for each in json.loads(done.stdout)]
    assert command("trace", "list", "ysq?").returncode == 2
    assert folder.is_dir()


def test_one_file_of_many_devices(folder: Path) -> None:
    (folder / "alibaba").mkdir()
    lines = [
        "3,W,4096,8192,1577808000000626",
        "7,R,0,4096,1577808000000700",
        "3,R,4096,8192,1577808000000726",
    ]
    (folder / "alibaba" / "io_traces.csv").write_text("\n".join(lines) + "\n")
    assert reclaim.open_trace("alibaba/3").summary()["requests"] == 2
    found = resolve("alibaba/3")
    assert (found.path.name, found.device) == ("io_traces.csv", "3")
    (folder / "alibaba" / "3.csv").write_text("3,W,4096,8192,1577808000000626\n")
    assert (resolve("alibaba/ali3").path.name, resolve("alibaba/3").device) == ("3.csv", None)


def test_a_file_comes_before_a_name(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "msr-like").mkdir()
    (tmp_path / "msr-like" / "hm_0").write_text(CSV)
    assert reclaim.open_trace("msr-like/hm_0").summary()["requests"] == 1
    assert folder.is_dir()


def test_the_command_lists_and_filters(command: Command, folder: Path) -> None:
    done = command("trace", "list")
    assert done.returncode == 0, done.stderr
    for part in ("Synthetic stand-ins: generated, not recorded", "msr-like/hm_0", "terms:", str(folder)):
        assert part in done.stdout
    listed = json.loads(command("trace", "list", "app-like/*", "--json").stdout)
    assert len(listed) == 7
    assert command("trace", "list", "nothing-like-this").returncode == 2

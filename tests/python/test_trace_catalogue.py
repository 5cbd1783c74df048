"""Names of traces: what is listed, what a name opens, and the message for one that is not here."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import reclaim
from conftest import Command, parsed, refusal
from reclaim.shipped import RECORDINGS
from reclaim.trace.catalogue import Entry, entries, resolve

MSR_LINES = "128166372003061629,hm,0,Read,383496192,32768,1413\n128166372003071629,hm,0,Write,0,4096,11\n"
ALIBABA_LINES = (
    "3,W,4096,8192,1577808000000626\n7,R,0,4096,1577808000000700\n3,R,4096,8192,1577808000000726\n"
)
CSV = "time_us,op,offset_bytes,size_bytes\n0,write,0,4096\n"
LONGER = CSV + "5,write,0,4096\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of the user's."""
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("RECLAIM_TRACES", str(tmp_path / "mine"))
    return tmp_path / "mine"


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with (gzip.open if file.suffix == ".gz" else open)(file, "wt") as opened:
        opened.write(text)


def listed() -> dict[str, Entry]:
    return {each.name: each for each in entries()}


def requests(name: str | Path) -> int:
    return int(reclaim.open_trace(name).summary()["requests"])


def test_stand_ins_and_recordings_are_listed(folder: Path) -> None:
    kinds = {name: each.kind for name, each in listed().items()}
    assert kinds["msr-like/hm_0"] == "synthetic stand-in"
    about = "in place of device 0 of the 2020 cloud block-storage traces; figures of Nie et al."
    assert listed()["alibaba-like/ali0"].about == about
    assert sum(kind == "synthetic stand-in" for kind in kinds.values()) == 31
    if RECORDINGS.is_dir():
        assert kinds["bundled/sqlite"] == "recording"
    assert sum(name.startswith("msr/") for name in kinds) == 36
    assert all(each.where and each.terms for each in entries() if each.path is None)
    assert not list(folder.iterdir())


def test_a_public_file_is_picked_up_once_it_is_there(folder: Path) -> None:
    with pytest.raises(reclaim.InputError) as refused:
        reclaim.open_trace("msr/hm_0")
    for part in ("iotta.snia.org", str(folder), "msr/hm_0.csv.gz"):
        assert part in str(refused.value), refused.value
    nearest = [line.rpartition(" ")[2] for line in str(refused.value).splitlines() if "stand-in" in line]
    assert nearest == ["msr-like/hm_0", "msr-like/hm_0-deferred-raid"]
    put(folder / "MSR-Cambridge" / "hm_0.csv.gz", MSR_LINES)
    trace = reclaim.open_trace("msr/hm_0")
    assert (trace.format, trace.summary()["requests"], trace.provenance) == ("msr", 2, "trace file")
    assert listed()["msr/hm_0"].kind == "public set"


def test_own_files_are_named_by_their_place(folder: Path) -> None:
    for name in ("a.csv", "web/monday/monday.csv", "web/notes.txt", "web/stats.md"):
        put(folder / name, CSV)
    assert [each.name for each in entries() if each.kind == "your file"] == ["a", "web/monday"]
    assert requests("web/monday") == 1


def test_the_first_of_several_folders_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "one" / "a.csv", CSV)
    put(tmp_path / "two" / "a.csv", LONGER)
    monkeypatch.setenv("RECLAIM_TRACES", f"{tmp_path / 'two'}:{tmp_path / 'one'}")
    assert requests("a") == 2


def test_a_name_of_two_files_opens_neither(folder: Path) -> None:
    two = {
        "dup/t": ("dup/t.csv", "dup/t.csv.gz"),
        "msr/hm_0": ("MSR-Cambridge/hm_0.csv", "msr/hm_0.csv"),
    }
    for name, files in two.items():
        for number, file in enumerate(files):
            put(folder / file, MSR_LINES if name == "msr/hm_0" else (CSV, LONGER)[number])
        with pytest.raises(reclaim.InputError) as refused:
            reclaim.open_trace(name)
        first, second = (str(folder / file) for file in files)
        assert first in str(refused.value)
        assert second in str(refused.value)
        assert (listed()[name].path, listed()[name].also) == (first, (second,))
    assert requests(folder / "dup" / "t.csv.gz") == 2


def test_a_folder_that_is_not_there_is_said(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = str(folder / "gone")
    monkeypatch.setenv("RECLAIM_TRACES", f"{folder}:{gone}")
    done = command("trace", "list", "msr-like/hm_0", "--json")
    assert len(parsed(done)) == 2
    assert gone in done.stderr
    for name in ("web/monday", "mine.csv", "msr/hm_0", "msr-like/hm0"):
        assert f"here: {gone}" in refusal(command("trace", "info", name))
    assert command("trace", "info", "app-like/mysql", "--max-requests", "10").stderr == ""
    monkeypatch.setenv("RECLAIM_TRACES", str(folder))
    assert "RECLAIM_TRACES" not in refusal(command("trace", "info", "mine.csv"))


def test_one_file_of_many_devices(folder: Path) -> None:
    put(folder / "alibaba" / "io_traces.csv", ALIBABA_LINES)
    assert requests("alibaba/3") == 2
    found = resolve("alibaba/3")
    assert (found.path.name, found.device) == ("io_traces.csv", "3")
    put(folder / "alibaba" / "3.csv", "3,W,4096,8192,1577808000000626\n")
    assert (resolve("alibaba/ali3").path.name, resolve("alibaba/3").device) == ("3.csv", None)


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "msr-like" / "hm_0", CSV)
    assert requests("msr-like/hm_0") == 1


def test_the_command_lists_and_filters(command: Command, folder: Path) -> None:
    shown = command("trace", "list").stdout
    assert all(part in shown for part in ("msr-like/hm_0", str(folder)))
    assert len(parsed(command("trace", "list", "app-like/*", "--json"))) == 7
    # A pattern may be of the last part of a name.
    for figures in ([], ["--figures"]):
        found = parsed(command("trace", "list", "mysq?", "--json", *figures))
        assert "app-like/mysql" in [each["name"] for each in found]
    refusal(command("trace", "list", "ysq?"))

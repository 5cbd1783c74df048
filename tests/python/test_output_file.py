"""Files that commands write: what is there is not lost, and what is being read least of all."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import reclaim
from conftest import GENERATED, Command
from reclaim import output_file
from reclaim.trace.generate import write_trace
from reclaim.trace.record import RecordingPlan


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A description of a generated trace."""
    path = tmp_path / "hot.toml"
    path.write_text(GENERATED)
    return path


WRITERS = [
    ("trace", "convert", "SOURCE", "OUT", "--as", "csv"),
    ("trace", "generate", "SOURCE", "OUT", "--as", "csv"),
    ("trace", "synthesize", "SOURCE", "OUT"),
    ("trace", "info", "SOURCE", "--html", "OUT"),
]
NAMES = ["convert", "generate", "synthesize", "info"]


def arguments(words: tuple[str, ...], source: str, out: str) -> list[str]:
    return [{"SOURCE": source, "OUT": out}.get(word, word) for word in words]


@contextmanager
def limited_to(size_bytes: int) -> Iterator[None]:
    """Let no file become larger, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("words", WRITERS, ids=NAMES)
def test_a_file_that_is_there_is_kept(command: Command, spec: Path, words: tuple[str, ...]) -> None:
    other = spec.parent / "other.toml"
    other.write_text("precious")
    done = command(*arguments(words, "hot.toml", "other.toml"))
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith("error: other.toml: "), done.stderr
    assert other.read_text() == "precious"
    if words[1] != "info":
        done = command(*arguments(words, "hot.toml", "other.toml"), "--force")
        assert done.returncode == 0, done.stderr
        assert other.read_text() != "precious"


@pytest.mark.parametrize("words", WRITERS, ids=NAMES)
def test_missing_folders_are_made(command: Command, spec: Path, words: tuple[str, ...]) -> None:
    done = command(*arguments(words, "hot.toml", "a/b/out.toml"))
    assert done.returncode == 0, done.stderr
    assert [each.name for each in (spec.parent / "a" / "b").iterdir()] == ["out.toml"]


def test_folders_made_for_nothing_are_removed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ZeroDivisionError), output_file.whole(tmp_path / "there" / "a" / "b" / "x"):
        raise ZeroDivisionError
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=1000)
    with pytest.raises(reclaim.InputError):
        trace.convert(tmp_path / "new" / "x.unknown")
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]


def test_a_merged_trace_and_a_name_of_the_catalogue_are_read_too(
    command: Command, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.csv"
    assert command("trace", "generate", "hot.toml", "other.csv").returncode == 0
    before = other.read_bytes()
    done = command("trace", "convert", "hot.toml", "other.csv", "--force", "--merge", "other.csv@1GiB")
    assert (done.returncode, "is what is being read" in done.stderr) == (2, True), done.stderr
    monkeypatch.setenv("RECLAIM_TRACES", str(tmp_path))
    done = command("trace", "convert", "other", "other.csv", "--force")
    assert (done.returncode, "is what is being read" in done.stderr) == (2, True), done.stderr
    assert other.read_bytes() == before
    assert spec.read_text() == GENERATED


@pytest.mark.usefixtures("spec")
def test_a_page_is_drawn_over_a_page_only(command: Command, tmp_path: Path) -> None:
    for _ in range(2):
        done = command("trace", "info", "hot.toml", "--html", "page.html")
        assert done.returncode == 0, done.stderr
    for mine in (
        "My notes: <!doctype html> begins a page.\n",
        "<!doctype html>\n<html><head><title>My notes</title></head></html>\n",
    ):
        (tmp_path / "page.html").write_text(mine)
        done = command("trace", "info", "hot.toml", "--html", "page.html")
        assert done.returncode == 2
        assert "no page that Reclaim drew" in done.stderr
        assert (tmp_path / "page.html").read_text() == mine


def test_a_recording_is_kept(command: Command, tmp_path: Path) -> None:
    kept = tmp_path / "kept.blkparse.txt"
    kept.write_text("precious")
    done = command("trace", "record", "-o", kept, "--dry-run", "--", "true")
    assert done.returncode == 2
    assert f"{kept}: exists already; --force overwrites it" in done.stderr
    done = command("trace", "record", "-o", kept, "--force", "--dry-run", "--", "true")
    assert "exists already" not in done.stderr
    assert f"write {kept} over the file that is there" in done.stdout
    assert kept.read_text() == "precious"
    assert "over the file" not in RecordingPlan(("true",), tmp_path / "new").steps()[-1]


def test_from_python_a_file_is_kept_too(spec: Path, tmp_path: Path) -> None:
    trace = reclaim.open_trace(spec)
    for name in ("a.csv", "a.toml"):
        assert write_trace(trace, tmp_path / name) == []
        with pytest.raises(reclaim.InputError, match="exists already"):
            write_trace(trace, tmp_path / name)
        write_trace(trace, tmp_path / name, force=True)


@pytest.mark.parametrize("end", ["gz", "bz2", "xz", "zst"])
def test_a_packed_trace_whose_end_does_not_fit(tmp_path: Path, trace_file: Path, end: str) -> None:
    target = tmp_path / f"packed.csv.{end}"
    trace = reclaim.open_trace(trace_file)
    trace.convert(target)
    size = target.stat().st_size
    target.unlink()
    for room in (1, size - 1):
        with limited_to(room), pytest.raises(reclaim.InputError, match="cannot be written: File too large"):
            trace.convert(target)
        assert sorted(each.name for each in tmp_path.iterdir()) == [trace_file.name]
    with limited_to(size):
        trace.convert(target)
    assert reclaim.open_trace(target).summary()["content_hash"] == trace.summary()["content_hash"]

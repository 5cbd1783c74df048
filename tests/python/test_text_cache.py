"""What takes long to make is made once, and never wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from reclaim import text_cache


def test_a_text_is_made_once_and_anew_if_altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "one\ntwo\r\ndrei ☃"

    def again() -> int:
        assert text_cache.text("a", make) == "one\ntwo\r\ndrei ☃"
        return len(made)

    assert [again(), again()] == [1, 1]
    kept = tmp_path / "new" / "reclaim" / "a"
    whole = kept.read_bytes()
    for wrong in (whole[:-1], whole + b"x", b"", b"\xff"):
        kept.write_bytes(wrong)
        assert text_cache.text("a", make) == "one\ntwo\r\ndrei ☃"
    assert again() == 5
    assert [each.name for each in kept.parent.iterdir()] == ["a"]


def test_where_nothing_can_be_kept_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "reclaim").write_text("no folder")
    assert [text_cache.text("a", lambda: "b") for _ in range(2)] == ["b", "b"]
    # A place that is not absolute is passed over, as the specification of these folders says.
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert text_cache.folder() == Path("/home/somebody/.cache/reclaim")

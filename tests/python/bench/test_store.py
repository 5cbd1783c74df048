"""The folder of a sweep: a point appears whole, or leaves nothing."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

import reclaim
from reclaim import output_file
from reclaim.bench.store import FAILURES, PARTIAL, POINTS, Store
from reclaim.checksums import checksums
from reclaim.results.sets.log import LOG


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    found.prepare()
    return found


def test_a_point_appears_when_it_is_committed(store: Store) -> None:
    with store.beginning("point") as folder:
        (folder / "results.json").write_text("{}")
    assert not store.has("point")
    store.commit("point", folder, {"point": "point"})
    assert json.loads((store.folder / LOG).read_text())["files"] == checksums(store.point("point"))
    assert [each.name for each in store.point("point").iterdir()] == ["results.json"]
    assert [each.name for each in (store.folder / POINTS).iterdir()] == ["point"]


@pytest.mark.parametrize(
    ("error", "told", "says"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            reclaim.InputError,
            "point: cannot be written: No",
        ),
        (reclaim.ReclaimError("no such drive"), reclaim.ReclaimError, "no such drive"),
        (KeyboardInterrupt("stopped"), KeyboardInterrupt, "stopped"),
    ],
)
def test_a_point_that_fails_leaves_nothing(
    store: Store, error: BaseException, told: type[BaseException], says: str
) -> None:
    def fail() -> None:
        with store.beginning("point") as folder:
            (folder / "results.json").write_text("{}")
            raise error

    with pytest.raises(told, match=says):
        fail()
    assert not list((store.folder / POINTS).iterdir())


def test_a_failure_does_not_look_through_the_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (store.folder / FAILURES / f"{PARTIAL}1-old.json").write_text("{")
    monkeypatch.setattr(output_file, "clear_stale", lambda *_: pytest.fail("it reads all names"))
    store.fail("point", {"error": "no such drive"})
    store.clear()
    assert [each.name for each in (store.folder / FAILURES).iterdir()] == ["point.json"]

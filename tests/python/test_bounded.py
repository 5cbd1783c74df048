"""A message shows a value, and not a megabyte of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from reclaim.errors import InputError, bounded

HUGE = "x" * 1_000_000
MOST = 20_000


@pytest.mark.parametrize(
    "call",
    [
        lambda: reclaim.Device.preset(HUGE),
        lambda: reclaim.Device.preset("gc-bypass-mini").set("gc.victim", HUGE),
        lambda: reclaim.Device.preset("gc-bypass-mini").set(
            "gc.victim", f'{{ kind = "score", score = "{HUGE}" }}'
        ),
        lambda: reclaim.Device.preset("gc-bypass-mini").set(HUGE, 1),
        lambda: reclaim.Device.preset("gc-bypass-mini").set("host.queue_depth", HUGE),
        lambda: reclaim.Device.preset("gc-bypass-mini").with_scheme(HUGE),
        lambda: reclaim.Experiment.parse(f'name = "{HUGE}"\n{HUGE} = 1'),
        lambda: reclaim.Experiment.parse(
            f'name = "x"\ndevices = ["{HUGE}"]\ntraces = ["{HUGE}"]\nschemes = ["{HUGE}"]'
        ).points(),
        lambda: reclaim.open_trace(HUGE),
        lambda: reclaim.Trace.from_records([(0, HUGE, 0, 4096)]),
        lambda: reclaim.fio_trace(rw=HUGE),
        lambda: reclaim.generate_trace(requests=HUGE),
    ],
)
def test_a_megabyte_makes_a_short_message(call: object) -> None:
    with pytest.raises(InputError) as raised:
        call()  # type: ignore[operator]
    assert len(str(raised.value)) < MOST


def test_a_path_of_usual_length_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 200) / "gone.toml"
    with pytest.raises(InputError, match="a" * 200):
        reclaim.Device.load(path)


def test_what_is_short_is_left_as_it_is() -> None:
    text = 'x.toml:3: gc.victim: "fif" is unknown; valid: fifo, greedy; did you mean "fifo"?\nx.toml:4: seed'
    assert bounded(text) == text

"""Settings that would change nothing, or mean nothing, are refused before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, GENERATED
from reclaim.cli import main


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What the command says of words that it refuses."""
    monkeypatch.setattr("sys.argv", ["reclaim", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, ""), said.err
    return said.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--queue-depth", "4"], "host.queue_depth: an open loop sends requests at the times"),
        (["--set", "host.queue_depth=4"], "host.queue_depth: an open loop"),
        (["--mode", "closed-loop", "--time-scale", "2"], "host.time_scale: a closed loop"),
        (["--seed", "1", "--seed", "1"], "--seed is given twice"),
        (["-o", "a", "--output", "b"], "--output is given twice"),
        (["--align", "3"], "--align 3B: expected whole sectors of 512 B"),
        (["--align", "0"], "--align 0B: expected whole sectors"),
        (["--target-utilisation", "150%"], "--target-utilisation 150%: expected a share"),
        (["-o", ""], "--output: is given without a value"),
        (["--save-state", ""], "--save-state: is given without a value"),
        (["--merge", ""], "--merge: is given without a value"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    trace_file: Path,
    words: list[str],
    part: str,
) -> None:
    assert part in refused(monkeypatch, capsys, "run", trace_file, "--device", DEVICE, *words)


def test_of_one_scheme(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], trace_file: Path
) -> None:
    schemes = "greedy,greedy+host.queue_depth=8"
    message = refused(monkeypatch, capsys, "compare", trace_file, "--device", DEVICE, "--schemes", schemes)
    assert "host.queue_depth: an open loop" in message


def test_of_a_loaded_state(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    trace_file: Path,
    tmp_path: Path,
) -> None:
    state, drive = tmp_path / "a.state", reclaim.Device.preset(DEVICE)
    reclaim.simulate(drive, reclaim.open_trace(trace_file), warmup="filled", save_state=state, warn=False)
    words = ("run", trace_file, "--device", DEVICE, "--load-state", state, "--json", "--warmup")
    message = refused(monkeypatch, capsys, *words, "empty")
    assert "was saved after another warm-up (filled" in message
    monkeypatch.setattr("sys.argv", ["reclaim", *map(str, words), "filled"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, 1, 3)


@pytest.mark.parametrize(
    "option",
    [
        ("--sort",),
        ("--trace-device", "4"),
        ("--event", "Q"),
        ("--time-unit", "us"),
        ("--separator", "tab"),
        ("--on-error", "report"),
    ],
    ids=" ".join,
)
def test_of_opening_a_trace_that_is_generated(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    option: tuple[str, ...],
) -> None:
    path = tmp_path / "hot.toml"
    path.write_text(GENERATED)
    for words in (
        ("run", path, "--device", DEVICE),
        ("trace", "info", path),
        ("trace", "info", path, "--device", DEVICE),
        ("trace", "convert", path, tmp_path / "out.csv"),
    ):
        message = refused(monkeypatch, capsys, *words, *option)
        assert f"hot: {option[0]} has no meaning: its requests are generated" in message


def test_an_option_for_what_is_merged_into_a_generated_trace_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, trace_file: Path
) -> None:
    (tmp_path / "hot.toml").write_text(GENERATED)
    words = ["trace", "info", str(tmp_path / "hot.toml"), "--merge", str(trace_file), "--sort"]
    monkeypatch.setattr("sys.argv", ["reclaim", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0, capsys.readouterr().err

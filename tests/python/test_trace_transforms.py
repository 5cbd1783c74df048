"""Fitting a trace: the same on the command line, in a device file and from Python; and `trace info`."""

from __future__ import annotations

import functools
import html
import json
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import parsed, ran, refusal
from reclaim.cli.transforms import STEPS as OPTIONS
from reclaim.cli.transforms import steps_of
from reclaim.report.html import render
from reclaim.trace.plots import FIGURES, HEIGHT, figures, lifetimes, sizes
from reclaim.trace.report import document
from reclaim.trace.table import groups

VARMAIL = Path(__file__).parents[2] / "examples" / "traces" / "varmail.blkparse.txt.zst"
DRIVE = "gc-bypass-mini"

command = functools.partial(ran, Path.cwd())


def info(*arguments: str | Path) -> Any:
    return parsed(command("trace", "info", *arguments, "--json"))


STEPS: dict[str, Any] = {
    "from": "100ms",
    "to": "1s",
    "shift": "512B",
    "align": "16KiB",
    "sample": "50%",
    "sample_unit": "4MiB",
    "max_requests": 700,
    "rotate": "25%",
    "repeat": 2,
    "repeat_gap": "5ms",
    "repeat_order": "shuffled",
    "jitter": "20us",
}
OTHERWISE = {"shift": "512", "sample": "0.5", "rotate": "0.25"}
"""How the command line takes some of them, too."""


def test_steps_are_the_same_on_the_command_line_in_a_file_and_from_python(tmp_path: Path) -> None:
    words = [(f"--{key.replace('_', '-')}", str(value)) for key, value in (STEPS | OTHERWISE).items()]
    by_command = info(VARMAIL, *[part for word in words for part in word], "--merge", f"{VARMAIL}@8GiB")
    merge = f'[{{ file = {json.dumps(str(VARMAIL))}, shift = "8GiB" }}]'
    # The order in which they are given is no matter.
    lines = [f"{key} = {json.dumps(value)}" for key, value in reversed(STEPS.items())]
    file = tmp_path / "fitted.toml"
    file.write_text("\n".join([f'base = "{DRIVE}"', "[trace]", *lines, f"merge = {merge}", ""]))
    by_file = info(VARMAIL, "--device", file)
    steps = {"from_" if key == "from" else key: value for key, value in STEPS.items()}
    by_python = reclaim.open_trace(VARMAIL).transformed(**steps, merge=merge)
    assert by_command["requests"] == 1400
    assert by_command["content_hash"] == by_file["content_hash"] == by_python.summary()["content_hash"]
    assert by_command["transforms"] == by_file["transforms"] == by_python.transforms
    assert len(by_python.transforms) == 9
    assert by_command["max_end_bytes"] > 8 << 30


def test_a_run_on_the_command_line_fits_as_asked(tmp_path: Path) -> None:
    words = f"--device {DRIVE} --warmup replay --remap compact --max-requests 2000 --target-utilisation 0.4"
    results = parsed(command("run", VARMAIL, *words.split(), "--json", "-o", tmp_path))
    assert results["trace"]["requests"] == results["config"]["trace"]["max_requests"] == 2000
    assert (results["remap"], results["warmup"]["kind"]) == ("compact", "replay")
    requests, utilisation = results["transforms"]
    assert "2000" in requests
    assert "40%" in utilisation
    assert requests in (tmp_path / "report.html").read_text()
    # What was saved runs again to the same results.
    assert parsed(command("run", VARMAIL, "--device", tmp_path / "config.toml", "--json")) == results


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--align 4QiB", 'did you mean "4KiB"?'),
        ("--repeat-order mixed --plays 2", "'same', 'shuffled'"),
        ("--rotate 1.5", "--rotate 1.5"),
        ("--rotate 99999999", "99999999"),
        ("--jitter 5", "unit"),
        ("--warmup steady", "--device"),
    ],
)
def test_a_bad_step_ends_with_a_hint(arguments: str, named: str) -> None:
    assert named in refusal(command("trace", "info", VARMAIL, *arguments.split()))


def test_what_is_not_given_is_no_step() -> None:
    assert steps_of(**dict.fromkeys(each.name for each in OPTIONS)) == {}


def test_info_says_what_the_trace_is_on_a_drive() -> None:
    done = command("trace", "info", VARMAIL, "--device", DRIVE, "--warmup", "steady")
    assert done.returncode == 0, done.stderr
    titles = [each.title for each in groups(reclaim.open_trace(VARMAIL).characteristics())]
    assert [title for title in [*titles, f"On {DRIVE}"[:7]] if f"\n{title}" not in done.stdout] == []
    assert "yes, from the beginning" in done.stdout
    fresh = info(VARMAIL, "--device", DRIVE)["device"]
    assert fresh["facts"]["trace"]["gc_starts_after_requests"] is None
    many = info(VARMAIL, "--device", DRIVE, "--plays", "60")["device"]["facts"]
    expected = many["gc_starts_after_pages"] / fresh["demand"]["pages_written"] * 35_000
    assert many["trace"]["gc_starts_after_requests"] == pytest.approx(expected, rel=0.01)


def test_the_page_has_every_table_and_figure(tmp_path: Path) -> None:
    page = tmp_path / "trace.html"
    done = command("trace", "info", VARMAIL, "--html", page)
    assert done.returncode == 0, done.stderr
    text = html.unescape(page.read_text())
    trace = reclaim.open_trace(VARMAIL)
    found = trace.characteristics()
    cells = [cell for group in groups(found) for row in group.rows for cell in row if cell]
    assert [cell for cell in cells if f">{cell}<" not in text] == []
    assert [name for name in FIGURES if f'id="{name}"' not in text] == []
    assert set(figures(found, trace.picture(found))) == set(FIGURES)


def small(**more: Any) -> reclaim.Trace:
    settings = {"count": 500, "write_fraction": 0.7, "mean_interarrival_ns": 10_000} | more
    return reclaim.uniform_trace(footprint_bytes=1 << 22, **settings)


@pytest.mark.parametrize(
    "trace",
    [
        small(write_fraction=0.0),
        small(write_fraction=0.0, trim_fraction=1.0),
        small(count=1),
        small(mean_interarrival_ns=0),
        reclaim.Trace.from_records([(0, "flush", 0, 0)]),
        reclaim.Trace.from_records([(0, "write", 2**63, 1), (10**18, "write", 0, 1)]),
        reclaim.Trace.from_records([(0, "read", 7, 1)], name="</script><b>"),
    ],
)
def test_odd_traces_can_be_drawn_and_tabled(trace: reclaim.Trace) -> None:
    import vl_convert

    from reclaim.charts import vega_lite_version

    found = trace.characteristics()
    for spec in figures(found, trace.picture(found)).values():
        assert vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version()).startswith("<svg")
    text = render(document(trace, found))
    assert "</script><b>" not in text
    assert all(len(row) <= len(group.columns) for group in groups(found) for row in group.rows)


def test_ages_that_are_all_alike_have_a_decade_to_be_seen_in() -> None:
    """Of units of 4 KiB that all live for one more the axis begins at 1 KiB, and ends at ten times that."""
    one = {"count": 3, "max": 1, "percentiles": {"p1": 1}, "buckets": [(0, 1, 3)]}
    long = {"count": 3, "max": 8000, "percentiles": {"p1": 400}, "buckets": [(0, 8000, 3)]}
    ages = {
        "lifetime_units": one,
        "update_interval_units": one,
        "lifetime_ns": long,
        "update_interval_ns": long,
    }
    chart = lifetimes({"options": {"unit_bytes": 4096}, "lifetimes": ages}, {})
    assert chart is not None
    panels = chart.to_dict()["hconcat"]
    scales = [each["encoding"]["x"]["scale"]["domain"] for each in panels]
    assert scales == [[1024, 10240], [100, 8000]]


def test_panels_of_sizes_are_as_high_as_each_other() -> None:
    none = {"count": 0, "counts": []}
    of_sizes = {"read": none, "write": {"count": 3, "counts": [(4096, 2), (8192, 1)]}, "trim": none}
    chart = sizes({"sizes": of_sizes}, {})
    assert chart is not None
    assert [each["height"] for each in chart.to_dict()["hconcat"]] == [HEIGHT, HEIGHT]

"""Fitting a trace: the same on the command line, in a device file and from Python; and `trace info`."""

import functools
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import reclaim
from conftest import ran
from reclaim.cli.transforms import OPTIONS, steps_of
from reclaim.traces.plots import FIGURES, figures
from reclaim.traces.report import render_trace
from reclaim.traces.table import groups

TRACES = Path(__file__).parents[2] / "examples" / "traces"
VARMAIL = TRACES / "varmail.blkparse.txt.zst"

command = functools.partial(ran, Path.cwd())


def info(*arguments: str | Path) -> dict:
    done = command("trace", "info", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def small(**more: object) -> reclaim.Trace:
    settings = {
        "footprint_bytes": 1 << 22,
        "count": 500,
        "write_fraction": 0.7,
        "mean_interarrival_ns": 10_000,
    }
    return reclaim.uniform_trace(**(settings | more))


STEPS = [
    ("--from", "100ms"),
    ("--to", "1s"),
    ("--shift", "512"),
    ("--align", "16KiB"),
    ("--sample", "0.5"),
    ("--sample-unit", "4MiB"),
    ("--max-requests", "700"),
    ("--rotate", "0.25"),
    ("--repeat", "2"),
    ("--repeat-gap", "5ms"),
    ("--repeat-order", "shuffled"),
    ("--jitter", "20us"),
    ("--merge", f"{VARMAIL}@8GiB"),
]


def test_steps_are_the_same_on_the_command_line_in_a_file_and_from_python(tmp_path: Path) -> None:
    by_command = info(VARMAIL, *[part for step in STEPS for part in step])
    file = tmp_path / "fitted.toml"
    file.write_text(
        f"""base = "gc-bypass-mini"
[trace]
jitter = "20us"
repeat_gap = "5ms"
repeat_order = "shuffled"
repeat = 2
rotate = "25%"
max_requests = 700
sample_unit = "4MiB"
sample = "50%"
align = "16KiB"
shift = "512B"
to = "1s"
from = "100ms"
merge = [{{ file = {json.dumps(str(VARMAIL))}, shift = "8GiB" }}]
"""
    )
    by_file = info(VARMAIL, "--device", file)
    by_python = reclaim.open_trace(VARMAIL).transformed(
        from_="100ms",
        to="1s",
        shift="512B",
        align="16KiB",
        sample="50%",
        sample_unit="4MiB",
        max_requests=700,
        rotate="25%",
        repeat=2,
        repeat_gap="5ms",
        repeat_order="shuffled",
        jitter="20us",
        merge=f'[{{ file = {json.dumps(str(VARMAIL))}, shift = "8GiB" }}]',
    )
    assert by_command["requests"] == 1400
    assert by_command["content_hash"] == by_file["content_hash"] == by_python.summary()["content_hash"]
    assert by_command["transforms"] == by_file["transforms"] == by_python.transforms
    assert len(by_python.transforms) == 9
    assert by_command["max_end_bytes"] > 8 << 30


def test_a_run_on_the_command_line_fits_as_asked(tmp_path: Path) -> None:
    done = command(
        "run", VARMAIL, "--device", "gc-bypass-mini", "--warmup", "replay", "--remap", "compact",
        "--max-requests", "2000", "--target-utilisation", "0.4", "--json", "-o", tmp_path,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    results = json.loads(done.stdout)
    assert results["trace"]["requests"] == 2000
    assert results["remap"] == "compact"
    assert results["warmup"]["kind"] == "replay"
    assert results["transforms"][0] == "first 2000 requests"
    assert "die utilisation of 40%" in results["transforms"][1]
    assert results["config"]["trace"]["max_requests"] == 2000
    report = (tmp_path / "report.html").read_text()
    assert "first 2000 requests" in report
    # What was saved runs again to the same results.
    again = command("run", VARMAIL, "--device", tmp_path / "config.toml", "--json")
    assert json.loads(again.stdout) == results


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--sample", "2"], "expected a share"),
        (["--from", "10"], "the bare number 10 has no unit"),
        (["--align", "4QiB"], 'did you mean "4KiB"?'),
        (["--sample-unit", "4KiB"], "--sample"),
        (["--repeat-gap", "1s"], "--repeat"),
        (["--repeat-order", "shuffled"], "nothing is repeated; say how often with repeat (--repeat N)"),
        (["--repeat-order", "mixed", "--repeat", "2"], "'same', 'shuffled'"),
        (["--rotate", "1.5"], "--rotate 1.5: expected a share"),
        (["--rotate", "99999999"], "cannot begin after 99999999 requests"),
        (["--jitter", "5"], "the bare number 5 has no unit"),
        (["--separate"], "--merge"),
        (["--merge", "/nowhere.csv"], "no such file"),
        (["--from", "1h"], "no request arrives"),
        (["--warmup", "steady"], "--device"),
    ],
)
def test_a_bad_step_ends_with_a_hint(arguments: list[str], hint: str) -> None:
    done = command("trace", "info", VARMAIL, *arguments)
    assert done.returncode == 2
    assert hint in done.stderr
    assert not done.stdout


def test_what_is_not_given_is_no_step() -> None:
    assert steps_of(**dict.fromkeys(OPTIONS)) == {}


def test_info_prints_everything_and_what_the_trace_is_on_a_drive() -> None:
    done = command("trace", "info", VARMAIL, "--device", "gc-bypass-mini", "--warmup", "steady")
    assert done.returncode == 0, done.stderr
    for title in (
        "Requests",
        "Sizes and order",
        "Time",
        "Burstiness",
        "Space",
        "Lifetimes",
        "Skew",
        "On gc-b",
    ):
        assert f"\n{title}" in done.stdout
    assert "yes, from the beginning" in done.stdout
    fresh = info(VARMAIL, "--device", "gc-bypass-mini")["device"]
    assert fresh["facts"]["trace"]["gc_starts_after_requests"] is None
    many = info(VARMAIL, "--device", "gc-bypass-mini", "--repeat", "60")["device"]["facts"]
    starts = many["trace"]["gc_starts_after_requests"]
    pages = fresh["demand"]["pages_written"]
    assert starts == pytest.approx(many["gc_starts_after_pages"] / pages * 35_000, rel=0.01)


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())


def test_the_page_has_every_table_and_figure(tmp_path: Path) -> None:
    page = tmp_path / "trace.html"
    done = command("trace", "info", VARMAIL, "--html", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    cells = _Cells()
    cells.feed(text)
    trace = reclaim.open_trace(VARMAIL)
    found = trace.characteristics()
    for group in groups(found):
        assert group.title in cells.text
        for row in group.rows:
            assert all(cell in cells.text for cell in row if cell)
    for name, (_, title, _) in FIGURES.items():
        assert title in cells.text
        assert f'id="{name}"' in text
    assert set(figures(found, trace.picture(found))) == set(FIGURES)


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

    from reclaim.html import vega_lite_version

    found = trace.characteristics()
    for spec in figures(found, trace.picture(found)).values():
        assert vl_convert.vegalite_to_svg(spec, vl_version=vega_lite_version()).startswith("<svg")
    text = render_trace(trace, found)
    assert "</script><b>" not in text
    assert all(len(row) <= len(group.columns) + 1 for group in groups(found) for row in group.rows)

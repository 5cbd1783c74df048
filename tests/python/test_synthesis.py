"""Stand-ins: shipped ones meet their tables, others their trace; results say what they are."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command, parsed, refusal
from reclaim.result.table import stand_in_of
from reclaim.trace.synthesis import chosen, compare, counts, from_trace, sizes, synthesize
from reclaim.trace.synthesis.metrics import METRICS
from reclaim.trace.synthesis.published import from_table
from reclaim.trace.synthesis.targets import Targets

REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "python" / "reclaim" / "data" / "stand-ins"
TABLES = REPOSITORY / "python" / "reclaim" / "data" / "published-figures"
NAMES = sorted(path.relative_to(SHIPPED).with_suffix("").as_posix() for path in SHIPPED.rglob("*.toml"))
FAST = [
    *("alibaba-like/ali3", "app-like/cassandra", "app-like/mysql", "app-like/varmail"),
    *("msr-like/hm_1", "msr-like/usr_0"),
]


@pytest.mark.parametrize("name", FAST)
def test_a_shipped_stand_in_meets_its_table(name: str) -> None:
    rows = compare(reclaim.open_trace(name))
    table = from_table(TABLES / f"{name}.toml")
    assert {row.path: row.target for row in rows} == table.figures
    assert all(row.met for row in rows), [row.to_dict() for row in rows if not row.met]


def test_every_shipped_stand_in_says_what_it_is() -> None:
    # 8 + 5 + 3 volumes, 5 + 3 devices, 7 applications.
    groups = {"msr-like": 16, "alibaba-like": 8, "app-like": 7}
    assert Counter(name.split("/")[0] for name in NAMES) == groups
    for name in NAMES:
        text = (SHIPPED / f"{name}.toml").read_text()
        stand_in = tomllib.loads(text)["stand_in"]
        assert all(stand_in[key] for key in ("of", "source", "date", "terms", "chosen", "targets")), name
        assert len(text) < 10_000, name
        trace = reclaim.open_trace(name)
        assert trace.name == name
        assert trace.provenance.startswith("synthetic stand-in")
        assert "MSR" not in trace.provenance
        assert (TABLES / f"{name}.toml").is_file()


EXACT = """
    requests.write_ratio requests.trim_share sizes.write.mean_bytes sizes.write.percentiles_bytes.p90
    space.footprint_bytes space.write_footprint_bytes overwrites.overwrite_ratio skew.hottest_10_percent_share
    lifetimes.update_interval_units.mean lifetimes.update_interval_units.percentiles.p50
    sequentiality.write.in_stream_share arrivals.burstiness.0.index_of_dispersion
    arrivals.burstiness.0.peak_to_mean
"""


@pytest.mark.slow
def test_a_fit_to_a_recording_meets_every_figure_as_the_document_says(
    command: Command, tmp_path: Path
) -> None:
    source = REPOSITORY / "examples" / "traces" / "sqlite.blkparse.txt.zst"
    report = parsed(command("trace", "synthesize", source, "made.toml", "--json"))
    assert report["provenance"].startswith("synthetic stand-in")
    found = {row["path"]: row for row in report["rows"]}
    far = {path: found[path]["value"] / found[path]["target"] - 1 for path in EXACT.split()}
    assert {path: share for path, share in far.items() if abs(share) > 0.05} == {}
    assert all(row["met"] for row in report["rows"])
    rows = compare(reclaim.open_trace(tmp_path / "made.toml"))
    assert {row.path: row.value for row in rows} == {path: row["value"] for path, row in found.items()}
    assert (tmp_path / "made.toml").stat().st_size < 20_000
    text = (REPOSITORY / "docs" / "traces.md").read_text()
    assert f"| `sqlite-like` | {len(rows)} | 0 |" in text


def table(figures: str, name: str = "odd") -> str:
    """A table of published figures."""
    return f'published = 1\nname = "{name}"\nof = "a trace"\nsource = "a table"\n[figures]\n{figures}\n'


def test_what_cannot_be_met_is_marked(command: Command, tmp_path: Path) -> None:
    contradicts = (
        "requests.total = 2000\nrequests.write_ratio = 1.0\nsizes.write.mean_bytes = 4096\n"
        "overwrites.overwrite_ratio = 0.5\nspace.write_footprint_bytes = 400000000"
    )
    (tmp_path / "odd.toml").write_text(table(contradicts))
    done = command("trace", "synthesize", "odd.toml", "out.toml")
    assert done.returncode == 0, done.stderr
    assert "1 beyond 5 %" in done.stdout
    assert "chosen: skew of writes" in done.stdout


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (table(""), "requests.write_ratio"),
        (table("requests.write_ratioo = 1"), 'did you mean "requests.write_ratio"'),
        (table("requests.write_ratio = -1"), "requests.write_ratio"),
    ],
)
def test_a_bad_table_is_refused(command: Command, tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    said = refusal(command("trace", "synthesize", "bad.toml", "out.toml"))
    assert named in said.replace("bad.toml", "")


@pytest.mark.slow
def test_a_trace_is_changed_before_it_is_measured(command: Command) -> None:
    words = "bundled/mysql a.toml --align 16KiB --max-requests 900 --json"
    report = parsed(command("trace", "synthesize", *words.split()))
    rows = {row["path"]: row["target"] for row in report["rows"]}
    assert len(rows) > 15
    assert sum(not row["met"] for row in report["rows"]) <= 1
    assert rows["requests.total"] == 900
    assert rows["sizes.write.percentiles_bytes.p50"] == 16384
    assert "--align" in refusal(command("trace", "synthesize", "a.toml", "--align", "4KiB"))


def fitted(trace: reclaim.Trace) -> Targets:
    return from_trace(trace, name="x-like", of="x", terms="", date="")


@pytest.mark.parametrize(("windows", "chosen_window"), [(30, 1), (29, 0)])
def test_bursts_are_seen_through_30_windows_of_a_second(
    tmp_path: Path, windows: int, chosen_window: int
) -> None:
    """Windows of 100 ms take their place where the trace is shorter."""
    rows = "".join(f"{200_000 * each},write,{4096 * each},4096\n" for each in range(5 * windows + 1))
    (tmp_path / "even.csv").write_text(f"time_us,op,offset_bytes,size_bytes\n{rows}")
    assert fitted(reclaim.open_trace(tmp_path / "even.csv")).window == chosen_window


def test_traces_without_writes_or_with_too_few_requests_are_refused() -> None:
    reads = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, write_fraction=0.0)
    with pytest.raises(reclaim.InputError, match="no writes"):
        fitted(reads)
    for count in (99, 100, 101):
        trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=count, mean_interarrival_ns=1000)
        if count < 100:
            with pytest.raises(reclaim.InputError, match=r"99 .* 100"):
                fitted(trace)
        else:
            found = synthesize(fitted(trace))
            assert found.trace.summary()["requests"] == count
            assert len(found.rows) > 10


@pytest.mark.parametrize(
    ("reads", "writes", "trims", "compared", "not_compared"),
    [
        (1000, 50, 0, "space.footprint_bytes requests.write_ratio", "skew overwrites sizes.write"),
        (20, 30, 60, "requests.total arrivals.requests_per_s", "space skew requests.w requests.trim"),
        (
            *(0, 1000, 0),
            "skew.hottest_1_percent_share lifetimes.update_interval_units.mean",
            "sizes.read",
        ),
    ],
)
def test_figures_of_few_requests_are_not_compared(
    reads: int, writes: int, trims: int, compared: str, not_compared: str
) -> None:
    ops = ["read"] * reads + ["write"] * writes + ["trim"] * trims
    ops = [ops[at] for at in sorted(range(len(ops)), key=lambda at: at * 7919 % 10_007)]
    trace = reclaim.Trace.from_records(
        [(at * 1_000_000, op, (at * at * 31 + at * 7) % 257 * 4096, 4096) for at, op in enumerate(ops)]
    )
    targets = fitted(trace)
    assert set(compared.split()) <= targets.figures.keys()
    assert not [path for path in targets.figures if path.startswith(tuple(not_compared.split()))]
    found = synthesize(targets)
    # What is not compared is still taken from the trace and not chosen.
    assert not [note for note in found.chosen if "not published" in note]
    made = found.trace.characteristics()
    assert made["requests"]["trims"] == trims
    assert made["requests"]["write_ratio"] == pytest.approx(writes / (reads + writes), abs=0.01)
    if not trims:
        measured = trace.characteristics()["overwrites"]["overwrite_ratio"]
        assert made["overwrites"]["overwrite_ratio"] == pytest.approx(measured, abs=0.15)


def test_a_run_and_its_report_say_synthetic_stand_in(command: Command, tmp_path: Path) -> None:
    text = (TABLES / "app-like" / "sqlite.toml").read_text()
    (tmp_path / "small.toml").write_text(text.replace("requests.total = 500000", "requests.total = 3000"))
    assert command("trace", "synthesize", "small.toml", "made.toml").returncode == 0
    words = ("--device", DEVICE, "--warmup", "empty", "--remap", "compact", "-o", "out")
    done = command("run", "made.toml", *words)
    assert done.returncode in {0, 1}, done.stderr
    assert "synthetic stand-in" in done.stdout
    assert "synthetic stand-in" in (tmp_path / "out" / "report.html").read_text()
    assert stand_in_of(reclaim.Result.load(tmp_path / "out").to_dict()["trace"])
    assert not stand_in_of({"provenance": "trace file"})
    assert not stand_in_of({})


def test_zones_found_in_counts_give_back_the_counts() -> None:
    zones = counts.mixture([(1, 1, 5000), (2, 2, 1500), (3, 3, 400), (40, 40, 100)])
    assert sum(zone.touched for zone in zones) == pytest.approx(7000, rel=0.01)
    assert sum(zone.written for zone in zones) == pytest.approx(5000 + 3000 + 1200 + 4000, rel=0.02)


def test_places_swept_a_few_times_become_one_region_swept_round_and_round() -> None:
    zones = counts.mixture([(1, 1, 3000), (2, 2, 1000), (11, 11, 500), (12, 12, 500)], 16)
    assert sorted(zone.passes for zone in zones if zone.passes) == [1, 2, 11]
    swept = next(zone for zone in zones if zone.passes == 11)
    assert swept.written / swept.touched == pytest.approx(11.5, rel=0.01)
    (joined,) = [zone for zone in counts.circular(zones) if 0 < zone.passes < 11]
    assert (joined.touched, joined.written) == pytest.approx((4000, 5000), rel=0.01)


@pytest.mark.parametrize("overwritten", [0.01, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("log", [True, False])
def test_chosen_zones_have_what_is_touched_and_written(overwritten: float, log: bool) -> None:
    assert [zone.passes for zone in chosen.zones(1000, 1000)] == [1], "never overwritten"
    found = chosen.zones(1000 * (1 - overwritten), 1000, log=log)
    sums = [sum(zone.touched for zone in found), sum(zone.written for zone in found)]
    assert sums == pytest.approx([1000 * (1 - overwritten), 1000], rel=1e-6)
    assert [zone.lanes for zone in found if zone.passes] == ([1] if log else [])
    drawn = [zone for zone in found if not zone.passes]
    assert len(drawn) == chosen.ZONES
    heats = [zone.written / zone.places for zone in drawn]
    assert heats == sorted(heats, reverse=True)
    # Quantiles of the log-normal law half a zone from either end: 2 * 1.5 * 2.154 apart.
    assert math.log(heats[0] / heats[-1]) == pytest.approx(2 * 1.5 * 2.1539, rel=1e-3)


@pytest.mark.parametrize(
    ("streams", "patterns"), [("", 2), ("sequentiality.write.next_to_previous_share = 0.2", 1)]
)
def test_a_stand_in_of_published_figures_writes_in_runs(tmp_path: Path, streams: str, patterns: int) -> None:
    figures = (
        "requests.total = 20000\nrequests.write_ratio = 1.0\nsizes.write.mean_bytes = 4096\n"
        f"overwrites.overwrite_ratio = 0.8\n{streams}"
    )
    (tmp_path / "few.toml").write_text(table(figures, "few"))
    found = synthesize(from_table(tmp_path / "few.toml"))
    assert all(row.met for row in found.rows)
    address = tomllib.loads(found.trace.description or "")["write"]["address"]
    parts = [part["address"] for part in address["parts"]] if "parts" in address else [address]
    assert len(parts) == patterns
    assert (parts[0]["kind"], parts[0]["run"]) == ("hot-cold", chosen.RUN)
    assert all((part["kind"], part["lanes"]) == ("sweep", 1) for part in parts[1:])
    assert any(chosen.skew(log=patterns == 2) == note for note in found.chosen)


def test_chosen_sizes_and_divided_sizes_meet_their_means() -> None:
    for target in (4096, 4813, 11_469, 81_613):
        assert sizes.mean(sizes.chosen(target)) == pytest.approx(target, rel=1e-4)
    random, streaming = sizes.divided([(4096, 70.0), (65536, 30.0)], 0.2, 50_000)
    assert sizes.mean(streaming) == pytest.approx(50_000, rel=1e-3)
    weights = [sum(weight for _, weight in part) for part in (streaming, random)]
    assert weights == pytest.approx([20, 80], rel=1e-3)


def test_every_metric_is_in_the_characteristics() -> None:
    found = fitted(reclaim.open_trace(REPOSITORY / "examples" / "traces" / "varmail.blkparse.txt.zst"))
    assert set(found.figures) <= set(METRICS)
    assert len(found.figures) > 20

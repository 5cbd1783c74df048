"""Stand-ins: shipped ones meet their tables, others their trace; results say what they are."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.results.table import stand_in_of
from reclaim.traces.synthesis import (
    chosen,
    compare,
    counts,
    from_table,
    from_trace,
    sizes,
    synthesize,
)
from reclaim.traces.synthesis.metrics import METRICS

REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "python" / "reclaim" / "data" / "stand-ins"
TABLES = REPOSITORY / "python" / "reclaim" / "data" / "published-figures"
NAMES = sorted(path.relative_to(SHIPPED).with_suffix("").as_posix() for path in SHIPPED.rglob("*.toml"))
FAST = [
    "alibaba-like/ali3",
    "app-like/cassandra",
    "app-like/mysql",
    "app-like/varmail",
    "msr-like/hm_1",
    "msr-like/usr_0",
]


@pytest.mark.parametrize("name", FAST)
def test_a_shipped_stand_in_meets_its_table(name: str) -> None:
    rows = compare(reclaim.open_trace(name))
    table = from_table(TABLES / f"{name}.toml")
    assert {row.path: row.target for row in rows} == table.figures
    assert all(row.met for row in rows), [row.to_dict() for row in rows if not row.met]


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_stand_in_says_what_it_is(name: str) -> None:
    text = (SHIPPED / f"{name}.toml").read_text()
    stand_in = tomllib.loads(text)["stand_in"]
    assert all(stand_in[key] for key in ("of", "source", "date", "terms", "chosen", "targets"))
    assert len(text) < 10_000
    trace = reclaim.open_trace(name)
    assert trace.name == name
    assert trace.provenance.startswith("synthetic stand-in")
    assert "MSR" not in trace.provenance
    assert (TABLES / f"{name}.toml").is_file()


def test_there_is_one_for_every_trace_of_the_papers() -> None:
    groups = {
        head: sum(name.startswith(head + "/") for name in NAMES)
        for head in ("msr-like", "alibaba-like", "app-like")
    }
    # 8 + 5 + 3 volumes, 5 + 3 devices, 7 applications.
    assert groups == {"msr-like": 16, "alibaba-like": 8, "app-like": 7}


def test_a_fit_to_a_recording_meets_every_figure_as_the_document_says(
    command: Command, tmp_path: Path
) -> None:
    source = REPOSITORY / "examples" / "traces" / "sqlite.blkparse.txt.zst"
    done = command("trace", "synthesize", source, "made.toml", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["provenance"].startswith("synthetic stand-in")
    found = {row["path"]: row for row in report["rows"]}
    for path in (
        "requests.write_ratio",
        "requests.trim_share",
        "sizes.write.mean_bytes",
        "sizes.write.percentiles_bytes.p90",
        "space.footprint_bytes",
        "space.write_footprint_bytes",
        "overwrites.overwrite_ratio",
        "skew.hottest_10_percent_share",
        "lifetimes.update_interval_units.mean",
        "lifetimes.update_interval_units.percentiles.p50",
        "sequentiality.write.in_stream_share",
        "arrivals.burstiness.0.index_of_dispersion",
        "arrivals.burstiness.0.peak_to_mean",
    ):
        assert abs(found[path]["value"] / found[path]["target"] - 1) <= 0.05, found[path]
    assert all(row["met"] for row in report["rows"])
    made = reclaim.open_trace(tmp_path / "made.toml")
    rows = compare(made)
    assert {row.path: row.value for row in rows} == {path: row["value"] for path, row in found.items()}
    assert (tmp_path / "made.toml").stat().st_size < 20_000
    text = (REPOSITORY / "docs" / "stand-ins.md").read_text()
    assert f"| `sqlite-like` | {len(rows)} | 0 |" in text


def test_what_cannot_be_met_is_marked(command: Command, tmp_path: Path) -> None:
    (tmp_path / "odd.toml").write_text(
        'published = 1\nname = "odd"\nof = "nothing"\nsource = "a table that contradicts itself"\n'
        "[figures]\nrequests.total = 2000\nrequests.write_ratio = 1.0\nsizes.write.mean_bytes = 4096\n"
        "overwrites.overwrite_ratio = 0.5\nspace.write_footprint_bytes = 400000000\n"
    )
    done = command("trace", "synthesize", "odd.toml", "out.toml")
    assert done.returncode == 0, done.stderr
    assert "beyond 5 %" in done.stdout
    assert "1 beyond 5 %" in done.stdout
    assert "chosen: skew of writes: not published" in done.stdout


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("published = 1\n", "name is missing"),
        ("published = 1\nname='a'\nof='a'\nsource='a'\n[figures]\n", "requests.write_ratio is missing"),
        (
            "published = 1\nname='a'\nof='a'\nsource='a'\n[figures]\nrequests.write_ratioo = 1\n",
            'did you mean "requests.write_ratio"',
        ),
        ("published = 1\nname='a'\nof='a'\nsource='a'\n[figures]\nrequests.write_ratio = -1\n", "from 0 up"),
        ("published = 1\nnam='a'\n", "unknown key nam"),
    ],
)
def test_a_bad_table_is_refused(command: Command, tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    done = command("trace", "synthesize", "bad.toml", "out.toml")
    assert done.returncode == 2
    assert part in done.stderr, done.stderr


def test_a_fit_is_written_to_a_description_only(command: Command, trace_file: Path) -> None:
    assert "ends in .toml" in command("trace", "synthesize", trace_file, "out.csv").stderr
    assert "is no stand-in" in command("trace", "synthesize", trace_file).stderr


def test_a_trace_is_changed_before_it_is_measured(command: Command) -> None:
    done = command(
        "trace",
        "synthesize",
        "bundled/mysql",
        "a.toml",
        "--align",
        "16KiB",
        "--max-requests",
        "900",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    rows = {row["path"]: row["target"] for row in json.loads(done.stdout)["rows"]}
    assert rows["requests.total"] == 900
    assert rows["sizes.write.percentiles_bytes.p50"] == 16384
    assert "none to measure" in command("trace", "synthesize", "a.toml", "--align", "4KiB").stderr


def test_a_trace_without_writes_is_refused() -> None:
    reads = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, write_fraction=0.0)
    with pytest.raises(reclaim.InputError, match="no writes"):
        from_trace(reads, name="x", of="x", terms="", date="")


def test_even_a_small_trace_is_fitted() -> None:
    for count in (100, 101):
        trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=count, mean_interarrival_ns=1000)
        found = synthesize(from_trace(trace, name="tiny-like", of="tiny", terms="", date=""))
        assert found.trace.summary()["requests"] == count
        assert len(found.rows) > 10


def test_a_trace_that_is_too_small_is_refused(command: Command, tmp_path: Path) -> None:
    lines = ["time_us,op,offset_bytes,size_bytes", *(f"{at},write,{at * 4096},4096" for at in range(99))]
    (tmp_path / "small.csv").write_text("\n".join(lines) + "\n")
    done = command("trace", "synthesize", "small.csv", "s.toml")
    assert done.returncode == 2, done.stdout
    assert "small.csv: has 99 requests; a stand-in needs at least 100" in done.stderr
    assert not (tmp_path / "s.toml").exists()


@pytest.mark.parametrize(
    ("reads", "writes", "trims", "compared", "not_compared"),
    [
        (
            1000,
            50,
            0,
            {"space.footprint_bytes", "requests.write_ratio"},
            {"skew", "overwrites", "sizes.write"},
        ),
        (
            20,
            30,
            60,
            {"requests.total", "arrivals.requests_per_s"},
            {"space", "skew", "requests.w", "requests.trim"},
        ),
        (
            0,
            1000,
            0,
            {"skew.hottest_1_percent_share", "lifetimes.update_interval_units.mean"},
            {"sizes.read"},
        ),
    ],
)
def test_figures_of_few_requests_are_not_compared(
    reads: int, writes: int, trims: int, compared: set[str], not_compared: set[str]
) -> None:
    ops = ["read"] * reads + ["write"] * writes + ["trim"] * trims
    ops = [ops[at] for at in sorted(range(len(ops)), key=lambda at: at * 7919 % 10_007)]
    trace = reclaim.Trace.from_records(
        [(at * 1_000_000, op, (at * at * 31 + at * 7) % 257 * 4096, 4096) for at, op in enumerate(ops)]
    )
    targets = from_trace(trace, name="x", of="x", terms="", date="")
    assert compared <= targets.figures.keys()
    assert not [path for path in targets.figures if path.startswith(tuple(not_compared))]
    found = synthesize(targets)
    # What is not compared is still taken from the trace and not chosen.
    assert not [note for note in found.chosen if "not published" in note]
    made = found.trace.characteristics()
    assert made["requests"]["trims"] == trims
    expected = writes / (reads + writes)
    assert made["requests"]["write_ratio"] == pytest.approx(expected, abs=0.01)
    if not trims:
        measured = trace.characteristics()["overwrites"]["overwrite_ratio"]
        assert made["overwrites"]["overwrite_ratio"] == pytest.approx(measured, abs=0.15)


def test_a_run_and_its_report_say_synthetic_stand_in(command: Command, tmp_path: Path) -> None:
    table = TABLES / "app-like" / "sqlite.toml"
    (tmp_path / "small.toml").write_text(
        table.read_text().replace("requests.total = 500000", "requests.total = 3000")
    )
    assert command("trace", "synthesize", "small.toml", "made.toml").returncode == 0
    done = command(
        "run", "made.toml", "--device", DEVICE, "--warmup", "empty", "--remap", "compact", "-o", "out"
    )
    assert done.returncode in {0, 1}, done.stderr
    assert "trace synthetic stand-in, not a recording" in done.stdout
    report = (tmp_path / "out" / "report.html").read_text()
    assert "The trace is a synthetic stand-in" in report
    result = reclaim.Result.load(tmp_path / "out").to_dict()
    assert stand_in_of(result["trace"])
    assert not stand_in_of({"provenance": "trace file"})
    assert not stand_in_of({})


def test_zones_found_in_counts_give_back_the_counts() -> None:
    histogram = [(1, 1, 5000), (2, 2, 1500), (3, 3, 400), (40, 40, 100)]
    zones = counts.mixture(histogram)
    assert sum(zone.touched for zone in zones) == pytest.approx(7000, rel=0.01)
    assert sum(zone.written for zone in zones) == pytest.approx(5000 + 3000 + 1200 + 4000, rel=0.02)


def test_places_swept_a_few_times_become_one_region_swept_round_and_round() -> None:
    zones = counts.mixture([(1, 1, 3000), (2, 2, 1000), (11, 11, 500), (12, 12, 500)], 16)
    assert sorted(zone.passes for zone in zones if zone.passes) == [1, 2, 11]
    swept = next(zone for zone in zones if zone.passes == 11)
    assert swept.written / swept.touched == pytest.approx(11.5, rel=0.01)
    joined = [zone for zone in counts.circular(zones) if 0 < zone.passes < 11]
    assert len(joined) == 1
    assert joined[0].touched == pytest.approx(4000, rel=0.01)
    assert joined[0].written == pytest.approx(5000, rel=0.01)


@pytest.mark.parametrize("overwritten", [0.01, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("log", [True, False])
def test_chosen_zones_have_what_is_touched_and_written(overwritten: float, log: bool) -> None:
    found = chosen.zones(1000 * (1 - overwritten), 1000, log=log)
    assert sum(zone.touched for zone in found) == pytest.approx(1000 * (1 - overwritten), rel=1e-6)
    assert sum(zone.written for zone in found) == pytest.approx(1000, rel=1e-6)
    assert [zone.lanes for zone in found if zone.passes] == ([1] if log else [])
    drawn = [zone for zone in found if not zone.passes]
    assert len(drawn) == chosen.ZONES
    heats = [zone.written / zone.places for zone in drawn]
    assert heats == sorted(heats, reverse=True)
    # Quantiles of the log-normal law half a zone from either end: 2 * 1.5 * 2.154 apart.
    assert math.log(heats[0] / heats[-1]) == pytest.approx(2 * 1.5 * 2.1539, rel=1e-3)


def test_what_is_never_overwritten_is_swept_once() -> None:
    assert [zone.passes for zone in chosen.zones(1000, 1000)] == [1]


@pytest.mark.parametrize(("streams", "patterns"), [("", 2), ("next_to_previous_share = 0.2", 1)])
def test_a_stand_in_of_published_figures_writes_in_runs(tmp_path: Path, streams: str, patterns: int) -> None:
    (tmp_path / "few.toml").write_text(
        'published = 1\nname = "few"\nof = "a trace"\nsource = "a table"\n[figures]\nrequests.total = 20000\n'
        "requests.write_ratio = 1.0\nsizes.write.mean_bytes = 4096\noverwrites.overwrite_ratio = 0.8\n"
        + (f"sequentiality.write.{streams}\n" if streams else "")
    )
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
    assert sum(weight for _, weight in streaming) == pytest.approx(20, rel=1e-3)
    assert sum(weight for _, weight in random) == pytest.approx(80, rel=1e-3)


def test_every_metric_is_in_the_characteristics() -> None:
    trace = reclaim.open_trace(REPOSITORY / "examples" / "traces" / "varmail.blkparse.txt.zst")
    found = from_trace(trace, name="x", of="x", terms="", date="")
    assert set(found.figures) <= set(METRICS)
    assert len(found.figures) > 20

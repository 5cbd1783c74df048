"""`reclaim device measure`: closed forms on small drives, SNIA's rule, the same bytes however it is run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.study.measuring import endurance
from reclaim.study.measuring.endurance import implied
from reclaim.study.measuring.figures import excursions, percentile, window_of
from reclaim.study.measuring.health_log import HealthLog
from reclaim.study.measuring.matrix import JobLoad, Room, matrix, requests_of
from reclaim.study.measuring.plan import MeasurePlan
from reclaim.study.measuring.report import log_rows
from reclaim.study.measuring.sheet import Sheet
from reclaim.units import written
from study.small import contents

ROOT = Path(__file__).parents[3]
DRIVE = """base = "gc-bypass-mini"
name = "tiny"
[geometry]
channels = 2
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 40
pages_per_block = 32
page_size = "4KiB"
spare_factor = "20%"
[flash]
t_read = "50us"
t_program = "400us"
t_erase = "1ms"
[gc.trigger]
start = "2 blocks"
hard = "1 block"
[ftl.allocation]
kind = "dynamic"
"""
DIES, PAGE = 4, 4096
SOURCE = '[[source]]\nkey = "made"\ntitle = "made up"\ndate = "2026"\nurl = "none"\n'
LINE = """[[line]]
pattern = "random"
operation = "{}"
block = "4KiB"
queue_depth = {}
state = "steady"
metric = "{}"
value = {}
source = "made"
use = "{}"
"""
SHEET = f"""name = "Tiny 16 MiB"
{SOURCE}[[fact]]
what = "dies"
value = "4"
source = "made"
{LINE.format("write", 32, "iops", 3000, "held-out")}{LINE.format("read", 1, "us", 50, "fitted")}
why = "the time to read the array"
"""


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("drive") / "tiny.toml"
    file.write_text(DRIVE)
    file.with_name("sheet.toml").write_text(SHEET)
    return file


@pytest.fixture(scope="module")
def done(drive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small matrix and the sheet, measured once."""
    folder = tmp_path_factory.mktemp("done")
    sheet = drive.with_name("sheet.toml")
    reclaim.measure(drive, folder, matrix="small", sheet=sheet, workers=1, report=True)
    return folder


def result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "measure/result.json").read_text()))


def loads(folder: Path) -> dict[str, dict[str, Any]]:
    return {each["load"]: each for each in result(folder)["loads"]}


def test_one_read_alone_takes_what_its_parts_take(drive: Path, done: Path) -> None:
    """tR, the command and the data, and nothing else: there is nobody to wait for."""
    facts, channel = Device.load(drive).facts(), Device.load(drive).config["channel"]
    transfers = PAGE * 8 // channel["width_bits"]
    nanoseconds = 50_000 + transfers * 1e9 / (float(channel["rate"].split()[0]) * 1e6)
    found = loads(done)
    for name in ("fresh-random-read-4KiB-qd1", "steady-random-read-4KiB-qd1"):
        assert found[name]["mean_ns"] == found[name]["p99_ns"] == facts["unloaded_read_ns"]
        assert found[name]["iops"] == pytest.approx(1e9 / facts["unloaded_read_ns"], rel=1e-3)
    assert facts["unloaded_read_ns"] == pytest.approx(nanoseconds, abs=200)


def test_sequential_writes_are_bounded_by_programs(done: Path) -> None:
    """Dies that program without a pause: what is reached lies below, and not far below."""
    bound = DIES / 400e-6
    fresh = loads(done)["fresh-sequential-write-4KiB-qd32"]
    assert 0.9 * bound < fresh["iops"] < bound
    assert fresh["write_amplification"] == 1
    assert fresh["mb_per_s"] == pytest.approx(fresh["iops"] * PAGE / 1e6)


def test_steady_random_writes_cost_more_than_fresh_ones(done: Path) -> None:
    found = loads(done)
    fresh, steady = (found[f"{state}-random-write-4KiB-qd32"] for state in ("fresh", "steady"))
    assert fresh["write_amplification"] == 1
    assert fresh["steady"] is None
    assert steady["write_amplification"] > 1.5
    # What the dies do is the same: more of it is for collection.
    assert steady["iops"] * steady["write_amplification"] < fresh["iops"]


def test_the_sheet_beside_what_was_measured(done: Path) -> None:
    found = loads(done)
    held_out, fitted = result(done)["sheet"]
    steady = found["steady-random-write-4KiB-qd32"]["iops"]
    assert held_out["measured"] == steady
    assert held_out["error"] == pytest.approx(steady / 3000 - 1)
    fresh = found["fresh-random-write-4KiB-qd32"]["iops"]
    assert held_out["naive"] < fresh / 1.5
    assert fitted["naive"] is None
    page = (done / "measure/report.html").read_text()
    assert "Tiny 16 MiB" in page
    for figure in ("steady", "errors"):
        assert f'<div class="figure" id="{figure}"></div>' in page
        assert (done / f"measure/{figure}.png").read_bytes().startswith(b"\x89PNG")
    assert fitted["measured"] == pytest.approx(found["steady-random-read-4KiB-qd1"]["mean_ns"] / 1e3)


def test_the_same_bytes_with_more_workers_and_after_a_stop(drive: Path, done: Path, tmp_path: Path) -> None:
    """Half of the points are there already, as after a stop."""
    folder = Path(shutil.copytree(done, tmp_path / "two"))
    for each in sorted((folder / "points").iterdir())[::2]:
        shutil.rmtree(each)
    sheet = drive.with_name("sheet.toml")
    reclaim.measure(drive, folder, matrix="small", sheet=sheet, workers=2)
    assert contents(folder / "points") == contents(done / "points")
    assert result(folder) == result(done)


def test_a_drive_alone_from_the_command(done: Path, tmp_path: Path, command: Command) -> None:
    """What it says of its trace changes nothing."""
    (tmp_path / "other.toml").write_text(DRIVE + '[trace]\nrepeat = 5\n[measure]\nafter = "50%"\n')
    ran = command("device", "measure", "other.toml", "-o", "out", "--matrix", "small", "--no-report")
    assert ran.returncode == 0, ran.stderr
    assert all(each in ran.stdout for each in ("16 loads", "random write, 4 KiB, QD 32"))
    assert not (tmp_path / "out/measure/report.html").exists()
    ours, theirs = (loads(each)["fresh-random-write-4KiB-qd32"] for each in (tmp_path / "out", done))
    assert ours["iops"] == pytest.approx(theirs["iops"])


TEXT = """Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
percentage_used : 3%
Data Units Read : 99 (0.05 GB)
Data Units Written : 12,345,678 (6.32 TB)
"""
OCP = (
    "  Physical media units written -    \t        {} 9481480704000\n  Physical media units read -  \t 0 7\n"
)
LOGS = [
    (TEXT, "NVMe SMART / Health Information (02h)", 12_345_678 * 512_000, None),
    (
        "Data Units Written:   1\u202f234 [632 MB]\n",
        "NVMe SMART / Health Information (02h)",
        631_808_000,
        None,
    ),
    ('{"health": {"data_units_written": 2}}', "NVMe SMART / Health Information (02h)", 1_024_000, None),
    (
        '{"data_units_written": "3", "media_units_written": 5}',
        "NVMe Endurance Group Information (09h)",
        3_000_000_000,
        5_000_000_000,
    ),
    (OCP.format(0), "OCP SMART / Health Information Extended (C0h)", None, 9_481_480_704_000),
    (OCP.format(1), "OCP SMART / Health Information Extended (C0h)", None, 2**64 + 9_481_480_704_000),
    (
        '{"Physical media units written": {"hi": 1, "lo": 5}}',
        "OCP SMART / Health Information Extended (C0h)",
        None,
        2**64 + 5,
    ),
]


@pytest.mark.parametrize(("text", "page", "host", "media"), LOGS)
def test_a_log_page_is_known_by_its_counters(
    text: str, page: str, host: int | None, media: int | None, tmp_path: Path
) -> None:
    """Data Units Written has another unit in each page that has it."""
    (tmp_path / "log").write_text(text)
    log = HealthLog.load(tmp_path / "log")
    assert (log.page, log.bytes_of("host"), log.bytes_of("media")) == (page, host, media)


def test_what_is_no_log_page_is_refused_with_those_that_are(tmp_path: Path, command: Command) -> None:
    (tmp_path / "ata.txt").write_text("241 Total_LBAs_Written 0x0032 099 Old_age Always - 5555\n")
    ran = command("device", "measure", "small", "-o", "out", "--smart", "ata.txt")
    assert ran.returncode == 2
    assert all(
        each in ran.stderr for each in ("ata.txt: has no counter", "(02h)", "(09h)", "(C0h)", "smart-log")
    )
    ran = command("device", "measure", "small", "-o", "out", "--smart", "no.txt")
    assert (ran.returncode, "no.txt" in ran.stderr) == (2, True)


def test_log_pages_beside_all_that_was_written(drive: Path, done: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(done, tmp_path / "out"))
    for name, text in (("smart", TEXT), ("ocp", OCP.format(0))):
        (tmp_path / name).write_text(text)
    files = [tmp_path / "smart", tmp_path / "ocp"]
    found = reclaim.measure(drive, folder, matrix="small", sheet=drive.with_name("sheet.toml"), smart=files)
    results = [json.loads(each.read_text()) for each in folder.glob("points/*/results.json")]
    stored = [each["health"] for each in results]
    media = sum(each["physical_media_units_written"] for each in stored)
    host = sum(each["written"]["host_bytes"] for each in results)
    rows = {row[0].split(",")[0]: row[2:] for row in log_rows(found)}
    assert rows["Physical Media Units Written"] == (
        "9\u202f481\u202f480\u202f704\u202f000",
        written(media, "count"),
    )
    units = rows["Data Units Written"]
    assert units[0] == "12\u202f345\u202f678"
    # Each run rounds up by itself.
    most = sum(each["data_units_written"] for each in stored)
    assert most - len(stored) < int(units[1].replace("\u202f", "")) <= most
    assert rows["write amplification (bytes)"] == ("1.500", written(media / host, "ratio"))
    assert [each["page"] for each in result(folder)["logs"]] == [LOGS[0][1], LOGS[4][1]]
    assert "logs" not in result(done)


RATED = """[[fact]]
what = "flash"
value = "4 dies of 512 Gbit"
source = "made"
[[endurance]]
pattern = "sequential"
tbw = 100
source = "made"
[[endurance]]
pattern = "random"
tbw = 40
source = "made"
"""


def test_rated_endurance_implies_erases(tmp_path: Path) -> None:
    """By hand: 4 × 64 GiB of flash; 100 TB are 363.8 times that, and 40 TB amplified 2.5 times as much."""
    (tmp_path / "sheet.toml").write_text(SHEET + RATED)
    sheet = Sheet.load(tmp_path / "sheet.toml")
    facts = {"heavy_load": {"write_amplification": 2.5}}
    sequential, random = implied(sheet, facts)
    assert sheet.flash_bytes == 256 * 2**30
    assert (sequential.amplification, random.amplification) == (1, 2.5)
    assert sequential.erases == random.erases == pytest.approx(363.798, abs=1e-3)
    facts["heavy_load"]["write_amplification"] = None  # type: ignore[assignment]
    assert [each.erases for each in implied(sheet, facts)] == [sequential.erases, None]
    (tmp_path / "sheet.toml").write_text((SHEET + RATED).replace("4 dies of 512 Gbit", "some"))
    with pytest.raises(InputError, match=r'endurance.*"64 dies of 1024 Gbit"'):
        Sheet.load(tmp_path / "sheet.toml")


def test_the_page_of_drives_has_what_ratings_imply(command: Command) -> None:
    page = (ROOT / "docs/drives.md").read_text()
    count = 0
    for file in (ROOT / "examples/devices/sheets").glob("*.toml"):
        sheet = Sheet.load(file)
        for row in endurance.rows(implied(sheet, Device.load(file.parents[1] / file.name).facts())):
            assert f"| `{file.stem}` | {' | '.join(row)} |" in page
            count += 1
    assert count == page.split("## Rated endurance")[1].split("##")[0].count("\n| ") - 1
    ran = command("device", "check", "samsung-970-evo")
    assert ran.returncode == 0
    assert "TBW, TB" in ran.stdout
    assert "JESD218" in ran.stdout


STEADY = [100.0, 104, 97, 102, 99]
SLOPED = [100.0, 97, 94, 91, 88]
"""Their range is 12.8 % of their average, and so is what their line falls."""
RANGING = [100.0, 125, 100, 80, 100]
"""Their range is 44.6 % of their average; their line falls by 17.8 %."""
RANGING_LEVEL = [110.0, 88, 100, 88, 110]
"""Their range is 22.2 % of their average; their line does not change."""


def test_the_rule_of_snia() -> None:
    assert window_of(STEADY) == 0
    for rounds in (SLOPED, RANGING, RANGING_LEVEL, STEADY[:4], [0.0] * 5):
        assert window_of(rounds) is None
    assert window_of([300.0, 250, 180, *STEADY, *STEADY]) == 3, "the first counts"
    assert excursions(SLOPED) == pytest.approx((12 / 94, 12 / 94))
    assert excursions(RANGING_LEVEL) == pytest.approx((22 / 99.2, 0))


def test_a_percentile_needs_ten_beyond_it() -> None:
    assert percentile(list(range(1, 100_001)), 99.99) == 99_990
    assert percentile(list(range(1, 100_000)), 99.99) is None


def test_a_fresh_drive_never_collects() -> None:
    """Its loads write less than there is free."""
    room = Room(100_000, 10_000, 4096)
    names = [each.name for each in matrix("full")]
    assert len(set(names)) == len(names)
    assert JobLoad("random", "mixed", 4096, 8, "steady").name == "steady-random-mixed-4KiB-qd8"
    for each in matrix("full"):
        if each.state == "fresh" and each.operation != "read":
            share = 0.3 if each.operation == "mixed" else 1
            free = room.spare_pages if each.operation == "mixed" else room.logical_pages
            assert requests_of(each, room) * share * (each.block // 4096) <= free / 2, each.name


MISTAKES = [
    ('use = "held-out"', 'use = "fitted"\nwhy = "x"', "sheet.toml:20: line[1].use: "),
    ('metric = "iops"', 'metric = "iop"', 'did you mean "iops"'),
    ('source = "made"\nuse = "held', 'source = "mad"\nuse = "held', 'did you mean "made"'),
    ("value = 3000", "value = 0", "above 0"),
    ('block = "4KiB"', 'block = "4k"', '"4KiB"'),
    ('why = "the time to read the array"', "", "needs why"),
    ("queue_depth = 32", "queue_deph = 32", 'did you mean "queue_depth"'),
    ('value = "4"\nsource = "made"', 'value = "4"', "source"),
    ('name = "Tiny 16 MiB"', "", "name is missing"),
]


def test_mistakes_of_a_sheet_and_of_what_is_asked(drive: Path, tmp_path: Path) -> None:
    file = tmp_path / "sheet.toml"
    for old, new, said in MISTAKES:
        assert old in SHEET
        file.write_text(SHEET.replace(old, new, 1))
        with pytest.raises(InputError) as told:
            Sheet.load(file)
        assert said in str(told.value)
    for matrix_, said in (("smal", "valid: full, small, sheet; did you mean"), ("sheet", "--sheet")):
        with pytest.raises(InputError, match=said):
            MeasurePlan(str(drive), matrix_)


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples/devices/sheets").glob("*.toml")), ids=lambda each: each.stem
)
def test_the_shipped_sheets(file: Path) -> None:
    """Each has its drive, a source for every line, and nothing fitted that is to be predicted."""
    sheet = Sheet.load(file)
    plan = MeasurePlan(str(file.parents[1] / file.name), "sheet", sheet)
    assert plan.device.config["name"] == file.stem
    assert all(each.source for each in sheet.lines)
    assert len(plan.loads) >= len({each.load for each in sheet.lines})
    # What is left to garbage is the spare factor of the real drive, which the file says.
    (said,) = re.findall(
        r"^spare_factor.*leaves (\S+) %", (file.parents[1] / file.name).read_text(), re.MULTILINE
    )
    assert plan.facts["heavy_load"]["effective_spare_factor"] == pytest.approx(float(said) / 100, abs=5e-4)

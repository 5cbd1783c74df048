"""Drives of FEMU, NVMeVirt and SSDsim, read as ours: every key becomes something, and what comes out runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command, parsed, refusal
from reclaim.errors import InputError
from reclaim.importing import Keys, Match, femu, nvmevirt, ssdsim
from reclaim.importing.simulators import SIMULATORS

FEMU = """#!/bin/bash
# as run-blackbox.sh has them
IMG=$HOME/u20s.qcow2
secsz=512 # bytes
secs_per_pg=8
pgs_per_blk=32
blks_per_pl=64
pls_per_lun=1 # one
luns_per_ch=2
nchs=2
ssd_size=24
pg_rd_lat=40000
pg_wr_lat=200000
blk_er_lat=2000000
ch_xfer_lat=0
gc_thres_pcent=75
gc_thres_pcent_high=95
FEMU_OPTIONS="-device femu"
FEMU_OPTIONS=${FEMU_OPTIONS}",devsz_mb=${ssd_size}"
FEMU_OPTIONS=${FEMU_OPTIONS}",femu_mode=1"
"""
NVMEVIRT = """#define SAMSUNG 1
#define OTHER 2
#define SSD_TYPE_CONV 1
#if (BASE_SSD == OTHER)
#define NS_SSD_TYPE_0 SSD_TYPE_ZNS
#define NAND_CHANNELS (64)
#elif (BASE_SSD == SAMSUNG)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define CELL_MODE (CELL_MODE_MLC)
#define SSD_PARTITIONS (2)
#define NAND_CHANNELS (2)
#define LUNS_PER_NAND_CH (2)
#define PLNS_PER_LUN (1)
#define FLASH_PAGE_SIZE KB(16)
#if 0
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 3)
#else
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 2)
#endif
#define BLKS_PER_PLN (64)
static_assert((ONESHOT_PAGE_SIZE % FLASH_PAGE_SIZE) == 0);
#define NAND_CHANNEL_BANDWIDTH (800ull) //MB/s
#define PCIE_BANDWIDTH (3360ull) //MB/s
#define NAND_READ_LATENCY_LSB (36000 - 6000)
#define NAND_READ_LATENCY_MSB (36000 + 6000) /* slower */
#define NAND_READ_LATENCY_CSB (0)
#define NAND_4KB_READ_LATENCY_LSB (35000)
#define NAND_PROG_LATENCY (185000)
#define NAND_ERASE_LATENCY (0)
#define FW_READ_LATENCY (20000)
#define OP_AREA_PERCENT (0.25)
#define GLOBAL_WB_SIZE (NAND_CHANNELS * LUNS_PER_NAND_CH * ONESHOT_PAGE_SIZE * 2)
#define WRITE_EARLY_COMPLETION 1
#endif
"""
SSDSIM = """#parameter file
dram capacity = 131072;     #the unit is B
chip number[0] = 2;
chip number[1] = 2;
chip number[2] = 0;
channel number = 2;   #the number of channel
chip number = 4;
die number = 1;
plane number = 2;
block number = 64;
page number = 32;
subpage page = 4;
page capacity = 2048;
subpage capacity = 512;
t_PROG = 200000;
t_DBSY = 50;
t_BERS = 1500000;
t_WC = 25;
t_R = 20000;
t_RC = 20;
erase limit=100000;
dram voltage=3.3;
address mapping=1;
overprovide=0.20;
gc threshold=0.30;
gc hard threshold=0.10;
allocation=1;
static_allocation=2;
advanced command=30;
aged=0;
aged ratio=0.7;
"""
TEXTS = {"femu": FEMU, "nvmevirt": NVMEVIRT, "ssdsim": SSDSIM}
CAPACITY = {"nvmevirt": 128 << 20}
OURS: dict[str, dict[str, Any]] = {
    "femu": {
        "geometry.channels": 2,
        "geometry.page_size": "4096B",
        "geometry.user_capacity": "24MiB",
        "flash.t_read": "40000ns",
        "gc.trigger.start": "5%",
        "ftl.superblock": "drive",
    },
    "nvmevirt": {
        "geometry.blocks_per_plane": 64,
        # 128 MiB over 64 blocks of 4 dies are 512 KiB, in pages of 32 KiB that are programmed at once.
        "geometry.pages_per_block": 16,
        "geometry.page_size": "32768B",
        "flash.t_read": ["30000ns", "42000ns"],
        "geometry.over_provisioning": "25%",
        "controller.write_buffer": f"{2 * 2 * 32 * 1024 * 2}B",
        "flash.t_erase": "1ns",
    },
    "ssdsim": {
        "geometry.chips_per_channel": 2,
        "ftl.allocation.order": "CPWD",
        "channel.rate": "50 MT/s",
        "channel.command_cycle": "25ns",
        "gc.trigger.start": "6 blocks",
        "flash.multi_plane": "same-page",
        "gc.relocation.kind": "copyback",
        "warmup.kind": "empty",
    },
}


def read(which: str, text: str, folder: Path, capacity: int | None = None) -> Any:
    file = folder / SIMULATORS[which].file
    file.write_text(text)
    return SIMULATORS[which].read(file, capacity or CAPACITY.get(which))


@pytest.mark.parametrize("which", TEXTS)
def test_every_key_becomes_something_and_the_drive_can_be(which: str, tmp_path: Path) -> None:
    made = read(which, TEXTS[which], tmp_path)
    settings = {key: value for key, value, _ in made.settings()}
    assert {key: settings.get(key) for key in OURS[which]} == OURS[which]
    assert all(each.why for each in made.mapped if each.how in (Match.nearly, Match.left_out))
    written = {key: value if not isinstance(value, list) else str(value) for key, value in settings.items()}
    assert reclaim.Device(made.base).with_settings(written).facts()["user_bytes"] > 0


@pytest.mark.parametrize("which", TEXTS)
def test_one_command_writes_a_drive_that_runs(which: str, tmp_path: Path, command: Command) -> None:
    file = SIMULATORS[which].file
    (tmp_path / file).write_text(TEXTS[which])
    more = ("--capacity", "128MiB") if which == "nvmevirt" else ()
    done = command("device", "import", which, file, *more, "-o", "mine")
    assert done.returncode == 0, done.stderr
    assert "reclaim run TRACE -d mine/drive.toml" in done.stdout
    trace = ("trace", "generate", "rw=randwrite", "bs=4k", "size=8m", "io_size=32m", "norandommap", "t.csv")
    assert command(*trace).returncode == 0
    run = ("run", "t.csv", "-d", "mine/drive.toml", "--mode", "closed-loop", "--queue-depth", "4")
    found = parsed(command(*run, "--warmup", "filled", "--json"))
    assert found["requests"]["write"]["count"] == 8192


@pytest.mark.parametrize("keys", [femu.KEYS, nvmevirt.KEYS, ssdsim.KEYS], ids=lambda keys: keys.simulator)
def test_no_key_is_in_two_lists(keys: Keys) -> None:
    listed = [*keys.same, *keys.nearly, *keys.left_out, *keys.with_others]
    assert len(listed) == len(set(listed))
    assert set(keys.needed) <= set(listed)
    assert set(keys.with_others.values()) <= {*keys.same, *keys.nearly}
    assert set(keys.as_there) <= set(keys.nearly)


def test_options_of_a_command_line_are_read_too(tmp_path: Path) -> None:
    options = "secsz=512,secs_per_pg=4,pgs_per_blk=32,blks_per_pl=64,luns_per_ch=2,nchs=2,devsz_mb=12"
    times = "pg_rd_lat=1000,pg_wr_lat=2000,blk_er_lat=3000,colour=7"
    made = read("femu", f"qemu -device femu,{options},{times} -nographic\n", tmp_path)
    settings = {key: value for key, value, _ in made.settings()}
    assert (settings["geometry.page_size"], settings["flash.t_program"]) == ("2048B", "2000ns")


@pytest.mark.parametrize(
    ("which", "old", "new", "said"),
    [
        ("femu", "pg_rd_lat=40000", "pg_rd_lat=fast", r"run-blackbox.sh:12: pg_rd_lat = 'fast': .*whole"),
        ("femu", "nchs=2\n", "", "lacks nchs"),
        ("femu", ',femu_mode=1"', ',femu_mode=3"', "only the black-box drive"),
        ("femu", FEMU, "hello\n", "has no options of FEMU"),
        ("nvmevirt", "SSD_TYPE_CONV\n#define CELL", "SSD_TYPE_ZNS\n#define CELL", "OTHER, SAMSUNG"),
        ("nvmevirt", "(185000)", "(NOBODY * 2)", r"ssd_config.h:28: NAND_PROG_LATENCY = '\(NOBODY"),
        ("nvmevirt", "#define BLKS_PER_PLN (64)\n", "", "lacks BLKS_PER_PLN"),
        ("ssdsim", "chip number[1] = 2", "chip number[1] = 3", "page.parameters:4: .*as many chips here"),
        ("ssdsim", "static_allocation=2", "static_allocation=9", "must be from 0 to 5"),
        ("ssdsim", "t_R = 20000;\n", "", "lacks t_R"),
        ("ssdsim", SSDSIM, "hello\n", "has no parameters of SSDsim"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(
    which: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    assert old in TEXTS[which]
    with pytest.raises(InputError, match=said):
        read(which, TEXTS[which].replace(old, new, 1), tmp_path)


def test_what_is_for_another_simulator_is_refused(tmp_path: Path, command: Command) -> None:
    for which, text in TEXTS.items():
        (tmp_path / SIMULATORS[which].file).write_text(text)
    told = refusal(command("device", "import", "nvmevirt", "ssd_config.h"))
    assert "--capacity" in told
    told = refusal(command("device", "import", "femu", "run-blackbox.sh", "--capacity", "1GiB"))
    assert "NVMeVirt" in told
    told = refusal(command("device", "import", "ssdsim", "page.parameters", "workload.xml"))
    assert "MQSim" in told


def test_more_free_blocks_than_can_be_are_as_many_as_can(tmp_path: Path) -> None:
    made = read("ssdsim", SSDSIM.replace("gc hard threshold=0.10", "gc hard threshold=0.30"), tmp_path)
    settings = {key: value for key, value, _ in made.settings()}
    assert settings["gc.trigger.start"] == "9 blocks"
    assert next(each for each in made.mapped if each.key == "gc threshold").how is Match.nothing

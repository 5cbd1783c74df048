"""Public sets of traces: what they are, where to get them, under which terms, and how their files are called.

None of them is part of this project. Terms are given here in our own words; the publisher's hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SNIA = (
    "free after accepting the licence of SNIA's repository; for own use, not to be passed on; cite the paper"
)


@dataclass(frozen=True)
class PublicSet:
    """A public set of traces."""

    name: str
    """First part of its traces' names, and the folder to put its files in."""
    about: str
    where: str
    terms: str
    folders: tuple[str, ...]
    """Other names of the folder under which its files are known, in lower case."""
    example: str
    """A file of it, as it lies in the user's folder."""
    traces: tuple[str, ...] = ()
    """Names of its traces, where they are known; they are listed before their files are there."""
    stand_ins: str = ""
    """First part of the names of its stand-ins, if it has any."""
    device_file: str = ""
    """Pattern of a file that holds many devices, each a trace called by its number."""


MSR_VOLUMES = tuple(
    f"{server}_{disk}"
    for server, disks in {
        "hm": 2, "mds": 2, "prn": 2, "proj": 5, "prxy": 2, "rsrch": 3, "src1": 3, "src2": 3,
        "stg": 2, "ts": 1, "usr": 3, "wdev": 4, "web": 4,
    }.items()
    for disk in range(disks)
)  # fmt: skip
"""The 36 volumes."""

PUBLIC_SETS = (
    PublicSet(
        "msr",
        "36 volumes of 13 servers at Microsoft Research Cambridge, 2007 (Narayanan et al., FAST 2008)",
        "SNIA IOTTA repository, trace set 388: http://iotta.snia.org/traces/block-io/388",
        SNIA,
        ("msr-cambridge", "msr_cambridge", "msr-cambridge1", "msr-cambridge2", "msrc"),
        "msr/hm_0.csv.gz",
        MSR_VOLUMES,
        "msr-like",
    ),
    PublicSet(
        "alibaba",
        "1000 virtual disks of a cloud, January 2020 (Li et al., IISWC 2020)",
        "https://github.com/alibaba/block-traces (a link after a short survey; 181 GB packed)",
        "Creative Commons Attribution 4.0: use and pass on with attribution",
        ("alibaba-block-traces", "alibaba_block_traces_2020"),
        "alibaba/io_traces.csv, or one device of it as alibaba/0.csv.gz",
        stand_ins="alibaba-like",
        device_file=r"io_traces\.csv",
    ),
    PublicSet(
        "tencent",
        "5584 volumes of a cloud block store, ten days of 2018 (Zhang et al., ATC 2020)",
        "SNIA IOTTA repository, trace set 27917: http://iotta.snia.org/traces/parallel/27917",
        SNIA,
        ("tencent-cbs", "tencent_cbs", "cbs"),
        "tencent/2018-10-01-01.csv.gz (unpack the tgz; choose a volume with --trace-device)",
    ),
    PublicSet(
        "systor17",
        "virtual desktops, 28 days of 2016 (Lee et al., SYSTOR 2017)",
        "SNIA IOTTA repository, trace set 4964: http://iotta.snia.org/traces/block-io/4964",
        SNIA,
        ("systor", "systor-17", "systor2017"),
        "systor17/2016022206-LUN4.csv.gz",
    ),
    PublicSet(
        "umass",
        "two OLTP applications and three hours of a search engine (Storage Performance Council, 2002)",
        "UMass Trace Repository: https://traces.cs.umass.edu, Storage",
        "free for research; name the repository; ask before passing them on",
        ("umass-storage", "spc"),
        "umass/Financial1.spc.bz2",
    ),
    PublicSet(
        "fiu",
        "home, mail and web servers of a university, three weeks of 2008 (Koller and Rangaswami, FAST 2010)",
        "SNIA IOTTA repository, trace set 390: http://iotta.snia.org/traces/block-io/390",
        SNIA,
        ("fiu-iodedup", "iodedup"),
        "fiu/homes.blkparse.txt.gz (not in a format read here as it comes: give its columns)",
    ),
)


def set_of_folder(folder: str) -> PublicSet | None:
    """Find the public set whose files lie in a folder of this name."""
    wanted = folder.lower()
    return next((each for each in PUBLIC_SETS if wanted == each.name or wanted in each.folders), None)


def set_of_name(name: str) -> PublicSet | None:
    """Find the public set that a trace's name begins with.

    >>> set_of_name("msr/hm_0").about[:10]
    '36 volumes'
    """
    head, slash, _ = name.partition("/")
    return next((each for each in PUBLIC_SETS if slash and each.name == head), None)


def device_in(name: str) -> str:
    """Give the device number of a trace's name: `alibaba/ali7` is device 7; empty if it has none.

    >>> device_in("alibaba/ali7")
    '7'
    """
    match = re.fullmatch(r"[^/]+/(?:ali)?(\d+)", name)
    return match[1] if match else ""

"""Disks that are full or read-only, folders that cannot be used, and files that must not be overwritten."""

from __future__ import annotations

from answers.case import RUN, SAVED, TRACE, Case, fifo, folder, hard, link

JSON = f"{RUN} --json"
BIG = "time_us,op,offset_bytes,size_bytes\n" + "".join(
    f"{index * 500},write,{index * 7919 % 256 * 4096},4096\n" for index in range(40_000)
)
OF_COMPARE = '{"reclaim": "0.1.0", "made_by": "compare", "files": ["greedy/results.json"]}\n'
SMALL = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\n'
MANIFEST = '{"reclaim": "0.1.0", "files": ["results.json", "../notes.txt", "/etc/hostname"]}\n'
FULL = "No space left on device"


def full(name: str, command: str, *says: str, **how: object) -> Case:
    """A case of a disk that has room for its beginning and no more."""
    given = {"disk": "64k", "fresh": True, "prints": True} | how
    return Case(name, command, says=says or (FULL,), **given)  # type: ignore[arg-type]


DISKS = [
    full("results on a full disk", f"{JSON} -o disk/out"),
    full(
        "results with tables on a full disk",
        f"{JSON} -o disk/out --record-requests --record-timeline",
        files={"t.csv": BIG},
    ),
    full(
        "results in place of earlier ones on a full disk",
        f"{JSON} -o disk/out",
        files={
            "disk/out/results.json": "old" * 5000,
            "disk/out/manifest.json": '{"reclaim": "0.1.0", "files": ["results.json"]}',
        },
    ),
    full("a comparison on a full disk", "compare t.csv -d d.toml --schemes greedy,fifo --json -o disk/out"),
    full("a state on a full disk", f"{JSON} --save-state disk/s.state", "disk", disk="16k"),
    full(
        "a state over an older one on a full disk",
        f"{JSON} --save-state disk/s.state --force",
        "disk",
        disk="16k",
        files={"disk/s.state": "old" * 1000},
    ),
    full("CSV on a full disk", "trace convert t.csv disk/out.csv", files={"t.csv": BIG}),
    full("CSV in gzip on a full disk", "trace convert t.csv disk/out.csv.gz", files={"t.csv": BIG}),
    full("CSV in zstd on a full disk", "trace convert t.csv disk/out.csv.zst", files={"t.csv": BIG}),
    full(
        "CSV in bzip2 on a full disk",
        "trace convert t.csv disk/out.csv.bz2",
        files={"t.csv": BIG},
        disk="32k",
    ),
    full("CSV in xz on a full disk", "trace convert t.csv disk/out.csv.xz", files={"t.csv": BIG}, disk="16k"),
    full("Parquet on a full disk", "trace convert t.csv disk/out.parquet", files={"t.csv": BIG}),
    full("MQSim's format on a full disk", "trace convert t.csv disk/out.trace", files={"t.csv": BIG}),
    full("fio's format on a full disk", "trace convert t.csv disk/out.fio", files={"t.csv": BIG}),
    full("generated requests on a full disk", "trace generate rw=randwrite bs=4k size=64m disk/out.csv"),
    full(
        "a description on a full disk",
        "trace generate rw=randwrite bs=4k size=64m disk/out.toml",
        files={"disk/filler": b"x" * 65_536},
    ),
    full(
        "a stand-in on a full disk",
        "trace synthesize t.csv disk/out.toml",
        files={"disk/filler": b"x" * 65_536},
    ),
    full(
        "a page on a full disk",
        "trace info t.csv --html disk/page.html",
        files={"disk/filler": b"x" * 40_000},
    ),
    full(
        "standard output on a full disk",
        "config schema",
        streams={"stdout": "disk/out"},
        disk="8k",
        files={"disk/out": ""},
        changes=("disk/out",),
    ),
    full("standard output to a full device", JSON, streams={"stdout": "/dev/full"}),
    Case(
        "results on a read-only disk",
        f"{JSON} -o disk/out",
        disk="1m",
        read_only=True,
        says=("disk/out", "Read-only file system"),
        prints=True,
    ),
    Case(
        "a state on a read-only disk", f"{JSON} --save-state disk/s", disk="1m", read_only=True, says="disk/s"
    ),
    Case(
        "a trace on a read-only disk",
        "trace convert t.csv disk/out.csv",
        disk="1m",
        read_only=True,
        says="disk/out.csv",
    ),
    Case(
        "a trace from a read-only disk",
        "trace info disk/t.csv",
        disk="1m",
        read_only=True,
        code=0,
        files={"disk/t.csv": TRACE},
    ),
    Case(
        "a folder that may not be changed",
        f"{JSON} -o frozen",
        files={"frozen": folder},
        frozen=("frozen",),
        says=("frozen", "Operation not permitted"),
    ),
    Case(
        "a file that may not be changed",
        "trace convert t.csv kept/old.csv --force",
        files={"kept/old.csv": "mine\n"},
        frozen=("kept/old.csv",),
        says="kept/old.csv",
    ),
    Case(
        "a trace in a folder that may not be changed",
        "trace convert t.csv frozen/out.csv",
        files={"frozen": folder},
        frozen=("frozen",),
        says="frozen/out.csv",
    ),
]
"""Disks."""

OUTPUTS = [
    Case("results over a file", f"{JSON} -o notes.txt", says="is a file"),
    Case("results among others", f"{JSON} -o kept", says="no run wrote what is in it"),
    Case("results here", f"{JSON} -o .", says="no run wrote what is in it"),
    Case(
        "the trace is called as a result, by force",
        "run in/results.json -d d.toml --json -o in --force",
        files={"in/results.json": TRACE},
        says="is what is being read",
    ),
    Case(
        "the device is called as a result",
        "run t.csv -d in/config.toml --json -o in --force",
        files={"in/config.toml": 'base = "coupled-copyback-mini"\n'},
        says="is what is being read",
    ),
    Case(
        "results over those of another command",
        f"{JSON} -o out",
        files={"out/manifest.json": OF_COMPARE, "out/greedy/results.json": "{}"},
        says=("out: has what reclaim compare wrote, and this is reclaim run", "--force, which removes it"),
    ),
    Case(
        "a sweep over results",
        "sweep x.toml -o out",
        files={"x.toml": SMALL, "out/manifest.json": OF_COMPARE, "out/greedy/results.json": "{}"},
        says=("out: has what reclaim compare wrote, and this is reclaim sweep", "give another folder"),
    ),
    Case(
        "a build that is none",
        "sweep x.toml -o out --accept-build latest",
        files={"x.toml": SMALL},
        says=("--accept-build latest: is no name of a build", '"unknown"'),
    ),
    Case(
        "a build for no state",
        f"{JSON} --accept-build unknown",
        says="--accept-build: says whose saved state counts; give --load-state, too",
    ),
    Case("results below a file", f"{JSON} -o notes.txt/out", says="Not a directory"),
    Case(
        "results through a link to itself",
        f"{JSON} -o loop/out",
        files={"loop": link("loop")},
        says="loop is a link to loop",
    ),
    Case(
        "results through a link to nothing",
        f"{JSON} -o loop",
        files={"loop": link("gone")},
        says="is a link to gone",
    ),
    Case("results into a pipe", f"{JSON} -o pipe", files={"pipe": fifo}, says="pipe"),
    Case("results where a name is too long", f"{JSON} -o {'n' * 300}", says="too long"),
    Case(
        "a manifest that names files of others",
        f"{JSON} -o out",
        files={"out/manifest.json": MANIFEST},
        code=SAVED,
        writes=("out",),
        changes=("out/manifest.json",),
        seconds=20,
    ),
    Case(
        "a manifest that is none",
        f"{JSON} -o out",
        files={"out/manifest.json": "[1, 2]"},
        says="no run wrote what is in it",
    ),
    Case(
        "a manifest that is a folder",
        f"{JSON} -o out",
        files={"out/manifest.json": folder},
        says="no run wrote what is in it",
    ),
    Case("a state over the trace", f"{JSON} --save-state t.csv", says="is what is being read"),
    Case(
        "a state over the trace, by force", f"{JSON} --save-state t.csv --force", says="is what is being read"
    ),
    Case(
        "a state over another name of the trace",
        f"{JSON} --save-state u.csv --force",
        files={"u.csv": hard("t.csv")},
        says="is what is being read",
    ),
    Case(
        "a state over the device, by force",
        f"{JSON} --save-state d.toml --force",
        says="is what is being read",
    ),
    Case(
        "a state over a merged trace",
        f"{JSON} --merge u.csv --save-state u.csv --force",
        files={"u.csv": TRACE},
        says="is what is being read",
    ),
    Case(
        "a state over the one that is loaded",
        f"{JSON} --load-state s --save-state s --force",
        files={"s": "state"},
        says="s: ",
    ),
    Case("a state over notes", f"{JSON} --save-state notes.txt", says="exists already"),
    Case("a state into a folder", f"{JSON} --save-state kept", says="kept: is a directory"),
    Case(
        "a state into the folder of results",
        f"{JSON} -o out --save-state out/results.json",
        says="out/results.json",
    ),
    Case("a state that is none", f"{JSON} --load-state notes.txt", says="not a drive state"),
    Case("a state that is empty", f"{JSON} --load-state s", files={"s": b""}, says="not a drive state"),
    Case("a state that is a pipe", f"{JSON} --load-state s", files={"s": fifo}, says="s: "),
    Case("a state that is a folder", f"{JSON} --load-state kept", says="kept"),
]
"""What is there already."""

CASES = [*DISKS, *OUTPUTS]

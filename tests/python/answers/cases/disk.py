"""Disks that are full or read-only, folders that cannot be used, and files that must not be overwritten."""

from __future__ import annotations

from answers.case import RUN, TRACE, Case, Thing, folder, hard, link
from answers.case import words as over

JSON = f"{RUN} --json"
BIG = "time_us,op,offset_bytes,size_bytes\n" + "".join(
    f"{index * 500},write,{index * 7919 % 256 * 4096},4096\n" for index in range(40_000)
)
OLD = {
    "disk/out/results.json": "old" * 5000,
    "disk/out/manifest.json": '{"reclaim": "0", "files": ["results.json"]}',
}


def full(command: str, size: str = "64k", says: str = "No space left on device", **files: Thing) -> Case:
    """A case of a disk that has room for its beginning and no more."""
    return Case(f"full: {command}", command, says, files=files, disk=size, prints=True)


def read_only(command: str, *says: str, code: int = 2) -> Case:
    """A case of a disk that may only be read."""
    files = {"disk/t.csv": TRACE}
    return Case(
        f"read-only: {command}", command, says, files=files, disk="1m", read_only=True, code=code, prints=True
    )


DISKS = [
    full(f"{JSON} -o disk/out", "32k", **OLD),
    full(f"{JSON} --save-state disk/s.state --force", "16k", "disk", **{"disk/s.state": "old" * 1000}),
    full("trace convert t.csv disk/out.csv", **{"t.csv": BIG}),
    full("trace convert t.csv disk/out.parquet", **{"t.csv": BIG}),
    full("trace generate rw=randwrite bs=4k size=64m disk/out.toml", **{"disk/filler": b"x" * 65_536}),
    full("trace info t.csv --html disk/page.html", **{"disk/filler": b"x" * 40_000}),
    Case(
        "full: standard output", JSON, "No space left on device", streams={"stdout": "/dev/full"}, fresh=True
    ),
    read_only(f"{JSON} -o disk/out", "disk/out", "Read-only file system"),
    read_only("trace convert t.csv disk/out.csv", "disk/out.csv"),
    read_only("trace info disk/t.csv", code=0),
    Case(
        "a folder that may not be changed",
        f"{JSON} -o frozen",
        ("frozen", "Operation not permitted"),
        files={"frozen": folder},
        frozen=("frozen",),
    ),
    Case(
        "a file that may not be changed",
        "trace convert t.csv kept/old.csv --force",
        "kept/old.csv",
        files={"kept/old.csv": "mine\n"},
        frozen=("kept/old.csv",),
    ),
]
"""Disks."""

SMALL = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\n'
OF_COMPARE = {
    "x.toml": SMALL,
    "out/manifest.json": '{"reclaim": "0.1.0", "made_by": "compare", "files": ["greedy/results.json"]}\n',
    "out/greedy/results.json": "{}",
}
READ = "is what is being read"
NOT_OURS = "no run wrote what is in it"


OUTPUTS = [
    over(f"{JSON} -o notes.txt", "is a file"),
    over(f"{JSON} -o kept", NOT_OURS),
    over(f"{JSON} -o .", NOT_OURS),
    over(f"{JSON} -o notes.txt/out", "Not a directory"),
    over(f"{JSON} -o loop/out", "loop is a link to loop", loop=link("loop")),
    over(f"{JSON} -o loop", "is a link to gone", loop=link("gone")),
    over(f"{JSON} -o out", NOT_OURS, **{"out/manifest.json": "[1, 2]"}),
    over(f"{JSON} -o out --seed 6", NOT_OURS, **{"out/manifest.json": folder}),
    over(
        f"{JSON} -o out --seed 5", "reclaim compare wrote, and this is reclaim run", "--force", **OF_COMPARE
    ),
    over("sweep x.toml -o out", "reclaim compare wrote, and this is reclaim sweep", "another", **OF_COMPARE),
    over("sweep x.toml -o out --accept-build latest", "latest: is no name of a build", x_toml=SMALL),
    over(f"{JSON} --accept-build unknown", "says whose saved state counts; give --load-state, too"),
    over("run in/results.json -d d.toml -o in --force", READ, **{"in/results.json": TRACE}),
    over(
        "run t.csv -d in/config.toml -o in --force", READ, **{"in/config.toml": 'base = "gc-bypass-mini"\n'}
    ),
    over(f"{JSON} --save-state t.csv --force", READ),
    over(f"{JSON} --save-state u.csv --force", READ, u_csv=hard("t.csv")),
    over(f"{JSON} --save-state d.toml --force", READ),
    over(f"{JSON} --merge v.csv --save-state v.csv --force", READ, v_csv=TRACE),
    over(f"{JSON} --load-state s --save-state s --force", "s: ", s="state"),
    over(f"{JSON} --save-state notes.txt", "exists already"),
    over(f"{JSON} --save-state kept", "kept: is a directory"),
    over(f"{JSON} -o out --save-state out/results.json", "out/results.json"),
    over(f"{JSON} --load-state empty", "not a drive state", empty=b""),
]
"""What is there already."""

CASES = [*DISKS, *OUTPUTS]

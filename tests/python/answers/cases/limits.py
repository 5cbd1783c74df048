"""Signals, limits of the process, streams that are closed, and two runs at once."""

from __future__ import annotations

from answers.case import RUN, SAVED, Case, Moment

JSON = f"{RUN} --json"
LONG = f"{RUN} --json --plays 1000000"
STATE = f"{RUN} --warmup overwrite:5000 --save-state s.state --force"
COPY = "trace convert t.csv out.csv"
PARTIAL = "out/.reclaim-partial"
REPORT = "out/.reclaim-partial/results.json"
OLD = {"out/results.json": "old", "out/manifest.json": '{"reclaim": "0.1.0", "files": ["results.json"]}'}


def stopped(
    command: str,
    signal: str,
    seen: str,
    after: float,
    code: int | tuple[int, ...],
    times: int = 1,
    **how: object,
) -> Case:
    """A command that gets a signal so many seconds after something is there."""
    moment = Moment(signal, seen, after, times)
    says = "stopped" if code == 130 else ()
    name = f"{signal}: {command}"
    return Case(name, command, says, moment=moment, code=code, **how)  # type: ignore[arg-type]


SIGNALS = [
    stopped(f"{LONG} -o out", "SIGINT", PARTIAL, 0.5, 130, times=2),
    stopped(STATE, "SIGINT", ".partial-*", 0.3, 130, files={"s.state": "precious"}),
    stopped("trace info t.csv --plays 1000000", "SIGINT", "", 1.0, 130),
    stopped("trace info t.csv --plays 100000 --html p.html", "SIGINT", "", 1.0, 130),
    stopped(f"{COPY} --plays 1000000", "SIGINT", ".out.csv*", 0.2, 130),
    stopped("trace generate rw=randwrite bs=4k size=64g out.csv", "SIGINT", ".out.csv*", 0.2, 130),
    stopped("validate --quick -o out", "SIGINT", PARTIAL, 0.5, 130),
    stopped(f"{LONG} -o out", "SIGTERM", PARTIAL, 0.5, (143, -15)),
    stopped(f"{COPY} --plays 1000000", "SIGTERM", ".out.csv*", 0.2, (143, -15)),
    stopped(
        f"{LONG} -o out", "SIGKILL", PARTIAL, 0.5, -9, then=f"{JSON} -o out", writes=("out",), seconds=20
    ),
    stopped(f"{JSON} -o out", "SIGKILL", REPORT, 0.1, -9, files=OLD),
    stopped(f"{COPY} --plays 1000000", "SIGKILL", ".out.csv*", 0.2, -9, then=COPY, writes=("out.csv",)),
    stopped(
        STATE, "SIGKILL", ".partial-*", 0.3, -9, then=f"{JSON} --save-state s.state", writes=("s.state",)
    ),
    stopped(f"{LONG} -o out", "SIGHUP", PARTIAL, 0.5, (129, -1)),
    stopped(f"{JSON} --plays 2000", "SIGWINCH", "", 0.5, SAVED),
]
"""Signals."""


def of_streams(command: str, code: int | tuple[int, ...] = 2, says: str = "", **streams: str) -> Case:
    """A case of streams that go nowhere."""
    name = f"{', '.join(f'{stream} {where}' for stream, where in streams.items())}: {command}"
    return Case(name, command, says, streams=streams, fresh=True, code=code)


LIST, GONE = "device list", "run gone.csv -d d.toml"
STREAMS = [
    of_streams(JSON, 141, stdout="unread"),
    of_streams(GONE, stderr="unread"),
    of_streams(JSON, says="standard output is closed", stdout="closed"),
    of_streams(GONE, stderr="closed"),
    of_streams(JSON, SAVED, stderr="closed"),
    of_streams(JSON, SAVED, stdin="closed"),
    of_streams(LIST, stdin="closed", stdout="closed", stderr="closed"),
    of_streams(GONE, stderr="/dev/full"),
    of_streams(LIST, stdout="/dev/full", stderr="/dev/full"),
    Case("no home", LIST, env={"HOME": "/nowhere", "TERM": "", "COLUMNS": "-5"}, code=0, fresh=True),
]
"""Streams."""


def limited(command: str, limit: str, size: int, says: str = "", **how: object) -> Case:
    """A case of a process that is given no more of something."""
    how = {"fresh": True} | how
    name = f"{limit} {size}: {command}"
    return Case(name, command, says, limits={f"RLIMIT_{limit}": size}, **how)  # type: ignore[arg-type]


LARGE = "run t.csv -d gc-bypass --json"
LIMITS = [
    limited(JSON, "AS", 256 << 20, code=SAVED),
    limited(LARGE, "AS", 160 << 20, "memory", seconds=3),
    limited(f"{JSON} -o out", "FSIZE", 4096, "File too large"),
    limited(COPY, "FSIZE", 4096, "File too large", fresh=False),
    limited(f"{JSON} --save-state s.state", "FSIZE", 4096, "s.state", fresh=False),
    limited(
        "config schema",
        "FSIZE",
        1024,
        "File too large",
        streams={"stdout": "kept/out"},
        files={"kept/out": ""},
        changes=("kept/out",),
    ),
    limited(JSON, "NOFILE", 4, code=(2, *SAVED), fresh=False),
    limited(f"{JSON} -o out", "NOFILE", 5, "open only 5 files", fresh=False),
    limited("trace info t.csv", "NPROC", 0, code=(0, 2), fresh=False),
    limited(JSON, "STACK", 256 << 10, code=SAVED),
    Case(
        "a drive beyond a limit of memory",
        f"{RUN} --json --set geometry.blocks_per_plane=100000",
        "RECLAIM_MEMORY_LIMIT",
        env={"RECLAIM_MEMORY_LIMIT": "100MiB"},
    ),
    Case("a folder that is gone", ["run", "../gone/t.csv", "-d", "d.toml"], "../gone/t.csv"),
    Case("a language that is none", JSON, env={"LC_ALL": "xx_XX.UTF-9", "LANG": ""}, fresh=True, code=SAVED),
    Case("traces in no folder", "trace list", env={"RECLAIM_TRACES": "/nowhere:/dev/null"}, code=0),
]
"""Limits and surroundings."""

CASES = [*SIGNALS, *STREAMS, *LIMITS]

"""Signals, limits of the process, streams that are closed, and two runs at once."""

from __future__ import annotations

from answers.case import RUN, SAVED, Case, Moment
from answers.cases.disk import BIG

JSON = f"{RUN} --json"
LONG = f"{RUN} --json --repeat 1000000"
PARTIAL = "out/.reclaim-partial"
REPORT = "out/.reclaim-partial/results.json"


def stopped(
    name: str, command: str, moment: Moment, code: int | tuple[int, ...], says: str = "", **how: object
) -> Case:
    """A command to which something happens."""
    return Case(name, command, moment=moment, code=code, says=says, **how)  # type: ignore[arg-type]


INT, TERM, KILL, PIPE = "SIGINT", "SIGTERM", "SIGKILL", "SIGPIPE"
HUP = "SIGHUP"

SIGNALS = [
    stopped("Ctrl-C in the run", f"{LONG} -o out", Moment(INT, PARTIAL, 0.5), 130, "stopped"),
    stopped("Ctrl-C twice", f"{LONG} -o out", Moment(INT, PARTIAL, 0.5, times=2), 130, "stopped"),
    stopped(
        "Ctrl-C in the warm-up",
        f"{RUN} --warmup overwrite:5000 -o out",
        Moment(INT, PARTIAL, 0.5),
        130,
        "stopped in the warm-up",
    ),
    stopped(
        "Ctrl-C before the state is complete",
        f"{RUN} --warmup overwrite:5000 --save-state s.state",
        Moment(INT, ".partial-*", 0.3),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C after the state is complete",
        f"{RUN} --json --repeat 100000 --save-state s.state",
        Moment(INT, "s.state", 0.3),
        130,
        "stopped",
        writes=("s.state",),
    ),
    stopped(
        "Ctrl-C while the report is drawn",
        f"{JSON} -o out",
        Moment(INT, REPORT, 0.1),
        130,
        "has the results without it",
        writes=("out",),
    ),
    stopped(
        "Ctrl-C in the second scheme",
        "compare t.csv -d d.toml --schemes greedy,fifo --repeat 300000 -o out",
        Moment(INT, "out/.reclaim-partial", 0.5),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C while a trace is read",
        "trace info t.csv --repeat 1000000",
        Moment(INT, after_seconds=1.0),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C while a trace is written",
        "trace convert t.csv out.csv --repeat 1000000",
        Moment(INT, ".out.csv*", 0.2),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C while Parquet is written",
        "trace convert t.csv out.parquet --repeat 1000000",
        Moment(INT, ".out.parquet*", 0.2),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C while a trace is generated",
        "trace generate rw=randwrite bs=4k size=64g out.csv",
        Moment(INT, ".out.csv*", 0.2),
        130,
        "stopped",
    ),
    stopped(
        "Ctrl-C while a page is drawn",
        "trace info t.csv --repeat 100000 --html p.html",
        Moment(INT, after_seconds=1.0),
        130,
        "stopped",
    ),
    stopped("Ctrl-C in a validation", "validate --quick -o out", Moment(INT, PARTIAL, 0.5), 130, "stopped"),
    stopped("SIGTERM in the run", f"{LONG} -o out", Moment(TERM, PARTIAL, 0.5), (143, -15)),
    stopped(
        "SIGTERM while a state is saved",
        f"{RUN} --warmup overwrite:5000 --save-state s.state",
        Moment(TERM, ".partial-*", 0.3),
        (143, -15),
    ),
    stopped(
        "SIGTERM while a trace is written",
        "trace convert t.csv out.csv --repeat 1000000",
        Moment(TERM, ".out.csv*", 0.2),
        (143, -15),
    ),
    stopped(
        "SIGKILL in the run",
        f"{LONG} -o out",
        Moment(KILL, PARTIAL, 0.5),
        -9,
        then=f"{JSON} -o out",
        writes=("out",),
        seconds=20,
    ),
    stopped(
        "SIGKILL while the report is drawn",
        f"{JSON} -o out",
        Moment(KILL, REPORT, 0.1),
        -9,
        then=f"{JSON} -o out",
        writes=("out",),
        seconds=20,
    ),
    stopped(
        "SIGKILL in place of earlier results",
        f"{JSON} -o out",
        Moment(KILL, REPORT, 0.1),
        -9,
        files={
            "out/results.json": "old",
            "out/manifest.json": '{"reclaim": "0.1.0", "files": ["results.json"]}',
        },
    ),
    stopped(
        "SIGKILL on a small disk",
        f"{LONG} -o disk/out",
        Moment(KILL, f"disk/{PARTIAL}", 0.3),
        -9,
        disk="8m",
        then=f"{JSON} -o disk/out",
        writes=("disk/out",),
    ),
    stopped(
        "SIGKILL while a trace is written",
        "trace convert t.csv out.csv --repeat 1000000",
        Moment(KILL, ".out.csv*", 0.2),
        -9,
        then="trace convert t.csv out.csv",
        writes=("out.csv",),
    ),
    stopped(
        "SIGKILL while a state is saved",
        f"{RUN} --warmup overwrite:5000 --save-state s.state",
        Moment(KILL, ".partial-*", 0.3),
        -9,
        then=f"{JSON} --save-state s.state",
        writes=("s.state",),
    ),
    stopped("hung up", f"{LONG} -o out", Moment(HUP, PARTIAL, 0.5), (129, -1)),
    stopped(
        "a signal for nobody", f"{RUN} --json --repeat 2000", Moment("SIGWINCH", after_seconds=0.5), SAVED
    ),
    Case(
        "nobody reads",
        f"{RUN} --json",
        streams={"stdout": "unread"},
        fresh=True,
        code=141,
    ),
]
"""Signals."""

STREAMS = [
    Case(
        "nobody reads a list",
        "device list",
        streams={"stdout": "unread"},
        fresh=True,
        code=141,
    ),
    Case("nobody reads the messages", "run gone.csv -d d.toml", streams={"stderr": "unread"}, fresh=True),
    Case(
        "no standard output", JSON, streams={"stdout": "closed"}, fresh=True, says="standard output is closed"
    ),
    Case("no standard error", "run gone.csv -d d.toml", streams={"stderr": "closed"}, fresh=True),
    Case("no standard error and a run", JSON, streams={"stderr": "closed"}, fresh=True, code=SAVED),
    Case("no standard input", JSON, streams={"stdin": "closed"}, fresh=True, code=SAVED),
    Case(
        "no streams at all",
        "device list",
        fresh=True,
        streams={"stdin": "closed", "stdout": "closed", "stderr": "closed"},
    ),
    Case(
        "no streams and results",
        f"{JSON} -o out",
        fresh=True,
        streams={"stdin": "closed", "stdout": "closed", "stderr": "closed"},
    ),
    Case(
        "no standard input and a trace to write",
        "trace convert t.csv out.csv",
        streams={"stdin": "closed"},
        fresh=True,
        code=0,
        writes=("out.csv",),
    ),
    Case(
        "standard error to a full device",
        "run gone.csv -d d.toml",
        streams={"stderr": "/dev/full"},
        fresh=True,
    ),
    Case(
        "both to full devices",
        "device list",
        streams={"stdout": "/dev/full", "stderr": "/dev/full"},
        fresh=True,
    ),
    Case("an encoding of 7 bits", "device list", env={"PYTHONIOENCODING": "ascii"}, fresh=True, code=0),
    Case(
        "no home and no terminal",
        "device list",
        env={"HOME": "/nowhere", "TERM": "", "COLUMNS": "-5"},
        code=0,
        fresh=True,
    ),
]
"""Streams."""

LIMITS = [
    Case("little memory", JSON, limits={"RLIMIT_AS": 256 << 20}, fresh=True, code=SAVED),
    Case(
        "too little memory for a drive",
        "run t.csv -d gc-bypass --json",
        limits={"RLIMIT_AS": 220 << 20},
        fresh=True,
        says="memory",
    ),
    Case(
        "far too little memory for a drive",
        "run t.csv -d gc-bypass --json",
        limits={"RLIMIT_AS": 160 << 20},
        fresh=True,
        says="memory",
        seconds=3,
    ),
    Case(
        "memory limited by its own variable",
        JSON,
        env={"RECLAIM_MEMORY_LIMIT": "1MiB"},
        says=("memory", "RECLAIM_MEMORY_LIMIT"),
    ),
    Case(
        "memory limit of no size",
        JSON,
        env={"RECLAIM_MEMORY_LIMIT": "much"},
        says='RECLAIM_MEMORY_LIMIT="much": expected a size',
    ),
    Case("memory limit below nothing", JSON, env={"RECLAIM_MEMORY_LIMIT": "-1"}, says="RECLAIM_MEMORY_LIMIT"),
    Case(
        "a drive beyond a limit of memory",
        f"{RUN} --json --set geometry.blocks_per_plane=100000",
        env={"RECLAIM_MEMORY_LIMIT": "100MiB"},
        says="RECLAIM_MEMORY_LIMIT",
    ),
    Case(
        "files of at most 4 KiB",
        f"{JSON} -o out",
        limits={"RLIMIT_FSIZE": 4096},
        fresh=True,
        says="File too large",
    ),
    Case(
        "a trace of at most 4 KiB",
        "trace convert t.csv out.csv",
        limits={"RLIMIT_FSIZE": 4096},
        says="File too large",
    ),
    Case(
        "packed traces of at most 1 KiB",
        "trace convert t.csv out.csv.gz",
        limits={"RLIMIT_FSIZE": 1024},
        files={"t.csv": BIG},
        says="File too large",
    ),
    Case(
        "Parquet of at most 4 KiB",
        "trace convert t.csv out.parquet",
        limits={"RLIMIT_FSIZE": 4096},
        files={"t.csv": BIG},
        says="File too large",
    ),
    Case(
        "a state of at most 4 KiB",
        f"{JSON} --save-state s.state",
        limits={"RLIMIT_FSIZE": 4096},
        says="s.state",
    ),
    Case(
        "standard output of at most 1 KiB",
        "config schema",
        limits={"RLIMIT_FSIZE": 1024},
        fresh=True,
        streams={"stdout": "kept/out"},
        files={"kept/out": ""},
        changes=("kept/out",),
        says="File too large",
    ),
    Case("12 open files", JSON, limits={"RLIMIT_NOFILE": 12}, fresh=True, code=(2, *SAVED)),
    Case("4 open files", JSON, limits={"RLIMIT_NOFILE": 4}, code=(2, *SAVED), says=""),
    Case("5 open files and results", f"{JSON} -o out", limits={"RLIMIT_NOFILE": 5}, says="open only 5 files"),
    Case("no further process", "trace info t.csv", limits={"RLIMIT_NPROC": 0}, code=(0, 2)),
    Case("a small stack", JSON, limits={"RLIMIT_STACK": 256 << 10}, fresh=True, code=SAVED),
    Case(
        "two runs into one folder",
        f"{JSON} -o out",
        beside=f"{JSON} --repeat 3000 -o out",
        says="another run is writing there",
        writes=("out",),
        seconds=20,
    ),
    Case(
        "results of a run that goes on",
        "trace info out/results.json",
        beside=f"{JSON} --repeat 3000 -o out",
        says="out/results.json",
        writes=("out",),
        seconds=20,
    ),
    Case("a folder that is gone", ["run", "../gone/t.csv", "-d", "d.toml"], says="../gone/t.csv"),
    Case("a time zone that is none", JSON, env={"TZ": "Nowhere/Nothing"}, code=SAVED),
    Case("a language that is none", JSON, env={"LC_ALL": "xx_XX.UTF-9", "LANG": ""}, fresh=True, code=SAVED),
    Case("traces in no folder", "trace list", env={"RECLAIM_TRACES": "/nowhere:/dev/null"}, code=0),
]
"""Limits and surroundings."""

CASES = [*SIGNALS, *STREAMS, *LIMITS]

"""What messages must name: columns, options of fio, names that are like a wrong one, units, limits, files."""

from __future__ import annotations

from answers.case import DRIVE, RUN, SAVED, Case, fifo, folder

JSON = f"{RUN} --json"
LONG = "n" * 300
ROW = "1,R,0,4096\n"
FOUR = DRIVE + "channels = 2\nchips_per_channel = 2\n"
STRIPED = (
    FOUR + '[redundancy]\nkind = "raid5"\nstripe_chips = 8\n[ftl.allocation]\nkind = "striping"\nby = "lpn"\n'
)
EXPERIMENT = 'name = "e"\ndevices = ["four.toml"]\ntraces = ["t.csv"]\n'


def of_trace(name: str, content: str, says: str | tuple[str, ...], lines: int = 3) -> Case:
    """A file that is no trace as it is."""
    return Case(name, "trace info x", files={"x": content}, says=says, lines=lines)


TABLES = [
    of_trace(
        "own header",
        f"ts_us,kind,lba,nbytes\n{ROW}",
        (
            "columns ts_us, kind, lba, nbytes",
            "--columns ts_us=time:us,kind=op,lba=offset:sectors,nbytes=size:bytes",
        ),
    ),
    of_trace(
        "own header without units", f"t,rw,addr,len\n{ROW}", ("t=time:us", "guessed, so check: time:us")
    ),
    of_trace("own header by tabulators", "time\top\toffset\tsize\n1\tR\t0\t1\n", "--separator tab"),
    of_trace("own header by blanks", "time op lba size\n1 R 0 1\n", "--separator blanks"),
    of_trace(
        "own header in Reclaim's words", f"time_us,rw,lba,size\n{ROW}", "rw=op,lba=offset:sectors", lines=4
    ),
    of_trace(
        "own header without a time", f"rw,lba,len,id\n{ROW}", ("NAME=time:us", "which column is the time")
    ),
    Case(
        "the advice for an own header",
        "trace info x --columns ts_us=time:us,kind=op,lba=offset:sectors,nbytes=size:bytes",
        files={"x": f"ts_us,kind,lba,nbytes\n{ROW}"},
        code=0,
    ),
]
"""Tables with headers of their own."""

FIO = [
    Case(
        "fio's latencies with offsets",
        "trace info fio_clat.1.log",
        files={"fio_clat.1.log": "0, 104215, 1, 16384, 8192, 0\n3, 98211, 0, 4096, 0, 0\n"},
        code=0,
        says="fiolog",
    ),
    of_trace(
        "fio's latencies", "0, 104215, 1, 16384, 0\n", ("without offsets", "log_offset=1", "write_iolog")
    ),
    of_trace("fio's old latencies", "0, 104215, 1, 16384\n", ("without offsets", "log_offset=1")),
    of_trace("fio's averages", "500, 104215, 1, 0, 0\n", ("averages", "without log_avg_msec")),
    of_trace("fio's bandwidth", "500, 4021, 0, 4096, 0\n500, 4021, 0, 4096, 0\n", "log_offset=1"),
]
"""Logs of fio."""

NAMES = [
    Case("a shipped drive misspelt", "run t.csv -d smal", says=("gc-bypass", "examples/devices/small.toml")),
    Case("a shipped drive without its folder", "run t.csv -d small.toml", says="examples/devices/small.toml"),
    Case(
        "a drive beside misspelt",
        "run t.csv -d dd",
        files={"ddd.toml": DRIVE},
        says='did you mean "ddd.toml"',
    ),
    Case("a preset misspelt", "run t.csv -d gc-bypas", says='did you mean "gc-bypass"'),
    Case(
        "a drive based on one misspelt",
        "run t.csv -d x.toml",
        files={"x.toml": 'base = "smal"\n'},
        says="small.toml",
    ),
    Case("a stand-in misspelt", "trace info msr-like/hm0", says="did you mean msr-like/hm_0", lines=9),
    Case("a stand-in by its last name", "trace info usr_0", says="did you mean msr-like/usr_0", lines=9),
    Case("a recording by its last name misspelt", "run dbenc -d d.toml", says="bundled/dbench"),
    Case("a shipped experiment misspelt", "check victim", says="examples/experiments/victims.toml"),
    Case(
        "an experiment beside misspelt", "check ee.toml", files={"eee.toml": ""}, says="did you mean eee.toml"
    ),
    Case("a scheme misspelt", f"{JSON} --scheme greeedy", says='did you mean "greedy"'),
    Case("a policy misspelt", f"{JSON} --set gc.victim=fif", says='did you mean "fifo"'),
    Case("a key misspelt", f"{JSON} --set gc.victm=fifo", says='did you mean "victim"'),
    Case("a paper misspelt", "reproduce drve", says='did you mean "drive"'),
    Case("a command misspelt", "rn t.csv", says="run"),
    Case("a command of a group misspelt", "trace inf t.csv", says="info"),
    Case("an option misspelt", "run t.csv --devise d.toml", says="--device"),
]
"""Names that nothing has."""

UNITS = [
    Case("a time without a unit", f"{JSON} --set flash.t_read=25", says=("valid: ns, us", '"25us"')),
    Case("a time in a unit that is none", f"{JSON} --set flash.t_read=25ps", says=('"ps"', '"25us"')),
    Case("a size in a unit that is none", f"{JSON} --set geometry.page_size=16k", says='"16KiB"'),
    Case("a rate in a unit that is none", f"{JSON} --set channel.rate=333mbps", says='"333 MT/s"'),
    Case("a share without a unit", f"{JSON} --set geometry.over_provisioning=7", says='"7%"'),
    Case("blocks without a unit", f"{JSON} --set gc.trigger.start=5", says='"5 blocks"'),
    Case(
        "a time without quotes",
        "device show x.toml",
        files={"x.toml": "[flash]\nt_read = 25us\n"},
        says='"25us"',
    ),
    Case(
        "a word for a number", "device show x.toml", files={"x.toml": "seed = three\n"}, says='seed = "three"'
    ),
    Case(
        "a number in quotes",
        "device show x.toml",
        files={"x.toml": DRIVE + 'channels = "8"\n'},
        says="quotes: 8",
    ),
    Case(
        "a word for a count",
        "check x.toml",
        files={"x.toml": 'name = "x"\n[repeats]\ncount = three\n'},
        says="quotes",
    ),
    Case(
        "a count in quotes",
        "check x.toml",
        files={"x.toml": 'name = "x"\n[repeats]\ncount = "3"\n'},
        says="quotes: 3",
        lines=9,
    ),
    Case("no number for a scale", f"{JSON} --set host.time_scale=nan", says="between 1e-6 and 1e6"),
    Case(
        "no number for a share",
        f"{JSON} --scheme adaptive --set gc.concurrency.theta1=nan",
        says=("nan", "expected a percentage"),
    ),
    Case("no end of overwrites", f"{JSON} --set warmup.overwrites=inf", says="inf is not a number"),
    Case("no number for an option", f"{JSON} --time-scale nan", says="nan"),
    Case(
        "no number in a description",
        "trace info x.toml",
        files={
            "x.toml": 'generator = 1\nrequests = 9\nsize = "4KiB"\n[address]\n'
            'kind = "zipf"\ntheta = nan\nfootprint = "1MiB"\n'
        },
        says="theta",
    ),
    Case(
        "a size without a unit in a description",
        "trace info x.toml",
        files={
            "x.toml": "generator = 1\nrequests = 9\nsize = 4\n[address]\n"
            'kind = "uniform"\nfootprint = "1MiB"\n'
        },
        says='did you mean "4KiB"',
    ),
]
"""Units and numbers."""

FOURS = {"four.toml": FOUR, "striped.toml": STRIPED}
STRIPE = "--set redundancy.stripe_chips=4"
LAYERS = [
    Case("a scheme that does not fit", "device show four.toml --scheme raid5", files=FOURS, says="stripe"),
    Case(
        "a scheme and what makes it fit",
        f"device show four.toml --scheme raid5 {STRIPE}",
        files=FOURS,
        code=0,
    ),
    Case(
        "a run with both", f"run t.csv -d four.toml --scheme raid5 {STRIPE} --json", files=FOURS, code=SAVED
    ),
    Case("a drive that a setting makes fit", f"device show striped.toml {STRIPE}", files=FOURS, code=0),
    Case("a run of such a drive", f"run t.csv -d striped.toml {STRIPE} --json", files=FOURS, code=SAVED),
    Case(
        "a comparison of such a drive",
        f"compare t.csv -d striped.toml --schemes greedy,fifo {STRIPE} --json",
        files=FOURS,
        code=SAVED,
    ),
    Case("a trace on such a drive", "trace info t.csv --device striped.toml", files=FOURS, says="stripe"),
    Case(
        "an experiment with both",
        "check x.toml",
        files={
            **FOURS,
            "x.toml": f'{EXPERIMENT}schemes = ["raid5"]\nset = {{ "redundancy.stripe_chips" = 4 }}\n',
        },
        code=0,
    ),
    Case(
        "a scheme and its setting in Python",
        call="four = reclaim.Device.load\n"
        "four('four.toml').with_scheme('raid5', settings={'redundancy.stripe_chips': 4}).schemes",
        files=FOURS,
        code=0,
        says="raid5",
    ),
]
"""Schemes and settings that only fit together."""

MEMORY = [
    Case(
        "too little address space for results",
        f"{JSON} -o out",
        limits={"RLIMIT_AS": 600 << 20},
        fresh=True,
        says=("are needed", "allows 600 MiB", "ulimit -v"),
    ),
    Case(
        "too little data for results",
        f"{JSON} -o out",
        limits={"RLIMIT_DATA": 300 << 20},
        fresh=True,
        says=("are needed", "allows 300 MiB", "ulimit -d"),
    ),
    Case(
        "too little address space for a page",
        "trace info t.csv --html p.html",
        limits={"RLIMIT_AS": 300 << 20},
        fresh=True,
        says=("p.html: cannot be drawn", "ulimit -v"),
    ),
    Case(
        "too little address space for a sweep",
        "sweep x.toml -o out",
        files={"x.toml": 'name = "e"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\nschemes = ["greedy"]\n'},
        limits={"RLIMIT_AS": 600 << 20},
        fresh=True,
        says=("are needed", "ulimit -v"),
    ),
    Case(
        "address space for results but not for pictures",
        f"{JSON} -o out",
        limits={"RLIMIT_AS": 8 << 30},
        fresh=True,
        code=SAVED,
        writes=("out",),
        seconds=30,
    ),
]
"""Limits of memory."""

SPECIAL = [
    Case("a file of the system as a trace", "trace info /proc/cpuinfo", says="made up when it is read"),
    Case("a file of the system as a drive", "run t.csv -d /proc/cpuinfo", says="made up when it is read"),
    Case("a file of the system as an experiment", "check /proc/cpuinfo", says="made up when it is read"),
    Case("no end of zeros as a drive", "run t.csv -d /dev/zero", says="a device of the system"),
    Case("no end of zeros as an experiment", "check /dev/zero", says="not a regular file"),
    Case("a pipe as an experiment", "check x", files={"x": fifo}, says="not a regular file"),
    Case("a pipe as a drive", "run t.csv -d ./x", files={"x": fifo}, says="a named pipe"),
    Case("a folder as an experiment", "check x", files={"x": folder}, says="is a directory"),
    Case("standard input as an experiment", "check /dev/stdin", says="not a regular file"),
    Case("standard input as a drive", "run t.csv -d /dev/stdin", says="a device of the system"),
    Case("a pipe to merge", f"{JSON} --merge x", files={"x": fifo}, says="not a regular file"),
    Case(
        "a pipe as published figures",
        "trace synthesize x y.toml",
        files={"x": fifo},
        says="not a regular file",
    ),
    Case("a pipe to generate from", "trace generate x y.csv", files={"x": fifo}, says="x"),
]
"""What is no file."""

STRANGE = [
    Case("a long name of a trace", f"run {LONG} -d d.toml", says="File name too long"),
    Case("a long name of a drive", f"run t.csv -d ./{LONG}", says="File name too long"),
    Case("a long name to merge", f"{JSON} --merge {LONG}", says="File name too long"),
    Case("a long name of a folder", f"{JSON} -o {LONG}", says="File name too long"),
    Case("a long name of an experiment", f"check {LONG}", says="File name too long"),
    Case("a long name of a scheme", f"{JSON} --scheme {LONG}", says="is unknown"),
    Case("a long name of a state", f"{JSON} --save-state {LONG}", says="File name too long"),
    Case("a long name of a state to load", f"{JSON} --load-state {LONG}", says="File name too long"),
    Case("a long name to convert to", f"trace convert t.csv {LONG}.csv", says="File name too long"),
    Case("a long name of a paper", f"reproduce {LONG}", says="File name too long"),
    Case("zero in the name of a trace", call="reclaim.open_trace('a\\0b')", says="zero character"),
    Case("zero in the name of a drive", call="reclaim.Device.load('a\\0b.toml')", says="zero character"),
    Case("zero in the name of an experiment", call="reclaim.Experiment.load('a\\0b')", says="zero character"),
    Case(
        "zero in the name of a folder",
        call="reclaim.simulate(drive, trace).save('a\\0b')",
        says="zero character",
    ),
    Case("zero in a scheme", call="drive.with_scheme('a\\0b')", says="is unknown"),
    Case("zero in a key", call="drive.set('a\\0b', 1)", says="unknown key"),
    Case("zero in a value", call="drive.set('gc.victim', 'a\\0b')", says="is unknown"),
    Case(
        "zero in a trace of an experiment",
        "check x.toml",
        files={
            "x.toml": 'name = "e"\ndevices = ["d.toml"]\ntraces = ["a\\u0000b"]\n',
        },
        says="has U+0000 in it, which cannot be shown",
    ),
    Case(
        "a long trace of an experiment",
        "check x.toml",
        files={"x.toml": f'name = "e"\ndevices = ["d.toml"]\ntraces = ["{LONG}"]\n'},
        says="File name too long",
    ),
    Case(
        "zero in a trace to merge",
        "run t.csv -d x.toml --json",
        files={"x.toml": 'base = "d.toml"\n[trace]\nmerge = [{ file = "a\\u0000b" }]\n'},
        says="zero character",
    ),
    Case(
        "a long trace to merge of a drive",
        "run t.csv -d x.toml --json",
        files={"x.toml": f'base = "d.toml"\n[trace]\nmerge = [{{ file = "{LONG}" }}]\n'},
        says="File name too long",
    ),
]
"""Names that no file can have."""

CASES = [*TABLES, *FIO, *NAMES, *UNITS, *LAYERS, *MEMORY, *SPECIAL, *STRANGE]

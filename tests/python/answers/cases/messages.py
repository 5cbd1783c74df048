"""What messages must name: columns, options of fio, names that are like a wrong one, units, limits, files."""

from __future__ import annotations

from answers.case import DRIVE, RUN, SAVED, Case, Thing, fifo
from answers.case import words as of

JSON = f"{RUN} --json"
LONG = "n" * 300
ROW = "1,R,0,4096\n"
COLUMNS = "--columns ts_us=time:us,kind=op,lba=offset:sectors,nbytes=size:bytes"


def of_trace(name: str, content: str, *says: str, lines: int = 3) -> Case:
    """A file that is no trace as it is."""
    return Case(name, "trace info x", says, files={"x": content}, lines=lines)


TABLES = [
    of_trace("own header", f"ts_us,kind,lba,nbytes\n{ROW}", "columns ts_us, kind, lba, nbytes", COLUMNS),
    of_trace("own header by tabulators", "time\top\toffset\tsize\n1\tR\t0\t1\n", "--separator tab"),
    of_trace("own header by blanks", "time op lba size\n1 R 0 1\n", "--separator blanks"),
    of_trace("one in Reclaim's words", f"time_us,rw,lba,size\n{ROW}", "rw=op,lba=offset:sectors", lines=4),
    of_trace("one without a time", f"rw,lba,len,id\n{ROW}", "NAME=time:us", "which column is the time"),
    Case("its advice", f"trace info x {COLUMNS}", files={"x": f"ts_us,kind,lba,nbytes\n{ROW}"}, code=0),
]
"""Tables with headers of their own; logs of fio are in the reader's tests."""

NAMES = [
    of("run t.csv -d smal", "gc-bypass", 'did you mean "small"'),
    of("run t.csv -d small.toml", 'did you mean "small"'),
    of("run t.csv -d dd", 'did you mean "ddd.toml"', ddd_toml=DRIVE),
    of("run t.csv -d x.toml", 'did you mean "small"', x_toml='base = "smal"\n'),
    of("trace info msr-like/hm0", "did you mean msr-like/hm_0", lines=9),
    of("trace info usr_0", "did you mean msr-like/usr_0", lines=9),
    of("run dbenc -d d.toml", "bundled/dbench"),
    of("check victim", "examples/experiments/victims.toml"),
    of("check ee.toml", "did you mean eee.toml", eee_toml=""),
    of("reproduce drve", 'did you mean "drive"'),
    of("trace inf t.csv", "info"),
    of("run t.csv --devise d.toml", "--device"),
]
"""Names that nothing has."""

DESCRIBED = (
    'generator = 1\nrequests = 9\nsize = {}\n[address]\nkind = "zipf"\ntheta = {}\nfootprint = "1MiB"\n'
)
UNITS = [
    of(f"{JSON} --set flash.t_read=25", "valid: ns, us", '"25us"'),
    of(f"{JSON} --set flash.t_read=25ps", '"ps"', '"25us"'),
    of(f"{JSON} --set geometry.page_size=16k", '"16KiB"'),
    of(f"{JSON} --set channel.rate=333mbps", '"333 MT/s"'),
    of(f"{JSON} --set geometry.over_provisioning=7", '"7%"'),
    of(f"{JSON} --set gc.trigger.start=5", '"5 blocks"'),
    of("device show x.toml", '"25us"', x_toml="[flash]\nt_read = 25us\n"),
    of("check w.toml", "quotes", w_toml='name = "x"\n[repeats]\ncount = three\n'),
    of("check q.toml", "quotes: 3", lines=9, q_toml='name = "x"\n[repeats]\ncount = "3"\n'),
    of("trace info x.toml", "theta", x_toml=DESCRIBED.format('"4KiB"', "nan")),
    of("trace info y.toml", 'did you mean "4KiB"', y_toml=DESCRIBED.format("4", "0.9")),
]
"""Units and numbers."""

FOUR = DRIVE + "channels = 2\nchips_per_channel = 2\n"
STRIPES = '[redundancy]\nkind = "raid5"\nstripe_chips = 8\n[ftl.allocation]\nkind = "striping"\nby = "lpn"\n'
STRIPE = "--set redundancy.stripe_chips=4"
EXPERIMENT = """name = "e"
devices = ["four.toml"]
traces = ["t.csv"]
schemes = ["raid5"]
set = { "redundancy.stripe_chips" = 4 }
"""


def of_layers(command: str, *says: str, code: int | tuple[int, ...] = 0, call: str = "") -> Case:
    """A case of two drives that only fit with a scheme or a setting."""
    files = {"four.toml": FOUR, "striped.toml": FOUR + STRIPES, "x.toml": EXPERIMENT}
    return Case(command or call, command, says, call=call, code=code, files=files)


LAYERS = [
    of_layers("device show four.toml --scheme raid5", "stripe", code=2),
    of_layers(f"device show four.toml --scheme raid5 {STRIPE}"),
    of_layers(f"run t.csv -d striped.toml {STRIPE} --json", code=SAVED),
    of_layers(f"compare t.csv -d striped.toml --schemes greedy,fifo {STRIPE} --json", code=SAVED),
    of_layers("trace info t.csv --device striped.toml", "stripe", code=2),
    of_layers("check x.toml"),
    of_layers(
        "",
        "raid5",
        call="four = reclaim.Device.load('four.toml')\n"
        "four.with_scheme('raid5', settings={'redundancy.stripe_chips': 4}).schemes",
    ),
]
"""Schemes and settings that only fit together."""


def of_memory(command: str, limit: str, mebibytes: int, *says: str, **files: Thing) -> Case:
    """A case of a process that may have so much memory."""
    named = {key.replace("_", "."): each for key, each in files.items()}
    limits = {limit: mebibytes << 20}
    return Case(f"{mebibytes} MiB: {command}", command, says, files=named, limits=limits, fresh=True)


MEMORY = [
    of_memory(f"{JSON} -o out", "RLIMIT_AS", 600, "are needed", "allows 600 MiB", "ulimit -v"),
    of_memory(f"{JSON} -o out", "RLIMIT_DATA", 300, "are needed", "allows 300 MiB", "ulimit -d"),
    of_memory("trace info t.csv --html p.html", "RLIMIT_AS", 300, "p.html: cannot be drawn", "ulimit -v"),
    of_memory(
        "sweep x.toml -o out", "RLIMIT_AS", 600, "are needed", "ulimit -v", x_toml=EXPERIMENT, four_toml=FOUR
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

MERGED = 'base = "d.toml"\n[trace]\nmerge = [{{ file = "{}" }}]\n'
OF_TRACE = 'name = "e"\ndevices = ["d.toml"]\ntraces = ["{}"]\n'
STRANGE = [
    *(
        of(command, "File name too long")
        for command in (
            f"run {LONG} -d d.toml",
            f"run t.csv -d ./{LONG}",
            f"{JSON} -o {LONG}",
            f"check {LONG}",
            f"{JSON} --save-state {LONG}",
            f"{JSON} --load-state {LONG}",
            f"trace convert t.csv {LONG}.csv",
        )
    ),
    *(
        Case(call, call=call, says=says)
        for call, says in (
            ("reclaim.open_trace('a\\0b')", "zero character"),
            ("reclaim.Device.load('a\\0b.toml')", "zero character"),
            ("reclaim.Experiment.load('a\\0b')", "zero character"),
            ("reclaim.simulate(drive, trace).save('a\\0b')", "zero character"),
            ("reclaim.ResultSet.load('a\\0b')", "zero character"),
            ("reclaim.sweep({}, 'a\\0b')", "zero character"),
            ("drive.set('a\\0b', 1)", "unknown key"),
            ("drive.set('gc.victim', 'a\\0b')", "is unknown"),
        )
    ),
    of("check a.toml", "has U+0000 in it, which cannot be shown", a_toml=OF_TRACE.format("a\\u0000b")),
    of("check b.toml", "File name too long", b_toml=OF_TRACE.format(LONG)),
    of("run t.csv -d c.toml", "zero character", c_toml=MERGED.format("a\\u0000b")),
    of("run t.csv -d d.toml -o pipe", "pipe", pipe=fifo),
]
"""Names that no file can have, and what is no folder."""

HUGE = """h = "x" * 1_000_000
text = f'name = "x"\\ndevices = ["{h}"]\\ntraces = ["{h}"]\\nschemes = ["{h}"]'
"""
LARGE = [
    *(
        Case(f"a megabyte: {call}", call=HUGE + call, lines=9, seconds=3)
        for call in (
            "drive.set('gc.victim', h)",
            "drive.set('gc.victim', f'{{ kind = \"score\", score = \"{h}\" }}')",
            "drive.set(h, 1)",
            "drive.set('host.queue_depth', h)",
            "drive.with_scheme(h)",
            "reclaim.Experiment.parse(f'name = \"{h}\"\\n{h} = 1')",
            "reclaim.Experiment.parse(text).points()",
            "reclaim.open_trace(h)",
            "reclaim.Trace.from_records([(0, h, 0, 4096)])",
            "reclaim.fio_trace(rw=h)",
            "reclaim.generate_trace(requests=h)",
        )
    ),
    of(f"device check {'a' * 200}/gone.toml", "a" * 200),
]
"""Values that are too long to be shown, and one that is not."""

CASES = [*TABLES, *NAMES, *UNITS, *LAYERS, *MEMORY, *STRANGE, *LARGE]

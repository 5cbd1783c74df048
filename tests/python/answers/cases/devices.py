"""Device files that are no TOML, have the wrong keys or values, or cannot be a drive."""

from __future__ import annotations

from answers.case import DRIVE, Case, fifo, folder, hard, link, sparse

CHECK = "device check x.toml"
BASE = 'base = "coupled-copyback-mini"\n'


def drive(name: str, text: str, says: str | tuple[str, ...], **how: object) -> Case:
    """A case of a device file with this text."""
    return Case(name, CHECK, files={"x.toml": text}, says=says, **how)  # type: ignore[arg-type]


def setting(key: str, value: str, *says: str, name: str = "") -> Case:
    """A case of the small drive with one key set."""
    table, _, last = key.rpartition(".")
    text = f"{BASE}[{table}]\n{last} = {value}\n" if table else f"{BASE}{last} = {value}\n"
    return drive(name or f"{key} = {value[:40]}", text, (key, *says))


FILES = [
    Case("missing", "device check dd.toml", says="dd.toml"),
    Case("preset misspelt", "device check gc-bypas", says=("gc-bypas", 'did you mean "gc-bypass"')),
    Case("preset in capitals", "device show GC-BYPASS", says="valid: gc-bypass,"),
    Case("no name", ["device", "check", ""], says="PRESET|FILE.toml: is empty"),
    Case("a folder", "device check x.toml", files={"x.toml": folder}, says="x.toml"),
    Case("a pipe", CHECK, files={"x.toml": fifo}, says="is a named pipe, not a regular file"),
    Case("a terminal", "device check /dev/tty", says="/dev/tty"),
    Case("link to itself", CHECK, files={"x.toml": link("x.toml")}, says="x.toml"),
    Case("link to nothing", CHECK, files={"x.toml": link("gone.toml")}, says="x.toml"),
    Case("below a file", "device check d.toml/x.toml", says="d.toml/x.toml"),
    Case("no TOML name", "device check ./t.csv", says="t.csv:1:"),
    Case("name that is no text", ["device", "check", "\udcff.toml"], says="UTF-8"),
    Case("no text inside", CHECK, files={"x.toml": b"name = \xff\n"}, says="UTF-8"),
    Case("UTF-16", CHECK, files={"x.toml": DRIVE.encode("utf-16")}, says="UTF-"),
    Case("a gigabyte of nothing", CHECK, files={"x.toml": sparse(1 << 30)}, says="x.toml"),
    Case(
        "a trace",
        "device check x.toml",
        files={"x.toml": "0,write,0,4096\n"},
        says="x.toml:1:",
    ),
    drive("empty", "", "x.toml"),
    drive("only a comment", "# a drive\n", "x.toml"),
    drive("a generator", "generator = 1\nrequests = 5\n", "generator"),
    drive("not closed", f"{BASE}[geometry\n", ("x.toml:2:",)),
    drive("not quoted", "base = gc-bypass\n", ("x.toml:1:",)),
    drive("key twice", f"{BASE}seed = 1\nseed = 2\n", ("x.toml:3:", "seed")),
    drive("section twice", f"{BASE}[gc]\n[gc]\n", ("x.toml:3:", "gc")),
    drive("JSON", '{"base": "gc-bypass"}\n', ("x.toml:1:",)),
    drive("deep nesting", f"{BASE}x = {'[' * 5000}{']' * 5000}\n", "x.toml"),
]
"""What is no device file."""

SAME = [
    Case(
        "two settings of how much the host sees",
        "device check d.toml --set geometry.over_provisioning=40% --set geometry.user_capacity=300MiB",
        says=(
            "--set geometry.user_capacity=300MiB",
            "geometry.over_provisioning is given, too",
            "give one of them",
        ),
    ),
    Case(
        "a setting twice",
        "device check d.toml --set seed=1 --set seed=2",
        says="seed: is given twice, as 1 and as 2; give it once",
    ),
    Case(
        "a policy twice",
        "device check d.toml --set gc.victim=fifo --set gc.victim.kind=greedy",
        says=("gc.victim", "is given twice"),
    ),
    Case(
        "a pace and a utilisation",
        "run t.csv -d d.toml --time-scale 1.0 --target-utilisation 50%",
        says=("host.time_scale", "host.target_utilisation", "both say how fast the trace is played"),
    ),
    Case(
        "too little for a page",
        "device check d.toml --set geometry.user_capacity=1B",
        says="1B leaves the host less",
    ),
    Case(
        "a share of no page",
        "run t.csv -d d.toml --set warmup.kind=overwrite --set warmup.valid_share=0%",
        says=("warmup.valid_share", "is not one page", "--warmup empty"),
    ),
    Case(
        "a mesh of four thousand million rows",
        "device check d.toml --set interconnect.kind=venice-priority --set interconnect.rows=4294967295",
        says=("interconnect", "more than 65536 routers"),
    ),
    drive(
        "a name of a policy of a megabyte",
        f'{BASE}[gc]\nvictim = {{ kind = "{"x" * 900_000}" }}\n',
        ("gc.victim", "…"),
    ),
    drive(
        "a score of a megabyte",
        f'{BASE}[gc]\nvictim = {{ kind = "score", score = "{"(" * 900_000}" }}\n',
        ("gc.victim", "…"),
    ),
]
"""Settings of which one would undo another, that leave nothing to do, or that are too long to be shown."""

BASES = [
    drive("base unknown", 'base = "gc-bypas-mini"\n', ("gc-bypas-mini", 'did you mean "gc-bypass-mini"')),
    drive("base is a number", "base = 7\n", "base"),
    drive("base is empty", 'base = ""\n', "device"),
    drive("base is a list", 'base = ["gc-bypass"]\n', "base"),
    drive("base is itself", 'base = "x.toml"\n', "circle"),
    drive("base is missing", 'base = "gone.toml"\n', "gone.toml"),
    drive("base is a folder", 'base = "kept/"\n', "kept"),
    drive("base is a trace", 'base = "./t.csv"\n', ("t.csv:1:",)),
    Case(
        "base is itself by another name",
        CHECK,
        files={"y.toml": 'base = "x.toml"\n', "x.toml": hard("y.toml")},
        says="circle",
    ),
    Case(
        "bases in a circle",
        CHECK,
        files={"x.toml": 'base = "y.toml"\n', "y.toml": 'base = "z.toml"\n', "z.toml": 'base = "y.toml"\n'},
        says="circle",
    ),
    Case(
        "bases without end",
        "device check 40.toml",
        files={f"{k}.toml": f'base = "{k - 1}.toml"\n' for k in range(1, 41)},
        says="at most 16",
    ),
    Case(
        "fault in the base",
        CHECK,
        files={"x.toml": 'base = "y.toml"\n', "y.toml": f"{BASE}sed = 1\n"},
        says=("y.toml", "sed", "seed"),
    ),
]
"""What drives are based on."""

KEYS = [
    setting("sed", "1", 'did you mean "seed"'),
    setting("gc.victm", '"fifo"', "victim"),
    setting("geometry.chanels", "4", "channels"),
    setting("gc.victim.knd", '"fifo"', "kind"),
    setting("gc.victim", '"gredy"', 'did you mean "greedy"'),
    setting("gc.victim", '{ kind = "greedy", window = 5 }', "window"),
    setting("gc.victim", "5", name="policy is a number"),
    setting("gc.victim", "[]", name="policy is a list"),
    setting("gc", '"fifo"', name="section is text"),
    setting("geometry", "[]", name="section is a list"),
    setting("seed", "-1"),
    setting("seed", "1.5"),
    drive(
        "seed beyond 64 bits", f"{BASE}seed = 18446744073709551616\n", ("x.toml:2:", "18446744073709551616")
    ),
    setting("seed", '"seven"'),
    setting("name", "7"),
    setting("name", "[]", name="name is a list"),
    setting("flash.t_read", "75", '"75us"'),
    setting("flash.t_read", '"75 parsecs"', "75us"),
    setting("flash.t_read", '"-75us"'),
    setting("flash.t_read", '"nanus"'),
    setting("flash.t_read", '"1e300s"'),
    setting("flash.t_read", "[]", name="no times"),
    setting("flash.t_program", '["1us", "2us"]', name="two times for three levels"),
    setting("geometry.channels", "0"),
    setting("geometry.channels", "nan"),
    setting("geometry.channels", "true"),
    setting("geometry.channels", "4294967296"),
    drive("too many blocks", f"{BASE}[geometry]\nblocks_per_plane = 4000000000\n", ("geometry", "at most")),
    setting("geometry.blocks_per_plane", "1", name="one block"),
    setting("geometry.page_size", '"4KB"'),
    setting("geometry.page_size", '"0B"'),
    setting("geometry.page_size", '"1000B"'),
    setting("geometry.page_size", '"99999999999TiB"'),
    drive("nothing to spare", f'{BASE}[geometry]\nover_provisioning = "0%"\n', ("geometry", "spare")),
    setting("geometry.over_provisioning", '"nan%"'),
    setting("geometry.over_provisioning", '"-7%"'),
    setting("geometry.over_provisioning", "0.125", "%"),
    setting("geometry.spare_factor", '"100%"'),
    setting("geometry.user_capacity", '"1PiB"'),
    setting("channel.rate", '"40 MB/s"', "MT/s"),
    setting("channel.rate", '"0 MT/s"'),
    setting("channel.width_bits", "0"),
    setting("controller.write_buffer", '"0B"'),
    setting("host.time_scale", "inf"),
    setting("host.time_scale", "nan"),
    setting("host.time_scale", "0"),
    setting("host.queue_depth", "0"),
    setting("host.queue_depth", "8", "open loop"),
    setting("host.target_total_utilisation", '"50%"'),
    setting("host.target_scheme", '"gredy"'),
    setting("host.target_utilisation", '"150%"'),
    setting("warmup.kind", '"stedy"', 'did you mean "steady"'),
    setting("warmup.overwrites", "-2"),
    setting("warmup.overwrites", "nan"),
    setting("warmup.limit", "inf"),
    setting("warmup.tolerance", '"flat"'),
    setting("measure.after", '"never"'),
    setting("trace.merge", '"t.csv"'),
    drive("nothing sampled", f'{BASE}[trace]\nsample = "0%"\n', ("trace", "share to sample")),
    setting("trace.sample_unit", '"3KiB"', "power of two"),
    drive("played no time", f"{BASE}[trace]\nrepeat = 0\n", ("trace", "repeat must be")),
    setting("trace.align", '"3B"', "512"),
    setting("trace.remap", '"squash"', "wrap"),
    setting("gc.trigger.start", '"101%"'),
    setting("gc.pages_in_flight", "0"),
]
"""Keys and values."""

COMBINATIONS = [
    drive(
        "capacity in two ways",
        f'{BASE}[geometry]\nspare_factor = "9%"\nover_provisioning = "9%"\n',
        ("spare_factor", "over_provisioning"),
    ),
    drive(
        "copyback with pages on arrival",
        f'{BASE}[ftl]\nassign_pages = "on-arrival"\n',
        ("on-arrival", "gc.relocation", "controller"),
    ),
    drive(
        "a queue depth for nobody",
        f'{BASE}[host]\nmode = "closed-loop"\ntime_scale = 2.0\n',
        ("host.time_scale", "closed loop"),
    ),
    drive("redundancy of a chip too many", f'{BASE}[redundancy]\nkind = "raid5"\nstripe_chips = 7\n', "7"),
    drive(
        "a mesh with a controller outside",
        f'{BASE}[interconnect]\nkind = "mesh"\ncontrollers = [[9, 9]]\n',
        "controllers",
    ),
]
"""What cannot be together."""

CASES = [*SAME, *FILES, *BASES, *KEYS, *COMBINATIONS]

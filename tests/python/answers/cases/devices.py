"""Device files that are no TOML, have the wrong keys or values, or cannot be a drive."""

from __future__ import annotations

from answers.case import Case, Thing, link

CHECK = "device check x.toml"
BASE = 'base = "coupled-copyback-mini"\n'


def drive(name: str, text: Thing, *says: str, lines: int = 3) -> Case:
    """A case of a device file with this text."""
    return Case(name, CHECK, says, files={"x.toml": text}, lines=lines)


def setting(key: str, value: str, *says: str) -> Case:
    """A case of the small drive with one key set."""
    table, _, last = key.rpartition(".")
    text = f"{BASE}[{table}]\n{last} = {value}\n" if table else f"{BASE}{last} = {value}\n"
    return drive(f"{key} = {value}", text, key, *says)


FILES = [
    Case("no name", ["device", "check", ""], "NAME|FILE.toml: is empty"),
    Case("preset in capitals", "device show GC-BYPASS", "gc-bypass, "),
    Case("below a file", "device check d.toml/x.toml", "d.toml/x.toml"),
    Case("no TOML name", "device check ./t.csv", "t.csv:1:"),
    Case("name that is no text", ["device", "check", "\udcff.toml"], "UTF-8"),
    drive("link to itself", link("x.toml"), "x.toml"),
    drive("link to nothing", link("gone.toml"), "x.toml"),
    drive("no text inside", b"name = \xff\n", "UTF-8"),
    drive("empty", "", "x.toml", lines=4),
    drive("a generator", "generator = 1\nrequests = 5\n", "generator", lines=6),
    drive("key twice", f"{BASE}seed = 1\nseed = 2\n", "x.toml:3:", "seed"),
    drive("deep nesting", f"{BASE}x = {'[' * 5000}{']' * 5000}\n", "x.toml"),
]
"""What is no device file."""

BASES = [
    drive("base unknown", 'base = "gc-bypas-mini"\n', "gc-bypas-mini", 'did you mean "gc-bypass-mini"'),
    drive("base is a number", "base = 7\n", "base"),
    drive("base is itself", 'base = "x.toml"\n', "circle"),
    drive("base is a folder", 'base = "kept/"\n', "kept"),
    drive("base is a trace", 'base = "./t.csv"\n', "t.csv:1:"),
]
"""What drives are based on."""

MESH = "--set interconnect.kind=venice-priority --set interconnect.rows=4294967295"
KEYS = [
    setting("sed", "1", 'did you mean "seed"'),
    setting("gc.victim", '"gredy"', 'did you mean "greedy"'),
    setting("gc.victim", '{ kind = "greedy", window = 5 }', "window"),
    setting("gc", '"fifo"'),
    setting("seed", '"seven"'),
    drive("seed beyond 64 bits", f"{BASE}seed = {1 << 64}\n", "x.toml:2:", "18446744073709551616"),
    setting("flash.t_read", "75", '"75us"'),
    setting("flash.t_program", '["1us", "2us"]'),
    setting("geometry.blocks_per_plane", "1"),
    drive("nothing to spare", f'{BASE}[geometry]\nover_provisioning = "0%"\n', "geometry", "spare"),
    setting("channel.rate", '"40 MB/s"', "MT/s"),
    setting("channel.width_bits", "0"),
    setting("controller.write_buffer", '"0B"'),
    setting("host.queue_depth", "8", "open loop"),
    setting("trace.merge", '"t.csv"'),
    setting("trace.sample_unit", '"3KiB"', "power of two"),
    drive("a chip too many", f'{BASE}[redundancy]\nkind = "raid5"\nstripe_chips = 7\n', "7"),
    drive(
        "a far controller", f'{BASE}[interconnect]\nkind = "mesh"\ncontrollers = [[9, 9]]\n', "controllers"
    ),
    Case("too many routers", f"device check d.toml {MESH}", ("interconnect", "more than 65536 routers")),
]
"""Keys and values; more are in the tests of the settings themselves."""

CASES = [*FILES, *BASES, *KEYS]

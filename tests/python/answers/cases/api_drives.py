"""Drives and simulations called from Python with what they do not take.

That arguments of another kind are refused is in test_signatures, save where a method has checks of its own.
"""

from __future__ import annotations

from answers.case import Case, Thing, folder


def call(source: str, *says: str, name: str = "", raises: str = "InputError", **files: Thing) -> Case:
    """A call that is refused."""
    named = {key.replace("_", "."): each for key, each in files.items()}
    return Case(name or source.strip().splitlines()[-1], says=says, call=source, raises=raises, files=named)


def fine(source: str, *says: str, name: str = "", **how: object) -> Case:
    """A call that is strange and right."""
    name = name or source.strip().splitlines()[-1]
    return Case(name, says=says, call=source, code=0, **how)  # type: ignore[arg-type]


DRIVES = [
    call("reclaim.Device.preset('gc-bypas')", 'did you mean "gc-bypass"'),
    call("reclaim.Device.preset(3)", "name", "not 3"),
    call("reclaim.Device.preset('')", "device"),
    call("reclaim.Device(drive)", "name of a drive"),
    call("reclaim.Device('gc-bypass-mini', 'greedy')", "schemes"),
    call("reclaim.Device('gc-bypass-mini', (), {'seed': 1})", "settings"),
    call("reclaim.Device.load('gone.toml')", "gone.toml"),
    call("reclaim.Device.load('')", "device file"),
    call("reclaim.Device.load(b'd.toml')", "device file"),
    call("reclaim.Device.load('x.toml')", "is a directory, not a device file", x_toml=folder),
    call("drive.set('gc.victm', 'fifo')", 'did you mean "victim"'),
    *(call(f"drive.set('seed', {value})", "seed") for value in ("1.5", "None", "{'a': 1}", "10**30", "''")),
    call("drive.set('host.time_scale', math.nan)", "host.time_scale"),
    call("drive.set(5, 5)", "key"),
    call("drive.set('', 5)", "key"),
    call("drive.set('name', '\\udcff')", "UTF-8", name="a name that is no text"),
    call("drive.with_settings([('seed', 1)])", "settings"),
    call("drive.with_settings({'seed': object})", "seed"),
    call("drive.with_scheme('gredy')", 'did you mean "greedy"'),
    call("drive.with_scheme(['greedy'])", "scheme"),
    call("drive.source = 'gc-bypass'", "source", raises="FrozenInstanceError"),
    call("drive.facts(load_state='t.csv')", "t.csv"),
    call("drive.open_trace('gone.csv')", "gone.csv"),
    fine("{drive: 1}[reclaim.Device.load('d.toml')]", "1"),
    call(
        "data = pickle.dumps(drive)\nos.rename('d.toml', 'e.toml')\ntry:\n    pickle.loads(data)\n"
        "finally:\n    os.rename('e.toml', 'd.toml')\n",
        "d.toml",
        name="a pickled drive whose file is gone",
    ),
]
"""`Device`."""

LONG = "reclaim.simulate(drive, trace.transformed(repeat=20000), progress=stop"
SIMULATIONS = [
    call("reclaim.simulate(drive, 't.csv')", "trace", "open_trace"),
    call("reclaim.simulate(drive, trace, warmup='stedy')", "steady"),
    call("reclaim.simulate(drive, trace, measure_after='late')", "first-round"),
    call("reclaim.simulate(drive, trace, seed=-1)", "seed"),
    call("reclaim.simulate(drive, trace, scheme='')", "scheme"),
    call("reclaim.simulate(drive, trace, load_state='gone.state')", "gone.state"),
    call("reclaim.simulate(drive, trace, load_state='kept')", "kept"),
    call("reclaim.simulate(drive, trace, save_state='notes.txt')", "exists already"),
    call("reclaim.simulate(drive, trace, save_state='kept', force=True)", "is a directory"),
    call("reclaim.simulate(drive, trace, save_state='t.csv/new/s.state')", "t.csv is no folder"),
    call("reclaim.simulate(drive, trace, save_state='')", "save_state"),
    call("reclaim.simulate(drive, trace, save_state='d.toml', force=True)", "is what is being read"),
    call(
        f"def stop():\n    pass\n{LONG})", "stop()", raises="TypeError", name="progress that takes too little"
    ),
    call(
        f"def stop(phase, *_):\n    raise RuntimeError(phase)\n{LONG}, save_state='s')",
        "scan",
        raises="RuntimeError",
        name="progress that raises while a state is saved",
    ),
    call(
        "import warnings\nwarnings.simplefilter('error')\nreclaim.simulate(drive, trace)",
        "gc-never-ran",
        raises="ResultWarning",
    ),
]
"""`simulate`."""

CASES = [*DRIVES, *SIMULATIONS]

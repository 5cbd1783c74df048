"""Drives and simulations called from Python with what they do not take."""

from __future__ import annotations

from answers.case import Case, Thing, fifo, folder


def call(source: str, *says: str, name: str = "", raises: str = "InputError", **files: Thing) -> Case:
    """A call that is refused."""
    named = {key.replace("_", "."): each for key, each in files.items()}
    return Case(name or source.strip().splitlines()[-1], call=source, says=says, raises=raises, files=named)


def fine(source: str, *says: str, name: str = "", **how: object) -> Case:
    """A call that is strange and right."""
    name = name or source.strip().splitlines()[-1]
    return Case(name, call=source, says=says, code=0, **how)  # type: ignore[arg-type]


DRIVES = [
    call("reclaim.Device.preset('gc-bypas')", 'did you mean "gc-bypass"'),
    call("reclaim.Device.preset(3)", "preset", "not 3"),
    call("reclaim.Device.preset(None)", "preset"),
    call("reclaim.Device.preset('')", "device"),
    call("reclaim.Device.preset(b'gc-bypass')", "preset"),
    call("reclaim.Device(drive)", "name of a preset"),
    call("reclaim.Device(['gc-bypass'])", "name of a preset"),
    call("reclaim.Device()", "source", raises="TypeError"),
    call("reclaim.Device('gc-bypass-mini', 'greedy')", "schemes"),
    call("reclaim.Device('gc-bypass-mini', (), {'seed': 1})", "settings"),
    call("reclaim.Device.load('gone.toml')", "gone.toml"),
    call("reclaim.Device.load('')", "device file"),
    call("reclaim.Device.load(None)", "device file"),
    call("reclaim.Device.load(7)", "device file"),
    call("reclaim.Device.load(b'd.toml')", "device file"),
    call("reclaim.Device.load('x.toml')", "is a named pipe, not a regular file", x_toml=fifo, name="a pipe"),
    call(
        "reclaim.Device.load('x.toml')", "is a directory, not a device file", x_toml=folder, name="a folder"
    ),
    call("reclaim.Device.load('d.toml\\0')", "d.toml", name="a path with a null"),
    call("drive.set('gc.victm', 'fifo')", 'did you mean "victim"'),
    call("drive.set('gc.victim', 'gredy')", 'did you mean "greedy"'),
    call("drive.set('seed', -1)", "seed"),
    call("drive.set('seed', 1.5)", "seed"),
    call("drive.set('seed', None)", "seed"),
    call("drive.set('seed', [1])", "seed"),
    call("drive.set('seed', {'a': 1})", "seed"),
    call("drive.set('seed', 10**30)", "seed"),
    call("drive.set('seed', '')", "seed"),
    call("drive.set('host.time_scale', math.nan)", "host.time_scale"),
    call("drive.set('host.time_scale', math.inf)", "host.time_scale"),
    call("drive.set(5, 5)", "key"),
    call("drive.set(None, 5)", "key"),
    call("drive.set('', 5)", "key"),
    call("drive.set('seed')", "value", raises="TypeError"),
    call("drive.set('name', '\\udcff')", "UTF-8", name="a name that is no text"),
    call("drive.with_settings([('seed', 1)])", "settings"),
    call("drive.with_settings('seed=1')", "settings"),
    call("drive.with_settings({'seed': object})", "seed"),
    call("drive.with_scheme('gredy')", 'did you mean "greedy"'),
    call("drive.with_scheme(['greedy'])", "scheme"),
    call("drive.with_scheme(None)", "scheme"),
    call("drive.source = 'gc-bypass'", "source", raises="FrozenInstanceError"),
    call("drive.facts('t.csv')", "trace"),
    call("drive.facts(trace, load_state='gone.state')", "gone.state"),
    call("drive.facts(load_state='t.csv')", "t.csv"),
    call("drive.demand(None)", "trace"),
    call("drive.transformed('t.csv')", "trace"),
    call("drive.open_trace('gone.csv')", "gone.csv"),
    call("drive < drive", "not supported", raises="TypeError"),
    fine("{drive: 1}[reclaim.Device.load('d.toml')]", "1"),
    fine("drive == reclaim.Device.load('d.toml')", "True"),
    fine("pickle.loads(pickle.dumps(drive)) == drive", "True"),
    call(
        "data = pickle.dumps(drive)\nos.rename('d.toml', 'e.toml')\ntry:\n    pickle.loads(data)\n"
        "finally:\n    os.rename('e.toml', 'd.toml')\n",
        "d.toml",
        name="a pickled drive whose file is gone",
    ),
    fine(
        "import copy\ncopy.deepcopy(drive).config['seed'] == copy.copy(drive).config['seed']",
        "True",
        name="copies of a drive",
    ),
]
"""`Device`."""

SIMULATIONS = [
    call("reclaim.simulate(drive, 't.csv')", "trace", "open_trace"),
    call("reclaim.simulate('d.toml', trace)", "device", "Device"),
    call("reclaim.simulate(trace, drive)", "device"),
    call("reclaim.simulate(drive)", "trace", raises="TypeError"),
    call("reclaim.simulate(None, None)", "device"),
    call("reclaim.simulate(drive, trace, warm_up='empty')", "warm_up", raises="TypeError"),
    call("reclaim.simulate(drive, trace, warmup='stedy')", "steady"),
    call("reclaim.simulate(drive, trace, warmup=2)", "warmup"),
    call("reclaim.simulate(drive, trace, warmup='overwrite:nan')", "overwrites"),
    call("reclaim.simulate(drive, trace, warmup='replay:²')", "replay"),
    call("reclaim.simulate(drive, trace, measure_after=0.25)", "measure_after"),
    call("reclaim.simulate(drive, trace, measure_after='late')", "first-round"),
    call("reclaim.simulate(drive, trace, seed=-1)", "seed"),
    call("reclaim.simulate(drive, trace, seed='1.5')", "seed"),
    call("reclaim.simulate(drive, trace, seed=math.nan)", "seed"),
    call("reclaim.simulate(drive, trace, remap='squash')", "wrap"),
    call("reclaim.simulate(drive, trace, remap=1)", "wrap"),
    call("reclaim.simulate(drive, trace, scheme='gredy')", "greedy"),
    call("reclaim.simulate(drive, trace, scheme=['greedy'])", "scheme"),
    call("reclaim.simulate(drive, trace, scheme='')", "scheme"),
    call("reclaim.simulate(drive, trace, load_state='gone.state')", "gone.state"),
    call("reclaim.simulate(drive, trace, load_state='t.csv')", "t.csv"),
    call("reclaim.simulate(drive, trace, load_state='kept')", "kept"),
    call("reclaim.simulate(drive, trace, load_state=5)", "load_state"),
    call("reclaim.simulate(drive, trace, save_state='notes.txt')", "exists already"),
    call("reclaim.simulate(drive, trace, save_state='kept', force=True)", "is a directory"),
    call("reclaim.simulate(drive, trace, save_state='t.csv/new/s.state')", "t.csv is no folder"),
    call("reclaim.simulate(drive, trace, save_state='')", "save_state"),
    call("reclaim.simulate(drive, trace, save_state=5)", "save_state"),
    call("reclaim.simulate(drive, trace, save_state='d.toml', force=True)", "is what is being read"),
    call("reclaim.simulate(drive, trace, save_state='t.csv', force=True)", "is what is being read"),
    call("reclaim.simulate(drive, trace, progress=5)", "progress"),
    call(
        "def stop(*_):\n    raise KeyError('enough')\n"
        "reclaim.simulate(drive, trace.transformed(repeat=20000), progress=stop)",
        "enough",
        raises="KeyError",
        name="progress that raises",
    ),
    call(
        "def few():\n    pass\nreclaim.simulate(drive, trace.transformed(repeat=20000), progress=few)",
        "few()",
        raises="TypeError",
        name="progress that takes too little",
    ),
    call(
        "def stop(phase, done, total, now):\n    raise RuntimeError(phase)\n"
        "reclaim.simulate(drive, trace.transformed(repeat=20000), save_state='s', progress=stop)",
        "scan",
        raises="RuntimeError",
        name="progress that raises while a state is saved",
    ),
    call(
        "import warnings\nwarnings.simplefilter('error')\nreclaim.simulate(drive, trace)",
        "gc-never-ran",
        raises="ResultWarning",
        name="warnings as errors",
    ),
    call("reclaim.simulate(drive, trace, audit='yes')", "audit must be True or False"),
    fine(
        "found = []\ndef work():\n    found.append(reclaim.simulate(drive, trace, warn=False).to_json())\n"
        "threads = [threading.Thread(target=work) for _ in range(4)]\n"
        "[each.start() for each in threads]\n[each.join() for each in threads]\nlen(set(found))",
        "1",
        name="one drive and one trace in four threads",
    ),
    fine(
        "def stop(*_):\n    signal.raise_signal(signal.SIGINT)\n"
        "try:\n    reclaim.simulate(drive, trace.transformed(repeat=20000), progress=stop)\n"
        "except KeyboardInterrupt:\n    print('stopped')\n",
        "stopped",
        name="Ctrl-C while it runs",
    ),
]
"""`simulate`."""

CASES = [*DRIVES, *SIMULATIONS]

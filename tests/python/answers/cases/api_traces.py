"""Traces and results used from Python with what they do not take."""

from __future__ import annotations

from answers.case import TRACE, fifo
from answers.cases.api_drives import call, fine

RUN = "result = reclaim.simulate(drive, trace, warn=False)\n"

OPENING = [
    call("reclaim.open_trace('gone.csv')", "did you mean"),
    call("reclaim.open_trace(None)", "path"),
    call("reclaim.open_trace(5)", "path"),
    call("reclaim.open_trace(b't.csv')", "path"),
    call("reclaim.open_trace('')", "path"),
    call("reclaim.open_trace(['t.csv'])", "path"),
    call("reclaim.open_trace(open('t.csv'))", "path"),
    call("reclaim.open_trace('kept')", "is a directory"),
    call("reclaim.open_trace('x')", "is a named pipe, not a regular file", x=fifo, name="a pipe as a trace"),
    call("reclaim.open_trace('t.csv\\0')", "t.csv", name="a trace with a null in its path"),
    call("reclaim.open_trace('t.csv', format='cvs')", "csv"),
    call("reclaim.open_trace('t.csv', format=5)", "format"),
    call("reclaim.open_trace('t.csv', sort='yes')", "sort"),
    call("reclaim.open_trace('t.csv', device=1.5)", "device"),
    call("reclaim.open_trace('t.csv', event='X')", "Q"),
    call("reclaim.open_trace('t.csv', time_unit='h')", "ns"),
    call("reclaim.open_trace('t.csv', columns=['time:us'])", "columns"),
    call("reclaim.open_trace('t.csv', separator=';')", "--separator has no meaning"),
    call("reclaim.open_trace('t.csv', on_error='ignore')", "stop"),
    fine("reclaim.open_trace('t.csv', on_error=None).name", "t.csv"),
    call("reclaim.open_trace('t.csv', form='csv')", "form", raises="TypeError"),
    call("trace.name = 'other'", "name", raises="FrozenInstanceError"),
    call(
        "os.rename('t.csv', 'u.csv')\ntry:\n    trace.summary()\nfinally:\n    os.rename('u.csv', 't.csv')\n",
        "t.csv",
        name="a trace whose file is gone",
    ),
    fine("pickle.loads(pickle.dumps(trace)).summary() == trace.summary()", "True"),
    fine("repr(trace)", "<Trace t.csv, csv>"),
]
"""Opening."""

MAKING = [
    call("reclaim.Trace()", "_core", raises="TypeError"),
    call("reclaim.Trace.from_records(5)", "records"),
    call("reclaim.Trace.from_records([5])", "record 1"),
    call("reclaim.Trace.from_records([(0, 'write', 0)])", "record 1"),
    call("reclaim.Trace.from_records([(0, 'wriet', 0, 512)])", 'did you mean "write"'),
    call("reclaim.Trace.from_records([(0.5, 'write', 0, 512)])", "time in ns"),
    call("reclaim.Trace.from_records([(0, 'write', -1, 512)])", "offset in bytes"),
    call("reclaim.Trace.from_records([(0, 'write', 0, 2**64)])", "size in bytes"),
    call("reclaim.Trace.from_records([(0, 'write', 0, math.nan)])", "size in bytes"),
    call("reclaim.Trace.from_records([(0, 5, 0, 512)])", "unknown operation"),
    call("reclaim.Trace.from_records([(0, ['write'], 0, 512)])", "unknown operation"),
    call("reclaim.Trace.from_records(['read'])", "record 1"),
    call("reclaim.Trace.from_records([(0, 'write', 0, 512, 256)])", "record 1: stream"),
    call("reclaim.Trace.from_records([(0, 'write', 0, 512, 1), (0, 'write', 0, 512, 1, 1)])", "record 2"),
    call("reclaim.Trace.from_records([(5, 'read', 0, 1), (4, 'read', 0, 1)]).summary()", "record 1 (from 0)"),
    call("reclaim.Trace.from_records([(0, 'read', 0, 0)]).summary()", "zero bytes"),
    call("reclaim.Trace.from_records([]).summary()", "no requests"),
    call("reclaim.Trace.from_records([(0, 'read', 0, 1)], name=5)", "name"),
    call("reclaim.Trace.from_records((1 / 0 for _ in 'a'))", "division", raises="ZeroDivisionError"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20)", "count", raises="TypeError"),
    call("reclaim.uniform_trace(footprint_bytes=0, count=5).summary()", "footprint"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=0).summary()", "count"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=-1)", "count"),
    call("reclaim.uniform_trace(footprint_bytes=1e6, count=5)", "footprint_bytes"),
    call("reclaim.uniform_trace(footprint_bytes='1MiB', count=5)", "footprint_bytes"),
    call("reclaim.uniform_trace(footprint_bytes=2**64, count=5)", "footprint_bytes"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, request_bytes=0).summary()", "request"),
    call("reclaim.uniform_trace(footprint_bytes=4096, count=5, request_bytes=8192).summary()", "footprint"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, write_fraction=1.5).summary()", "write"),
    call(
        "reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, write_fraction=math.nan).summary()", "write"
    ),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, write_fraction='all')", "write_fraction"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, trim_fraction=None)", "trim_fraction"),
    call("reclaim.uniform_trace(footprint_bytes=1 << 20, count=5, seed=None)", "seed"),
    call("reclaim.generate_trace()", "requests"),
    call("reclaim.generate_trace(requests=10, size='4KiB', adress=1)", "adress"),
    call("reclaim.generate_trace(requests=math.nan)", "requests"),
    call("reclaim.generate_trace(requests=object())", "requests"),
    call("reclaim.generate_trace(requests=10, size={1, 2})", "size"),
    call("reclaim.generate_trace(name=5, requests=10)", "name"),
    call("reclaim.fio_trace()", "size"),
    call("reclaim.fio_trace(rw='randwrite', bs=-4, size='1m')", "bs"),
    call("reclaim.fio_trace(rw='randwrite', size=None)", "size"),
    call("reclaim.fio_trace(rw=['randwrite'], size='1m')", "rw"),
    fine("reclaim.uniform_trace(footprint_bytes=2**64 - 1, count=2).summary()['requests']", "2"),
]
"""Making."""

CHANGING = [
    call("trace.transformed(aling='4KiB')", "align"),
    call("trace.transformed(align=3)", "512"),
    call("trace.transformed(align='4KiBB')", "align"),
    call("trace.transformed(shift=-1)", "shift"),
    call("trace.transformed(shift=math.nan)", "shift"),
    call("trace.transformed(sample=0)", "sample"),
    call("trace.transformed(sample=math.inf)", "sample"),
    call("trace.transformed(sample=object())", "sample"),
    call("trace.transformed(repeat=0)", "repeat"),
    call("trace.transformed(repeat=1.5)", "repeat"),
    call("trace.transformed(max_requests='many')", "max_requests"),
    call("trace.transformed(from_=10)", "from"),
    call("trace.transformed(from_='2s', to='1s')", "window"),
    call("trace.transformed(merge=5)", "merge"),
    call("trace.transformed(merge=[5])", "merge"),
    call("trace.transformed(merge=['gone.csv'])", "gone.csv"),
    call("trace.transformed(merge={'shift': 512})", "file"),
    call("trace.transformed(merge={'file': 't.csv', 'colour': 'red'})", "colour"),
    call("trace.transformed(separate=True)", "separate"),
    call("trace.transformed(separate='perhaps', merge='t.csv')", "separate"),
    call("trace.transformed(remap='wrap')", "drive"),
    call("trace.transformed(remap=5)", "compact"),
    call("trace.transformed(remap_unit='4KiB')", "compact"),
    call("trace.transformed(remap='compact', remap_unit='100B')", "100"),
    call("trace.transformed(time_scale=0)", "time scale"),
    call("trace.transformed(time_scale='fast')", "time_scale"),
    call("trace.characteristics(unit_bytes=1000)", "power of two"),
    call("trace.characteristics(unit_bytes='4KiB')", "unit_bytes"),
    call("trace.characteristics(stream_window=0)", "stream_window"),
    call("trace.characteristics(stream_window=10**30)", "stream_window"),
    call("trace.picture({})", "characteristics"),
    call("trace.picture(5)", "characteristics"),
    call("trace.picture(trace.characteristics(), time_bins=0)", "time_bins"),
    call("trace.picture(trace.characteristics(), time_bins=10**9, address_bins=10**9)", "bins"),
    call("trace.convert('notes.txt', format='csv')", "exists already"),
    call("trace.convert('t.csv', force=True)", "is what is being read"),
    call("trace.transformed(max_requests=5).convert('t.csv', force=True)", "is what is being read"),
    call(
        "trace.transformed(merge='u.csv').convert('u.csv', force=True)", "is what is being read", u_csv=TRACE
    ),
    call(
        "merges = \"[{ file = 'u.csv' }]\"\nmerged = drive.set('trace.merge', merges)\n"
        "merged.transformed(trace).convert('u.csv', force=True)",
        "is what is being read",
        u_csv=TRACE,
        name="over a trace that the drive merges in",
    ),
    call("trace.convert('out.doc')", ".parquet"),
    call("trace.convert('out', format='xml')", "parquet"),
    call("trace.convert('out', format=5)", "format"),
    call("trace.convert(None)", "path"),
    call("trace.convert('')", "path"),
    call("trace.convert('t.csv/new/out.csv')", "t.csv is no folder"),
]
"""Changing and writing."""

RESULTS = [
    call("reclaim.Result.load('gone.json')", "gone.json", "No such file"),
    call("reclaim.Result.load('kept')", "kept"),
    call("reclaim.Result.load('t.csv')", "t.csv"),
    call("reclaim.Result.load(None)", "path"),
    call("reclaim.Result.load('x')", "x", x="[]", name="results that are a list"),
    call("reclaim.Result.load('x')", "x", x="NaN", name="results that are no number"),
    call("reclaim.Result.load('x')", "x", x="[" * 100_000, name="results nested deeply"),
    call("reclaim.Result.load('x')", "UTF-8", x=b"\xff\xfe\x00", name="results that are no text"),
    call(
        "reclaim.Result.load('x')",
        "format",
        x='{"device": 1, "gc": 1, "requests": 1, "scheme": 1, "verdict": 1}',
        name="results of no format",
    ),
    call("reclaim.Result('{}')", "no device, gc, requests, scheme, verdict", name="results of nothing"),
    call("reclaim.Result('no JSON')", "results"),
    call("reclaim.Result(5)", "results"),
    call(f"{RUN}result.save('t.csv')", "is a file", name="saved over a file"),
    call(f"{RUN}result.save('kept')", "no run wrote what is in it", name="saved into a folder of others"),
    call(f"{RUN}result.save('d.toml/x')", "d.toml/x", name="saved below a file"),
    call(f"{RUN}result.save(None)", "directory", name="saved nowhere"),
    call(f"{RUN}result.save('')", "directory", name="saved under no name"),
    call(f"{RUN}result.save('x\\0y')", "x", name="saved under a name with a null"),
    call(f"{RUN}result.latency.percentile(101)", "100", name="percentile above 100"),
    call(f"{RUN}result.latency.percentile(-1)", "0", name="percentile below 0"),
    call(f"{RUN}result.latency.percentile(math.nan)", "percent", name="percentile of no number"),
    call(f"{RUN}result.latency.percentile('99')", "percent", name="percentile of a text"),
    call(f"{RUN}result.latency.percentile(None)", "percent", name="percentile of nothing"),
    call(f"{RUN}result.verdict.level = 'good'", "level", raises="FrozenInstanceError", name="a verdict bent"),
    call(
        f"{RUN}result.write_amplification = 1",
        "write_amplification",
        raises="AttributeError",
        name="a figure bent",
    ),
    fine(f"{RUN}result.requests is None and result.gc_log is None", "True", name="tables not recorded"),
    fine(
        f"{RUN}pickle.loads(pickle.dumps(result)).to_json() == result.to_json()",
        "True",
        name="pickled result",
    ),
    fine(f"{RUN}result.to_dict().clear()\nresult.write.count", "270", name="its dictionary emptied"),
    fine(
        f"{RUN}result.save('out', report=False)\n(Path('out') / 'requests.parquet').write_bytes(b'PAR1')\n"
        "try:\n    reclaim.Result.load('out').requests\n"
        "except reclaim.InputError as error:\n    print(error)\n",
        "requests.parquet: cannot be read",
        name="a table damaged",
        writes=("out",),
    ),
    fine(
        "import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n"
        "    counted = pool.submit(reclaim.simulate, drive, trace, warn=False).result().write.count\ncounted",
        "270",
        name="in another process",
    ),
    fine(
        f"{RUN}failed = []\n"
        "def save():\n    try:\n        result.save('out', report=False)\n"
        "    except reclaim.InputError as error:\n        failed.append(str(error))\n"
        "threads = [threading.Thread(target=save) for _ in range(4)]\n"
        "[each.start() for each in threads]\n[each.join() for each in threads]\n"
        "all('another run' in each for each in failed) and reclaim.Result.load('out').write.count",
        "270",
        name="four threads into one folder",
        writes=("out",),
    ),
]
"""Results."""

CASES = [*OPENING, *MAKING, *CHANGING, *RESULTS]

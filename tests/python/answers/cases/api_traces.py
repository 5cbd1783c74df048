"""Traces and results used from Python with what they do not take."""

from __future__ import annotations

from answers.case import TRACE, fifo
from answers.cases.api_drives import call, fine

RUN = "result = reclaim.simulate(drive, trace, warn=False)\n"
READ = "is what is being read"

OPENING = [
    call("reclaim.open_trace('gone.csv')", "did you mean"),
    call("reclaim.open_trace('')", "path"),
    call("reclaim.open_trace('kept')", "is a directory"),
    call("reclaim.open_trace('x')", "is a named pipe, not a regular file", x=fifo),
    call("reclaim.open_trace('t.csv', format='cvs')", "csv"),
    call("reclaim.open_trace('t.csv', device=1.5)", "device"),
    call("reclaim.open_trace('t.csv', event='X')", "Q"),
    call("reclaim.open_trace('t.csv', time_unit='h')", "ns"),
    call("reclaim.open_trace('t.csv', separator=';')", "--separator has no meaning"),
    call("reclaim.open_trace('t.csv', on_error='ignore')", "stop"),
    fine("reclaim.open_trace('t.csv', on_error=None).name", "t.csv"),
    call("trace.name = 'other'", "name", raises="FrozenInstanceError"),
    call(
        "os.rename('t.csv', 'u.csv')\ntry:\n    trace.summary()\nfinally:\n    os.rename('u.csv', 't.csv')\n",
        "t.csv",
        name="a trace whose file is gone",
    ),
    fine("repr(trace)", "<Trace t.csv, csv>"),
]
"""Opening."""

UNIFORM = "reclaim.uniform_trace(footprint_bytes={}, count={}, {}).summary()"
MAKING = [
    call("reclaim.Trace()", "_core", raises="TypeError"),
    *(
        call(f"reclaim.Trace.from_records({records})", says)
        for records, says in (
            ("5", "records"),
            ("[5]", "record 1"),
            ("['read']", "record 1"),
            ("[(0, 'write', 0)]", "record 1"),
            ("[(0, 'wriet', 0, 512)]", 'did you mean "write"'),
            ("[(0, ['write'], 0, 512)]", "unknown operation"),
            ("[(0.5, 'write', 0, 512)]", "time in ns"),
            ("[(0, 'write', -1, 512)]", "offset in bytes"),
            ("[(0, 'write', 0, 2**64)]", "size in bytes"),
            ("[(0, 'write', 0, 512, 256)]", "record 1: stream"),
            ("[(0, 'write', 0, 512, 1), (0, 'write', 0, 512, 1, 1)]", "record 2"),
        )
    ),
    call("reclaim.Trace.from_records([(5, 'read', 0, 1), (4, 'read', 0, 1)]).summary()", "record 1 (from 0)"),
    call("reclaim.Trace.from_records([]).summary()", "no requests"),
    call("reclaim.Trace.from_records([(0, 'read', 0, 1)], name=5)", "name"),
    call("reclaim.Trace.from_records((1 / 0 for _ in 'a'))", "division", raises="ZeroDivisionError"),
    call(UNIFORM.format(0, 5, ""), "footprint"),
    call(UNIFORM.format(2**20, 0, ""), "count"),
    call(UNIFORM.format(2**20, -1, ""), "count"),
    call(UNIFORM.format(2**64, 5, ""), "footprint_bytes"),
    call(UNIFORM.format(2**20, 5, "request_bytes=0"), "request"),
    call(UNIFORM.format(4096, 5, "request_bytes=8192"), "footprint"),
    call(UNIFORM.format(2**20, 5, "write_fraction=1.5"), "write"),
    call(UNIFORM.format(2**20, 5, "write_fraction=math.nan"), "write"),
    call("reclaim.generate_trace()", "requests"),
    call("reclaim.generate_trace(requests=10, size='4KiB', adress=1)", "adress"),
    call("reclaim.generate_trace(requests=object())", "requests"),
    call("reclaim.generate_trace(requests=10, size={1, 2})", "size"),
    call("reclaim.fio_trace()", "size"),
    call("reclaim.fio_trace(rw=['randwrite'], size='1m')", "rw"),
    fine("reclaim.uniform_trace(footprint_bytes=2**64 - 1, count=2).summary()['requests']", "2"),
]
"""Making."""

CHANGING = [
    *(
        call(f"trace.transformed({changes})", says)
        for changes, says in (
            ("aling='4KiB'", "align"),
            ("align=3", "512"),
            ("shift=-1", "shift"),
            ("sample=0", "sample"),
            ("sample=math.inf", "sample"),
            ("sample=object()", "sample"),
            ("repeat=1.5", "repeat"),
            ("max_requests='many'", "max_requests"),
            ("from_=10", "from"),
            ("from_='2s', to='1s'", "window"),
            ("merge=5", "merge"),
            ("merge=[5]", "merge"),
            ("merge=['gone.csv']", "gone.csv"),
            ("merge={'shift': 512}", "file"),
            ("merge={'file': 't.csv', 'colour': 'red'}", "colour"),
            ("separate=True", "separate"),
            ("separate='perhaps', merge='t.csv'", "separate"),
            ("remap='wrap'", "drive"),
            ("remap=5", "compact"),
            ("remap_unit='4KiB'", "compact"),
            ("time_scale=0", "time scale"),
            ("time_scale='fast'", "time_scale"),
        )
    ),
    call("trace.characteristics(unit_bytes=1000)", "power of two"),
    call("trace.characteristics(stream_window=0)", "stream_window"),
    call("trace.characteristics(stream_window=10**30)", "stream_window"),
    call("trace.picture({})", "characteristics"),
    call("trace.picture(trace.characteristics(), time_bins=0)", "time_bins"),
    call("trace.picture(trace.characteristics(), time_bins=10**9, address_bins=10**9)", "bins"),
    call("trace.convert('notes.txt', format='csv')", "exists already"),
    call("trace.transformed(max_requests=5).convert('t.csv', force=True)", READ),
    call("trace.transformed(merge='u.csv').convert('u.csv', force=True)", READ, u_csv=TRACE),
    call(
        "merges = \"[{ file = 'u.csv' }]\"\nmerged = drive.set('trace.merge', merges)\n"
        "merged.transformed(trace).convert('u.csv', force=True)",
        READ,
        u_csv=TRACE,
    ),
    call("trace.convert('out.doc')", ".parquet"),
    call("trace.convert('')", "path"),
    call("trace.convert('t.csv/new/out.csv')", "t.csv is no folder"),
]
"""Changing and writing."""

RESULTS = [
    call("reclaim.Result.load('gone.json')", "gone.json", "No such file"),
    call("reclaim.Result.load('kept')", "kept"),
    call("reclaim.Result.load('t.csv')", "t.csv"),
    call("reclaim.Result.load('x')", "x", x="[]", name="results that are a list"),
    call("reclaim.Result.load('x')", "UTF-8", x=b"\xff\xfe\x00", name="results that are no text"),
    call(
        "reclaim.Result.load('x')",
        "format",
        x='{"device": 1, "gc": 1, "requests": 1, "scheme": 1, "verdict": 1}',
        name="results of no format",
    ),
    call("reclaim.Result('{}')", "no device, gc, requests, scheme, verdict", name="results of nothing"),
    call("reclaim.Result('no JSON')", "results"),
    call(f"{RUN}result.save('')", "directory"),
    call(f"{RUN}result.save('d.toml/x')", "d.toml/x"),
    call(f"{RUN}result.latency.percentile(101)", "100"),
    call(f"{RUN}result.latency.percentile(math.nan)", "percent"),
    call(f"{RUN}result.verdict.level = 'good'", "level", raises="FrozenInstanceError"),
    call(f"{RUN}result.write_amplification = 1", "write_amplification", raises="AttributeError"),
]
"""Results."""

CASES = [*OPENING, *MAKING, *CHANGING, *RESULTS]

"""Options of the commands that look into traces, make them and write them, and of the lists."""

from __future__ import annotations

from answers.case import Case, fifo, hard, link
from answers.case import words as of
from answers.cases.options_run import GENERATED, UNIFORM
from answers.cases.traces import LISTED

GOOD = GENERATED + UNIFORM
READ = "is what is being read"
HEADER = "time_us,op,offset_bytes,size_bytes\n"
RECORD = "trace record -o out.blkparse.txt"


def generated(name: str, text: str, *says: str) -> Case:
    """A description of requests that is wrong."""
    return Case(name, "trace generate g.toml out.csv", says, files={"g.toml": text})


LOOKING = [
    of("trace info", "TRACE"),
    of("trace info t.csv --remap wrap", "need"),
    of("trace info t.csv --remap-unit 4KiB", "--remap compact"),
    of("trace info t.csv --remap compact --remap-unit 100", "100 bytes"),
    of("trace info t.csv --time-scale nan", "time"),
    of("trace info t.csv --html kept/notes.txt", "no page that Reclaim drew"),
    of("trace info t.csv --html kept", "kept: is a directory"),
    of("trace info t.csv --html t.csv", READ),
    of("trace info t.csv --html t.csv/new/p.html", "t.csv is no folder"),
    of("trace info t.csv --html -", "standard output"),
]
"""`trace info`."""

CONVERTING = [
    of("trace convert t.csv", "OUT"),
    of("trace convert t.csv ./kept/../t.csv --force", READ),
    of("trace convert t.csv link.csv --force", READ, link_csv=link("t.csv")),
    of("trace convert t.csv old.csv", "exists already; --force", old_csv="mine\n"),
    of("trace convert t.csv out.doc", "out.doc", ".parquet"),
    of("trace convert t.csv out.csv --as xml", "parquet"),
    of("trace convert t.csv out.csv.zip", "out.csv.zip"),
    of("trace convert t.csv -", "standard output"),
    of("trace convert t.csv t.csv/new/out.csv", "t.csv is no folder"),
    of("trace convert t.csv kept", "kept: is a directory"),
    of("trace convert t.csv p.csv --force", "is not a regular file", p_csv=fifo),
    of(
        "trace convert t.csv q.csv --force", "is a link to gone/q.csv, which is not", q_csv=link("gone/q.csv")
    ),
    Case("an empty name", ["trace", "convert", "t.csv", ""], "OUT: is empty"),
    of("trace convert x.csv out.mqsim", "would hold no requests", x_csv=f"{HEADER}0,trim,0,4096\n"),
    of("trace convert x.csv out.csv", ":3:", x_csv=f"{HEADER}0,trim,0,4096\n0,trim\n"),
]
"""`trace convert`."""

GENERATING = [
    generated("no address", GENERATED, "address"),
    generated("half a request", GOOD.replace("= 10", "= 0.5"), "requests"),
    generated("unknown key", f'{GENERATED}adress = {{ kind = "uniform" }}\n', "adress", "address"),
    generated("unknown kind", GOOD.replace("unif", "unfi"), "g.toml:5: address.kind", "unfiorm", "uniform"),
    generated("deep nesting", f"{GENERATED}address = {'[' * 5000}{']' * 5000}\n", "g.toml"),
    Case("no text", "trace generate g.toml out.csv", "g.toml", files={"g.toml": "\0\0\0"}, lines=LISTED),
    of("trace generate rw=randrw", "the file to write"),
    of("trace generate rw=randrw out.csv", "size"),
    of("trace generate rw=sideways size=1m out.csv", "rw", "randwrite"),
    of("trace generate rw=randwrite size=1m rw=read out.csv", "rw"),
    of("trace generate rw=randwrite bs=0 size=1m out.csv", "bs"),
    of("trace generate rw=randwrite bssplit=4k/80:64k/30 size=1m out.csv", "bssplit"),
    of("trace generate rw=randwrite size=1m colour=red out.csv", "colour"),
    of("trace generate rw=randwrite size=nan out.csv", "size"),
    of("trace generate rw=randrw rwmixread=130 size=1m out.csv", "rwmixread"),
    of("trace generate rw=randwrite size=1m t.csv", "exists already"),
    of("trace generate job.fio out.csv", "job", job_fio="[global]\nrw=write\nsize=1m\n"),
    of(
        "trace generate zones.fio out.csv", "zones.fio:3: zonemode", zones_fio="[a]\nrw=write\nzonemode=zbd\n"
    ),
    of("trace generate d.toml out.csv", "d.toml"),
    of("trace generate t.csv out.csv", "t.csv"),
    of("trace generate gone.toml out.csv", "gone.toml"),
]
"""`trace generate`."""

WRITING = [
    of(command, says, s_toml=GOOD, u_toml=hard("s.toml"))
    for command, says in (
        ("trace convert s.toml u.toml --as csv --force", READ),
        ("trace generate s.toml u.toml --as csv --force", READ),
        ("trace synthesize s.toml u.toml --force", READ),
        ("trace info s.toml --html u.toml", READ),
        ("trace generate s.toml kept --as csv", "is a directory"),
        ("trace generate s.toml t.csv/new/out.csv", "t.csv is no folder"),
        ("trace generate s.toml - --as csv", "standard output"),
        ("trace synthesize s.toml t.csv/new/out.toml", "t.csv is no folder"),
    )
]
"""What is being read, by another name, and what no file can be."""

FIGURES = 'published = 1\nname = "a"\nof = "b"\nsource = "c"\nfigures = 7\n'
OTHERS = [
    of("trace synthesize t.csv notes.txt", "notes.txt"),
    of("trace synthesize x.csv out.toml", "100", x_csv=f"{HEADER}0,read,0,512\n"),
    of("trace synthesize table.toml out.toml", "figures", table_toml=FIGURES),
    of("trace synthesize t.csv out.toml --seed -1", "--seed"),
    of("trace list nothing-like-this --figures", "nothing-like-this"),
    of("trace list nothing-like-this", "nothing-like-this"),
    *(
        Case(command, f"{command} --dry-run -- true", says, prints=True, lines=9)
        for command, says in (
            ("trace record -o t.csv", "exists already"),
            ("trace record -o t.csv/out.txt", "t.csv is no folder"),
            (f"{RECORD} --workspace gone", "gone: no such folder"),
            (f"{RECORD} --size 1KiB", "size"),
            (f"{RECORD} --drop-cache nan", "--drop-cache"),
        )
    ),
    of("validate --quick --full", "--full"),
    of("validate --mqsim --quick", "--quick"),
    of("validate --force", "--force"),
    of("config schema x", "x"),
    of("device show", "NAME|FILE.toml"),
    of("device check d.toml --scheme gredy", 'did you mean "greedy"'),
    Case("words that are no text", ["trace", "\udcff"], "No such command"),
]
"""Everything else."""

CASES = [*LOOKING, *CONVERTING, *GENERATING, *WRITING, *OTHERS]

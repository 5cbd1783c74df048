"""Options of the commands that look into traces, make them and write them, and of the lists."""

from __future__ import annotations

from answers.case import Case, Thing, fifo, hard, link
from answers.cases.traces import LISTED

GENERATOR = 'generator = 1\nrequests = 10\nsize = "4KiB"\noperations = { write = 1.0 }\n'
ADDRESS = 'address = { kind = "uniform", footprint = "1MiB" }\n'
READ = "is what is being read"
ENDLESS = 'arrivals = { kind = "constant", interval = "500us" }\n'


def generated(name: str, text: str, *says: str) -> Case:
    """A description of requests that is wrong."""
    return Case(name, "trace generate g.toml out.csv", files={"g.toml": text}, says=says)


def of(words: str, *says: str, name: str = "", **files: Thing) -> Case:
    """A case of these words."""
    return Case(
        name or words, words, says=says, files={key.replace("_", "."): each for key, each in files.items()}
    )


LOOKING = [
    of("trace info", "TRACE"),
    of("trace info t.csv --remap wrap", "need"),
    of("trace info t.csv --remap-unit 4KiB", "--remap compact"),
    of("trace info t.csv --remap compact --remap-unit 100", "100 bytes"),
    of("trace info t.csv --time-scale 0", "time"),
    of("trace info t.csv --time-scale nan", "time"),
    of("trace info t.csv --html kept/notes.txt", "no page that Reclaim drew"),
    of("trace info t.csv --html kept", "kept: is a directory"),
    of("trace info t.csv --html t.csv", "is what is being read"),
    of("trace info t.csv --html t.csv/new/p.html", "t.csv is no folder"),
    of("trace info t.csv --html -", "standard output"),
    of("trace info t.csv --html p.html --html q.html", "--html is given twice"),
    of("trace info t.csv -d gc-bypas", 'did you mean "gc-bypass"'),
    of("trace info t.csv --separator ,", "--separator"),
    of("trace info t.csv t.csv", "t.csv"),
]
"""`trace info`."""

CONVERTING = [
    of("trace convert t.csv", "OUT"),
    of("trace convert t.csv t.csv", "is what is being read"),
    of("trace convert t.csv t.csv --force", "is what is being read"),
    of("trace convert t.csv ./kept/../t.csv --force", "is what is being read"),
    of("trace convert t.csv link.csv --force", "is what is being read", link_csv=link("t.csv")),
    of("trace convert t.csv notes.txt", "notes.txt"),
    of("trace convert t.csv old.csv", "exists already; --force", old_csv="mine\n"),
    of("trace convert t.csv out.doc", "out.doc", ".parquet"),
    of("trace convert t.csv out", "out: the name does not tell the format"),
    of("trace convert t.csv out.csv --as xml", "parquet"),
    of("trace convert t.csv out.parquet.gz", "out.parquet.gz", "Parquet is packed inside"),
    of("trace convert t.csv out.csv.zip", "out.csv.zip"),
    of("trace convert t.csv -", "standard output"),
    of("trace convert t.csv t.csv/new/out.csv", "t.csv is no folder"),
    of("trace convert t.csv kept", "kept: is a directory"),
    of("trace convert t.csv p.csv --force", "is not a regular file", p_csv=fifo),
    of(
        "trace convert t.csv p.csv --force",
        "is a link to gone/out.csv, which is not there",
        name="a link to a folder that is not there",
        p_csv=link("gone/out.csv"),
    ),
    of("trace convert t.csv t.csv/out.csv", "t.csv/out.csv"),
    Case("an empty name", ["trace", "convert", "t.csv", ""], says="OUT: is empty"),
    Case("a name too long", f"trace convert t.csv {'n' * 300}.csv", says="too long"),
    of(
        "trace convert x.csv out.mqsim",
        "would hold no requests",
        x_csv="time_us,op,offset_bytes,size_bytes\n0,trim,0,4096\n",
    ),
    of(
        "trace convert x.csv out.csv",
        ":3:",
        x_csv="time_us,op,offset_bytes,size_bytes\n0,trim,0,4096\n0,trim\n",
    ),
    of("trace convert t.csv out.csv --max-requests 0", "--max-requests"),
]
"""`trace convert`."""

GENERATING = [
    generated("generator of another version", GENERATOR.replace("= 1\n", "= 3\n", 1) + ADDRESS, "generator"),
    generated("no address", GENERATOR, "address"),
    generated("no requests", (GENERATOR + ADDRESS).replace("requests = 10", "requests = 0"), "requests"),
    generated("minus ten requests", (GENERATOR + ADDRESS).replace("= 10", "= -10"), "requests"),
    generated("half a request", (GENERATOR + ADDRESS).replace("= 10", "= 0.5"), "requests"),
    generated("unknown key", GENERATOR + 'adress = { kind = "uniform" }\n', "adress", "address"),
    generated(
        "unknown kind",
        GENERATOR + ADDRESS.replace("uniform", "unifrom"),
        "g.toml:5: address.kind",
        "unifrom",
        "uniform",
    ),
    generated("more operations than all", GENERATOR.replace("1.0", "1.5") + ADDRESS, "1.5"),
    generated("a share that is no number", GENERATOR.replace("1.0", "nan") + ADDRESS, "operations"),
    generated(
        "a footprint without a unit", GENERATOR + ADDRESS.replace('"1MiB"', "4194304"), 'mean "4194304B"?'
    ),
    generated("a footprint of nothing", GENERATOR + ADDRESS.replace("1MiB", "0B"), "footprint"),
    generated("a footprint below a request", GENERATOR + ADDRESS.replace("1MiB", "512B"), "footprint"),
    generated(
        "Zipf without bounds", GENERATOR + ADDRESS.replace('"uniform"', '"zipf", theta = inf'), "theta"
    ),
    generated("mixed of itself", GENERATOR + 'address = { kind = "mixed", parts = [] }\n', "address"),
    generated("gaps of no length", GENERATOR + ADDRESS + ENDLESS.replace("500us", "-1us"), "arrivals"),
    generated("deep nesting", GENERATOR + f"address = {'[' * 5000}{']' * 5000}\n", "g.toml"),
    Case("no text", "trace generate g.toml out.csv", files={"g.toml": "\0\0\0"}, says="g.toml", lines=LISTED),
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
    of("trace generate job.fio out.csv", "job", job_fio="[a]\nrw=write\nsize=1m\n[b]\nrw=read\nsize=1m\n"),
    of("trace generate g.toml g.toml --force", "is what is being read", g_toml=GENERATOR + ADDRESS),
    of("trace generate d.toml out.csv", "d.toml"),
    of("trace generate t.csv out.csv", "t.csv"),
    of("trace generate gone.toml out.csv", "gone.toml"),
]
"""`trace generate`."""

OTHERS = [
    of("trace synthesize t.csv notes.txt", "notes.txt"),
    of("trace synthesize t.csv t.csv --force", "t.csv"),
    *(
        of(words, says, name=f"{words} of what is read", s_toml=GENERATOR + ADDRESS, u_toml=hard("s.toml"))
        for words, says in (
            ("trace convert s.toml u.toml --as csv --force", READ),
            ("trace generate s.toml u.toml --as csv --force", READ),
            ("trace synthesize s.toml u.toml --force", READ),
            ("trace synthesize s.toml s.toml --force", READ),
            ("trace info s.toml --html u.toml", READ),
            ("trace generate s.toml kept --as csv", "is a directory"),
            ("trace generate s.toml t.csv/new/out.csv", "t.csv is no folder"),
            ("trace generate s.toml - --as csv", "standard output"),
            ("trace generate s.toml t.csv", "t.csv: exists already; --force"),
            ("trace synthesize s.toml t.csv/new/out.toml", "t.csv is no folder"),
        )
    ),
    of("trace synthesize t.csv", "t.csv"),
    of("trace synthesize x.csv out.toml", "100", x_csv="time_us,op,offset_bytes,size_bytes\n0,read,0,512\n"),
    of("trace synthesize table.toml out.toml", "table.toml", table_toml="published = 1\n"),
    of(
        "trace synthesize table.toml out.toml",
        "figures",
        name="figures that are no table",
        table_toml='published = 1\nname = "a"\nof = "b"\nsource = "c"\nfigures = 7\n',
    ),
    of("trace synthesize gone.csv out.toml", "gone.csv"),
    of("trace synthesize t.csv out.toml --seed -1", "--seed"),
    of("trace stand-ins nothing-like-this", "nothing-like-this"),
    of("trace list nothing-like-this", "nothing-like-this"),
    of("trace list a b", "b"),
    of("trace formats csv", "csv"),
    Case(
        "a recording over a trace",
        "trace record -o t.csv --dry-run -- true",
        says="exists already",
        prints=True,
        lines=9,
    ),
    of("trace record -o out.blkparse.txt --size 1KiB --dry-run -- true", "size"),
    of("trace record -o out.blkparse.txt --size nan --dry-run -- true", "size"),
    of("trace record -o out.blkparse.txt --drop-cache nan --dry-run -- true", "--drop-cache"),
    of("trace record -o out.blkparse.txt --drop-cache -1 --dry-run -- true", "--drop-cache"),
    Case(
        "a recording in no folder",
        "trace record -o out.txt --workspace gone --dry-run -- true",
        says="gone: no such folder",
        prints=True,
        lines=9,
    ),
    Case(
        "a recording to no folder",
        "trace record -o t.csv/out.txt --dry-run -- true",
        says="t.csv is no folder",
        prints=True,
        lines=9,
    ),
    of("validate --quick --full", "--full"),
    of("validate --mqsim --quick", "--quick"),
    of("validate --quick -o t.csv", "t.csv: is a file"),
    of("validate --quick -o kept", "no run wrote what is in it"),
    of("validate --force", "--force"),
    of("config schema x", "x"),
    of("scheme list x", "x"),
    of("policy lst", "lst"),
    of("device list --json", "--json"),
    of("device show", "PRESET"),
    of("device show a b", "b"),
    of("device check d.toml --set seed=x", "seed"),
    of("device check d.toml --scheme gredy", 'did you mean "greedy"'),
    Case("words that are no text", ["trace", "\udcff"], says="No such command"),
]
"""Everything else."""

CASES = [*LOOKING, *CONVERTING, *GENERATING, *OTHERS]

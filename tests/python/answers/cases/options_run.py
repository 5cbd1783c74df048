"""Options of `run` and `compare` that are wrong, in vain, doubled, or at odds with each other."""

from __future__ import annotations

from answers.case import RUN, Case

COMPARE = "compare t.csv -d d.toml"


def of_run(words: str, *says: str, name: str = "") -> Case:
    """A case of `run` with these words behind it."""
    return Case(name or words, f"{RUN} {words}", says=says)


def of_compare(words: str, *says: str, name: str = "") -> Case:
    """A case of `compare` with these words behind it."""
    return Case(name or f"compare {words}", f"{COMPARE} {words}", says=says)


WORDS = [
    Case("unknown command", "runn t.csv", says="runn"),
    Case("unknown subcommand", "device lst", says="lst"),
    Case("no trace", "run -d d.toml", says="TRACE"),
    Case("no device", "run t.csv", says="--device"),
    Case("two traces", "run t.csv t.csv -d d.toml", says="t.csv"),
    Case("empty trace", ["run", "", "-d", "d.toml"], says="TRACE: is empty"),
    Case("empty device", ["run", "t.csv", "-d", ""], says="without a value"),
    Case("value left out", "run t.csv -d", says="-d"),
    of_run("--devic d.toml", "--devic", "--device"),
    of_run("--qeue-depth 4", "--qeue-depth", "--queue-depth"),
    of_run("-x", "-x"),
    of_run("--sort=yes", "--sort"),
    of_run("--json --json --audit --audit=1", "--audit"),
    Case("an option as a trace", "run -- --audit -d d.toml", says=""),
]
"""Words."""

VALUES = [
    of_run("--seed -1", "--seed"),
    of_run("--seed 1.5", "--seed"),
    of_run("--seed nan", "--seed"),
    of_run(f"--seed {1 << 64}", "seed"),
    of_run(f"--seed {10**40}", "seed"),
    of_run("--seed ٣٤", name="seed in other digits"),
    of_run("--set seed", "KEY=VALUE"),
    of_run("--set =5", "KEY=VALUE"),
    of_run("--set seed=", "KEY=VALUE"),
    of_run("--set sed=5", 'did you mean "seed"'),
    of_run("--set gc.victim=gredy", 'did you mean "greedy"'),
    of_run("--set gc.victim=5", "gc.victim"),
    of_run("--set 'seed=[1'", "seed", name="a list that is not closed"),
    of_run("--set 'a\"b=1'", name="a quotation mark in a key"),
    of_run("--set geometry..channels=1", "geometry"),
    of_run("--set geometry.channels=0", "geometry.channels"),
    of_run("--set geometry.blocks_per_plane=4000000000", "geometry"),
    of_run("--record-requests", "-o DIR"),
    of_run("--load-state missing.state", "missing.state"),
    of_run(f"--set {'a.' * 3000}b=1", "a", name="a key of 3000 parts"),
    of_run(f"--set seed={'[' * 3000}", "seed", name="3000 brackets"),
    of_run("--set geometry=1", "geometry"),
    of_run("--set trace.merge=t.csv", "trace.merge"),
    of_run("--scheme gredy", 'did you mean "greedy"'),
    of_run("--warmup stedy", "steady"),
    of_run("--warmup overwrite:lots", "lots", "overwrite:2"),
    of_run("--warmup overwrite:nan", "overwrite"),
    of_run("--warmup overwrite:-1", "warmup.overwrites"),
    of_run("--warmup overwrite:", "overwrite"),
    of_run("--warmup replay:1.5", "replay"),
    of_run("--warmup replay:0", "replays"),
    of_run("--warmup replay:²", "replay"),
    of_run("--warmup filled:2", "overwrite:N"),
    of_run("--measure-after 101%", "measure.after"),
    of_run("--measure-after secondround", "first-round"),
    of_run("--remap squash", "wrap"),
    of_run("--mode openloop", "open-loop"),
    of_run("--mode closed-loop --queue-depth 0", "queue-depth"),
    of_run("--mode closed-loop --queue-depth 99999999999", "queue"),
    of_run("--time-scale inf", "host.time_scale"),
    of_run("--time-scale nan", "host.time_scale"),
    of_run("--time-scale 0", "host.time_scale"),
    of_run("--time-scale -2", "host.time_scale"),
    of_run("--target-utilisation 0%", "--target-utilisation"),
    of_run("--target-utilisation nan%", "--target-utilisation"),
    of_run("--target-utilisation much", "--target-utilisation"),
    of_run("--target-total-utilisation 60%", "name one, as in 60%:greedy"),
    of_run("--target-total-utilisation :greedy", "--target-total-utilisation"),
    of_run("--target-total-utilisation nan%:greedy", "--target-total-utilisation"),
    of_run("--target-total-utilisation 60%:gredy", "greedy"),
    of_run("--target-total-utilisation 60%:greedy+", "host.target_scheme"),
    of_run("--format blkprase", 'did you mean "blkparse"'),
    of_run("--event X", "Q", "D", "C"),
    of_run("--time-unit h", "ns"),
    of_run("--columns time", "--columns", "time needs its unit"),
    of_run("--columns time:us,op,offset:bytes", "size"),
    of_run("--columns time:us,op,offset:bytes,size:bytes --separator ab", "separator"),
    of_run("--separator tab", "--separator has no meaning for the format csv"),
    of_run("--on-error ignore", "stop"),
    of_run("--trace-device 5", "device"),
]
"""Values."""

STEPS = [
    of_run("--from -1s", "from"),
    of_run("--from soon", "from"),
    of_run("--from 10", "10"),
    of_run("--from 2s --to 1s", "from 2s to 1s is empty"),
    of_run("--from 1h --to 2h", "no request", name="nothing left"),
    of_run("--shift -4096", "--shift", "must not be negative"),
    of_run("--shift 16EiB", "shift"),
    of_run("--shift 1KiBB", "shift"),
    of_run("--align 3", "512"),
    of_run("--align 0", "512"),
    of_run("--align 1TiB", "align"),
    of_run("--sample 0", "--sample"),
    of_run("--sample 101%", "--sample"),
    of_run("--sample 1e-9", "millionths"),
    of_run("--sample-seed 3", "--sample"),
    of_run("--sample 10% --sample-unit 3KiB", "power of two"),
    of_run("--sample-unit 1MiB", "--sample"),
    of_run("--max-requests 0", "--max-requests"),
    of_run("--max-requests ten", "--max-requests"),
    of_run("--repeat 0", "--repeat"),
    of_run("--repeat 99999999999", "repeat"),
    of_run("--repeat 1000000 --repeat-gap 1000000s", "64 bits", name="beyond the end of time"),
    of_run("--repeat-gap 1s", "--repeat"),
    of_run("--repeat-order shuffled --warmup filled", "--repeat N", "--warmup workload"),
    of_run("--repeat-order backwards", "shuffled"),
    of_run("--separate", "--merge"),
    of_run("--merge gone.csv", "gone.csv"),
    of_run("--merge kept", "kept"),
    of_run("--merge t.csv,devcie=hm_1", "did you mean device?"),
    of_run("--merge t.csv@8XB", '"8XB" is no size'),
    of_run("--merge t.csv@-512", '"-512" is no size'),
    of_run("--merge t.csv,event=X", "valid: Q, D, C"),
    of_run("--merge bundled/varmial", "did you mean bundled/varmail"),
    Case(
        "a volume of a public set that there is not",
        f"{RUN} --merge msr/hm_9",
        says="no trace of that name",
        lines=9,
    ),
    of_run("--merge t.csv@nowhere", "t.csv@nowhere"),
    of_run("--merge t.csv,sort=perhaps", "sort is true or false"),
    of_run("--merge t.csv,sort=true,sort=true", "sort is given twice"),
    of_run("--merge t.csv,colour=red", "colour", "columns"),
    of_run("--merge t.csv,format=mrs", "mrs"),
    of_run("--merge t.csv@99999999999999999999", "shift", name="merged far away"),
]
"""What changes the trace on its way."""

AT_ODDS = [
    of_run("--queue-depth 4", "open loop"),
    of_run("--mode closed-loop --time-scale 2", "closed loop"),
    of_run("--mode closed-loop --target-utilisation 50%", "closed"),
    of_run("--mode closed-loop --target-total-utilisation 50%:greedy", "closed"),
    of_run("--target-utilisation 50% --target-total-utilisation 50%:greedy", "give one of them"),
    of_run("--time-scale 2 --target-utilisation 50%", "target_utilisation"),
    of_run("--time-scale 2 --target-total-utilisation 50%:greedy", "target_total_utilisation"),
    of_run("--set host.target_scheme=greedy", "host.target_total_utilisation"),
    of_run("--seed 1 --set seed=2", "seed: is given twice"),
    of_run("--seed 1 --seed 1", "--seed is given twice"),
    of_run("-d d.toml", "--device is given twice"),
    of_run("--warmup filled --set warmup.kind=empty", "warmup.kind: is given twice"),
    of_run("--warmup steady --set warmup.overwrites=3", "warmup.overwrites"),
    of_run("--set gc.victim=fifo --set gc.victim=greedy", "gc.victim.kind: is given twice"),
    of_run("--scheme greedy --scheme greedy", "greedy"),
    of_run("--record-gc", "-o DIR"),
    of_run("--force", "--force"),
    of_run("--event Q", "no meaning"),
    of_run("--format csv --columns time:us,op,offset:bytes,size:bytes", "columns"),
    of_run("--scheme raid5 --scheme buffered", "buffered"),
    Case(
        "a trace larger than the drive",
        "run x.csv -d d.toml",
        files={"x.csv": "time_us,op,offset_bytes,size_bytes\n0,write,900000000000,4096\n"},
        says=("--remap compact", "wrap", "scale", "user_capacity"),
        prints=True,
    ),
    Case(
        "opening what is generated",
        "run g.toml -d d.toml --sort",
        files={
            "g.toml": 'generator = 1\nrequests = 10\nsize = "4KiB"\noperations = { write = 1.0 }\n'
            'address = { kind = "uniform", footprint = "1MiB" }\n'
        },
        says="--sort has no meaning",
    ),
    Case("a device that is a trace", "run t.csv -d t.csv", says="t.csv"),
    Case("a trace that is a device", "run d.toml -d d.toml", says="device"),
]
"""What cannot be together, or says nothing."""

COMPARISONS = [
    of_compare("", "--schemes"),
    of_compare("--schemes greedy,gredy", 'did you mean "greedy"'),
    of_compare("--schemes greedy,greedy", "greedy"),
    of_compare("--schemes ,", "--schemes"),
    of_compare("--schemes greedy,", "--schemes"),
    of_compare("--schemes greedy+", "greedy+"),
    of_compare("--schemes greedy+seed=", "seed"),
    of_compare("--schemes greedy,fifo+host.queue_depth=8", "open loop"),
    of_compare("--schemes greedy --schemes fifo", "--schemes is given twice"),
    of_compare("--schemes greedy,fifo --record-requests", "-o DIR"),
]
"""Comparisons."""

CASES = [*WORDS, *VALUES, *STEPS, *AT_ODDS, *COMPARISONS]

"""Options of `run` and `compare` that are wrong, in vain, doubled, or at odds with each other.

What values the settings behind them refuse is in the tests of the settings themselves.
"""

from __future__ import annotations

from answers.case import RUN, Case, Thing

COMPARE = "compare t.csv -d d.toml"
GENERATED = 'generator = 1\nrequests = 10\nsize = "4KiB"\noperations = { write = 1.0 }\n'
UNIFORM = 'address = { kind = "uniform", footprint = "1MiB" }\n'


def of_run(words: str, *says: str, name: str = "", files: dict[str, Thing] | None = None) -> Case:
    """A case of `run` with these words behind it."""
    return Case(name or words, f"{RUN} {words}", says, files=files or {})


def of_compare(words: str, *says: str) -> Case:
    """A case of `compare` with these words behind it."""
    return Case(f"compare {words}", f"{COMPARE} {words}", says)


WORDS = [
    Case("unknown command", "runn t.csv", "runn"),
    Case("no trace", "run -d d.toml", "TRACE"),
    Case("no device", "run t.csv", "--device"),
    Case("empty trace", ["run", "", "-d", "d.toml"], "TRACE: is empty"),
    Case("empty device", ["run", "t.csv", "-d", ""], "without a value"),
    Case(
        "empty state", ["run", "t.csv", "-d", "d.toml", "--save-state", ""], "--save-state: is given without"
    ),
    Case("value left out", "run t.csv -d", "-d"),
    Case("an option as a trace", "run -- --audit -d d.toml"),
    of_run("--devic d.toml", "--devic", "--device"),
    of_run("--sort=yes", "--sort"),
]
"""Words."""

VALUES = [
    of_run("--seed -1", "--seed"),
    of_run(f"--seed {1 << 64}", "seed"),
    of_run("--seed ٣٤", name="seed in other digits"),
    of_run("--set seed", "KEY=VALUE"),
    of_run("--set =5", "KEY=VALUE"),
    of_run("--set sed=5", 'did you mean "seed"'),
    of_run("--set 'seed=[1'", "seed", name="a list that is not closed"),
    of_run("--set 'a\"b=1'", name="a quotation mark in a key"),
    of_run("--set geometry..channels=1", "geometry"),
    of_run(f"--set {'a.' * 3000}b=1", "a", name="a key of 3000 parts"),
    of_run(f"--set seed={'[' * 3000}", "seed", name="3000 brackets"),
    of_run("--load-state missing.state", "missing.state"),
    of_run("--scheme gredy", 'did you mean "greedy"'),
    of_run("--warmup stedy", "steady"),
    of_run("--warmup overwrite:lots", "lots", "overwrite:2"),
    of_run("--warmup overwrite:-1", "warmup.overwrites"),
    of_run("--warmup replay:²", "replay"),
    of_run("--warmup filled:2", "overwrite:N"),
    of_run("--mode closed-loop --queue-depth 0", "queue-depth"),
    of_run("--target-utilisation 150%", "--target-utilisation 150%: expected a share"),
    of_run("--target-total-utilisation 60%", "name one, as in 60%:greedy"),
    of_run("--target-total-utilisation :greedy", "--target-total-utilisation"),
    of_run("--target-total-utilisation 60%:gredy", "greedy"),
    of_run("--target-total-utilisation 60%:greedy+", "host.target_scheme"),
    of_run("--format blkprase", 'did you mean "blkparse"'),
    of_run("--event X", "Q", "D", "C"),
    of_run("--time-unit h", "ns"),
    of_run("--columns time", "--columns", "time needs its unit"),
    of_run("--separator tab", "--separator has no meaning for the format csv"),
    of_run("--trace-device 5", "device"),
]
"""Values."""

STEPS = [
    of_run("--from -1s", "from"),
    of_run("--from 10", "10"),
    of_run("--from 2s --to 1s", "from 2s to 1s is empty"),
    of_run("--from 1h --to 2h", "no request", name="nothing left"),
    of_run("--shift -4096", "--shift", "must not be negative"),
    of_run("--shift 1KiBB", "shift"),
    of_run("--align 3", "--align 3B: expected whole sectors of 512 B"),
    of_run("--align 0", "--align 0B: expected whole sectors"),
    of_run("--remap squash", "wrap"),
    of_run("--sample 0", "--sample"),
    of_run("--sample 1e-9", "millionths"),
    of_run("--sample-seed 3", "--sample"),
    of_run("--sample 10% --sample-unit 3KiB", "power of two"),
    of_run("--sample-unit 1MiB", "--sample"),
    of_run("--max-requests 0", "--max-requests"),
    of_run("--plays 1000000 --repeat-gap 1000000s", "64 bits", name="beyond the end of time"),
    of_run("--repeat-gap 1s", "--plays"),
    of_run("--repeat-order shuffled --warmup filled", "--plays N", "--warmup workload"),
    of_run("--separate", "--merge"),
    of_run("--merge t.csv,devcie=hm_1", "did you mean device?"),
    of_run("--merge t.csv@8XB", '"8XB" is no size'),
    of_run("--merge t.csv,event=X", "valid: Q, D, C"),
    of_run("--merge bundled/varmial", "did you mean bundled/varmail"),
    Case("no volume of a public set", f"{RUN} --merge msr/hm_9", "no trace of that name", lines=9),
    of_run("--merge t.csv@nowhere", "t.csv@nowhere"),
    of_run("--merge t.csv,sort=perhaps", "sort is true or false"),
    of_run("--merge t.csv,sort=true,sort=true", "sort is given twice"),
    of_run("--merge t.csv,colour=red", "colour", "columns"),
    of_run("--merge t.csv@99999999999999999999", "shift", name="merged far away"),
]
"""What changes the trace on its way."""

AT_ODDS = [
    of_run("--queue-depth 4", "host.queue_depth: an open loop sends requests at the times"),
    of_run("--mode closed-loop --time-scale 2", "host.time_scale: a closed loop"),
    of_run("--target-utilisation 50% --target-total-utilisation 50%:greedy", "give one of them"),
    of_run("--time-scale 2 --target-utilisation 50%", "target_utilisation"),
    of_run("--seed 1 --set seed=2", "seed: is given twice"),
    of_run("--seed 1 --seed 1", "--seed is given twice"),
    of_run("-o a --output b", "--output is given twice"),
    of_run("--warmup steady --set warmup.overwrites=3", "warmup.overwrites"),
    of_run("--scheme greedy --scheme greedy", "greedy"),
    of_run("--scheme raid5 --scheme buffered", "buffered"),
    of_run("--record-gc", "-o DIR"),
    of_run("--force", "--force"),
    of_run("--event Q", "no meaning"),
    of_run("--format csv --columns time:us,op,offset:bytes,size:bytes", "columns"),
    Case(
        "a trace larger than the drive",
        "run x.csv -d d.toml",
        ("--remap compact", "wrap", "scale", "user_capacity"),
        files={"x.csv": "time_us,op,offset_bytes,size_bytes\n0,write,900000000000,4096\n"},
        prints=True,
    ),
    *(
        Case(
            f"a generated trace {option}",
            f"{command} {option}",
            f"g: {option.split()[0]} has no meaning: its requests are generated",
            files={"g.toml": GENERATED + UNIFORM},
        )
        for command, option in (
            ("run g.toml -d d.toml", "--sort"),
            ("trace info g.toml", "--trace-device 4"),
            ("trace info g.toml --device d.toml", "--event Q"),
            ("trace info g.toml", "--time-unit us"),
            ("trace convert g.toml out.csv", "--separator tab"),
            ("trace info g.toml", "--on-error report"),
        )
    ),
    Case(
        "an option for what is merged into a generated trace",
        "trace info g.toml --merge t.csv --sort",
        code=0,
        files={"g.toml": GENERATED + UNIFORM},
    ),
]
"""What cannot be together, or says nothing."""

COMPARISONS = [
    of_compare("--schemes greedy,gredy", 'did you mean "greedy"'),
    of_compare("--schemes greedy,greedy", "greedy"),
    of_compare("--schemes greedy,", "--schemes"),
    of_compare("--schemes greedy+", "greedy+"),
    of_compare("--schemes greedy+seed=", "seed"),
    of_compare("--schemes greedy,fifo+host.queue_depth=8", "host.queue_depth: an open loop"),
    of_compare("--schemes greedy,fifo --record-requests", "-o DIR"),
]
"""Comparisons."""

CASES = [*WORDS, *VALUES, *STEPS, *AT_ODDS, *COMPARISONS]

"""Tunings: sections that cannot be meant, searches of nothing, options and folders."""

from __future__ import annotations

from answers.case import Case

HEAD = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\nschemes = ["greedy"]\n[repeats]\ncount = 2\n'
SECTION = '[tune]\nobjective = ["write_mean_ns"]\n'
TUNE_ON = "tune_on = { repeats = [0] }\n"
RUNS = TUNE_ON + "judge_on = { repeats = [1] }\n"


def of_tuning(
    name: str, *says: str, section: str = "", start: str = SECTION + RUNS, options: str = "--cost"
) -> Case:
    """A case of an experiment with a section [tune]."""
    return Case(name, f"tune x.toml {options}", says, files={"x.toml": HEAD + start + section}, lines=10)


def searched(name: str, values: str, *says: str) -> Case:
    """A case of a search of these values of some keys."""
    return of_tuning(name, *says, section=f"[tune.search]\n{values}\n")


UNITS = '"gc.trigger.start" = { from = "1%", to = "9 blocks", step = "1%" }'
SPARES = '"geometry.spare_factor" = ["7%", "9%"]\n"geometry.over_provisioning" = ["7%", "9%"]'
CASES = [
    of_tuning("no section to tune by", "has no section [tune]", "objective", start=""),
    of_tuning(
        "a tuning for nothing", "x.toml:7", "objective is missing", "read_p99", start="[tune]\n" + RUNS
    ),
    of_tuning("a tuning that nothing judges", "judge_on is missing", start=SECTION + TUNE_ON),
    of_tuning(
        "a tuning that is judged where it was tuned",
        "x.toml:10: tune.judge_on",
        "repeat 0",
        "overlap = true",
        start=SECTION + RUNS.replace("[1]", "[0]"),
    ),
    of_tuning("a key misspelt", "x.toml:11: tune.budgt", "budget", section='budgt = "5 trials"\n'),
    of_tuning("a budget in nothing", '"40 trials"', "soon", section='budget = "soon"\n'),
    of_tuning("a budget of too many digits", "at most 999,999,999", section=f'budget = "{"9" * 400} min"\n'),
    of_tuning("no room for a trial", "no room for one trial", section='budget = "0.000001 min"\n'),
    of_tuning("an objective that is none", "write_mean_ns", start=SECTION.replace("mean", "men") + RUNS),
    of_tuning(
        "a constraint of no metric", "gc_write_amplif", section='constraints = ["gc_write_amplif <= 2"]\n'
    ),
    of_tuning("a constraint without a unit", "<= 5 ms", section='constraints = ["write_p99_ns <= 5"]\n'),
    of_tuning(
        "a constraint that is strict", "valid: <=, >=", section='constraints = ["write_p99_ns < 5 ms"]\n'
    ),
    of_tuning("a limit", "must be a metric", section=f'constraints = ["write_p99_ns <= {"9" * 400} ms"]\n'),
    of_tuning("a scheme that there is not", '"gredy"', "greedy", section='scheme = "gredy"\n'),
    of_tuning("a key that there is not", "tune.keys[1]", '"gc.victm"', section='keys = ["gc.victm"]\n'),
    of_tuning("keys of the work", "tune.keys[1]", "part of the work", section='keys = ["warmup.*"]\n'),
    of_tuning("nothing left to search", "nothing is left", section='without = ["*"]\n'),
    searched("a search of a key that there is not", '"gc.pages_in_fligt" = [1, 2]', "pages_in_flight"),
    *(
        searched(f"a search of {key}", f'"{key}" = [{values}]', f'"{key}" is part of the work', "[axes]")
        for key, values in (
            ("trace.max_requests", "10, 20"),
            ("host.time_scale", "1.0, 2.0"),
            ("host.queue_depth", "1, 32"),
            ("seed", "1, 2"),
            ("warmup.overwrites", "1.0, 2.0"),
            ("measure.after", '"start", "25%"'),
        )
    ),
    searched("a search of the name of a drive", 'name = ["a", "b"]', "only names the drive"),
    searched("one value twice to search", '"gc.pages_in_flight" = [1, 1]', 'lists "1" twice'),
    searched("two keys that say the same", SPARES, "geometry.spare_factor", "search one of them"),
    searched("values that cannot be", '"gc.victim" = ["gredy", "fif"]', '"gc.victim"', "greedy"),
    searched("a range of two units", UNITS, "same unit"),
    of_tuning("a tuning for nowhere", "give the folder", options=""),
    of_tuning("a tuning by no workers", "--workers", options="-o o --workers 0"),
    Case("a tuning of a trace", "tune t.csv --cost", "t.csv"),
]
"""Sections and options that are found to be wrong before anything runs."""

"""Tunings: sections that cannot be meant, searches of nothing, options and folders."""

from __future__ import annotations

from answers.case import Case

HEAD = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\nschemes = ["greedy"]\n[repeats]\ncount = 2\n'
SECTION = '[tune]\nobjectives = ["write_mean_ns"]\n'
RUNS = "tune_on = { repeats = [0] }\njudge_on = { repeats = [1] }\n"


def of_tuning(
    name: str, *says: str, section: str = "", start: str = SECTION + RUNS, options: str = "--cost"
) -> Case:
    """A case of an experiment with a section [tune]."""
    files = {"x.toml": HEAD + start + section}
    return Case(name, f"tune x.toml {options}", says=says, files=files)


SECTIONS = [
    of_tuning("no section to tune by", "has no section [tune]", "objectives", start=""),
    of_tuning(
        "a tuning for nothing", "x.toml:7", "objectives is missing", "read_p99", start="[tune]\n" + RUNS
    ),
    of_tuning(
        "a tuning that is judged on nothing",
        "judge_on is missing",
        start=SECTION + "tune_on = { repeats = [0] }\n",
    ),
    of_tuning(
        "a tuning that is judged where it was tuned",
        "x.toml:10: tune.judge_on",
        "repeat 0",
        "overlap = true",
        start=SECTION + "tune_on = { repeats = [0] }\njudge_on = { repeats = [0] }\n",
    ),
    of_tuning(
        "a key of a tuning misspelt", "x.toml:11: tune.budgt", "budget", section='budgt = "5 trials"\n'
    ),
    of_tuning("a budget of a tuning in nothing", '"40 trials"', "soon", section='budget = "soon"\n'),
    of_tuning(
        "an objective that is none",
        "write_men_ns",
        "write_mean_ns",
        start=SECTION.replace("mean", "men") + RUNS,
    ),
    of_tuning(
        "a constraint of no metric", "gc_write_amplif", section='constraints = ["gc_write_amplif <= 2"]\n'
    ),
    of_tuning("a constraint without a unit", "<= 5 ms", section='constraints = ["write_p99_ns <= 5"]\n'),
    of_tuning(
        "a constraint that is strict", "valid: <=, >=", section='constraints = ["write_p99_ns < 5 ms"]\n'
    ),
    of_tuning("a scheme to tune that there is not", '"gredy"', "greedy", section='scheme = "gredy"\n'),
    of_tuning(
        "a key to search that there is not", "tune.keys[1]", '"gc.victm"', section='keys = ["gc.victm"]\n'
    ),
    of_tuning(
        "a key without alternatives",
        '"geometry.user_capacity_" is no key',
        section='keys = ["geometry.user_capacity_"]\n',
    ),
    of_tuning(
        "a search of a key that there is not",
        "pages_in_flight",
        section='[tune.search]\n"gc.pages_in_fligt" = [1, 2]\n',
    ),
    *(
        of_tuning(
            f"a search of {key}",
            f'"{key}" is part of the work',
            "[axes]",
            section=f'[tune.search]\n"{key}" = [{values}]\n',
        )
        for key, values in (
            ("trace.max_requests", "10, 20"),
            ("host.time_scale", "1.0, 2.0"),
            ("seed", "1, 2"),
            ("warmup.overwrites", "1.0, 2.0"),
            ("measure.after", '"start", "25%"'),
            ("host.queue_depth", "1, 32"),
        )
    ),
    of_tuning(
        "a search of the name of a drive",
        "only names the drive",
        section='[tune.search]\nname = ["a", "b"]\n',
    ),
    of_tuning(
        "keys of the work to search", "tune.keys[1]", "part of the work", section='keys = ["warmup.*"]\n'
    ),
    of_tuning(
        "one value twice to search",
        'lists "1" twice',
        section='[tune.search]\n"gc.pages_in_flight" = [1, 1]\n',
    ),
    of_tuning(
        "two keys to search that say the same",
        "geometry.spare_factor",
        "search one of them",
        section='[tune.search]\n"geometry.spare_factor" = ["7%", "9%"]\n'
        '"geometry.over_provisioning" = ["7%", "9%"]\n',
    ),
    of_tuning(
        "a budget of 400 digits",
        "tune.budget",
        "at most 999,999,999",
        section=f'budget = "{"9" * 400} min"\n',
    ),
    of_tuning(
        "a limit of 400 digits",
        "must be a metric",
        section=f'constraints = ["write_p99_ns <= {"9" * 400} ms"]\n',
    ),
    of_tuning(
        "a search of values that cannot be",
        '"gc.victim"',
        "greedy",
        section='[tune.search]\n"gc.victim" = ["gredy", "fif"]\n',
    ),
    of_tuning(
        "a range of two units",
        "same unit",
        section='[tune.search]\n"gc.trigger.start" = { from = "1%", to = "9 blocks", step = "1%" }\n',
    ),
    of_tuning("nothing left to search", "nothing is left", section='without = ["*"]\n'),
    of_tuning("no room for a trial", "no room for one trial", section='budget = "0.0001 min"\n'),
    of_tuning("a tuning for nowhere", "give the folder", options=""),
    of_tuning("a tuning into a folder of others", "kept", options="-o kept"),
    Case(
        "a tuning by no workers",
        "tune x.toml -o o --workers 0",
        says="--workers",
        files={"x.toml": HEAD + SECTION + RUNS},
        lines=10,
    ),
    Case("a tuning of a trace", "tune t.csv --cost", says="t.csv"),
    Case("a tuning of nothing", "tune nothing.toml --cost", says="nothing.toml: No such file"),
]
"""Sections and options that are found to be wrong before anything runs."""

API = [
    Case(
        "a tuning with an option that is no text",
        call="reclaim.tune('x.toml', 'o', dask=5)",
        says="dask",
        files={"x.toml": HEAD + SECTION + RUNS},
    ),
    Case("a tuning of a number", call="reclaim.tune(5, 'o')", says="experiment"),
]

CASES = [*SECTIONS, *API]

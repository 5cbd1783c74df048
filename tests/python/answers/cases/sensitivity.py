"""Studies of sensitivity: sections that cannot be meant, comparisons that are none, options and folders."""

from __future__ import annotations

from answers.case import Case

HEAD = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\n'
SCHEMES = 'schemes = ["greedy", "fifo"]\n'
REPEATS = "[repeats]\ncount = 6\n"
SECTION = '[sensitivity]\nmetrics = "write_mean_ns"\n'


def of_study(
    name: str,
    *says: str,
    section: str = "",
    schemes: str = SCHEMES,
    repeats: str = REPEATS,
    metric: str = SECTION,
    options: str = "--cost",
) -> Case:
    """A case of an experiment with a section [sensitivity]."""
    files = {"x.toml": HEAD + schemes + repeats + metric + section}
    return Case(name, f"sensitivity x.toml {options}", says, files=files, lines=10)


CASES = [
    of_study("no section to study by", "[sensitivity]", "metric", metric=""),
    of_study("a study without a metric", "metrics is missing", "write_mean_ns", metric="[sensitivity]\n"),
    of_study("a metric of a study misspelt", '"write_mean_ns"?', metric=SECTION.replace("mean", "men")),
    of_study("a key of a study misspelt", "budgt", "budget", section='budgt = "5 points"\n'),
    of_study("a budget of a study in nothing", '"600 points"', "soon", section='budget = "soon"\n'),
    of_study("a budget of 400 digits", "at most 999,999,999", section=f'budget = "{"9" * 400} h"\n'),
    of_study("a load that is not held", "arrival", "arrivals", section='load = "arrival"\n'),
    of_study("a budget of no points", '"600 points"', section='budget = "0 points"\n'),
    of_study("combinations of a half", "whole number", section="combinations = 0.5\n"),
    of_study("combinations without end", "10000", section="combinations = 1000000000\n"),
    of_study("keys that are no list", "must be a list", section='keys = "gc.*"\n'),
    of_study(
        "a key to study that there is not",
        '"gc.victm" is no key',
        "gc.victim",
        section='keys = ["gc.victm"]\n',
    ),
    of_study("no key left to move", "no key is left", section='without = ["*"]\n'),
    of_study("a base that is no scheme", "gredy", "greedy", section='baseline = "gredy"\n'),
    of_study("a comparison with itself", "itself", section='baseline = "fifo"\ncandidate = "fifo"\n'),
    of_study("one scheme alone", "compares two schemes", schemes='schemes = ["greedy"]\n'),
    of_study("too few repeats for a study", "6", "95 %", repeats="[repeats]\ncount = 2\n"),
    of_study("an axis across a study", "[vary]", section='[axes]\n"gc.pages_in_flight" = [1, 2]\n'),
    of_study("a study for nowhere", "give the folder", options=""),
    of_study("a study by no workers", "--workers", options="-o o --workers 0"),
    Case("a study of nothing", "sensitivity nothing.toml --cost", "nothing.toml: No such file"),
]
"""Sections and options that are found to be wrong before anything runs."""

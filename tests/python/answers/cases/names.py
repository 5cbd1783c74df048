"""Names that users choose and that something else takes for more: patterns, columns, markup."""

from __future__ import annotations

from answers.case import Case

HEAD = 'name = "e"\ndevices = ["d.toml"]\n'
TAIL = 'schemes = ["greedy"]\n'
TRACE = 'traces = ["t.csv"]\n'


def axis(name: str, *says: str, section: str = "axes") -> Case:
    """An experiment with an axis of this name."""
    text = f'{HEAD}{TRACE}{TAIL}[{section}."{name}"]\na = {{}}\nb = {{ "seed" = 7 }}\n'
    return Case(f"an axis {section}.{name}", "check e.toml", says=says, files={"e.toml": text})


def named(where: str, text: str, *says: str) -> Case:
    """An experiment with a name in it that nothing can have."""
    return Case(f"{where}: {says[0]}", "check e.toml", says=says, files={"e.toml": text})


def _of(name: str) -> dict[str, str]:
    """Experiments in which everything in turn that has a name has this one, as TOML writes it."""
    generated = f'traces = [{{ name = {name}, generate = {{ requests = 9, footprint = "1MiB" }} }}]\n'
    return {
        "an experiment": f'name = {name}\ndevices = ["d.toml"]\n{TRACE}{TAIL}',
        "a trace": f'{HEAD}traces = [{{ name = {name}, source = "t.csv" }}]\n{TAIL}',
        "a generated trace": f"{HEAD}{generated}{TAIL}",
        "a scheme": f'{HEAD}{TRACE}schemes = [{{ name = {name}, schemes = ["greedy"] }}]\n',
        "an axis": f"{HEAD}{TRACE}{TAIL}[axes.{name}]\na = {{}}\nb = {{ seed = 7 }}\n",
        "a group": f"{HEAD}{TRACE}{TAIL}[axes.x]\na = {{}}\n{name} = {{ seed = 7 }}\n",
        "a comparison": f'{HEAD}{TRACE}schemes = ["greedy", "fifo"]\n'
        f'[[comparisons]]\nname = {name}\nscheme = "fifo"\nto = "greedy"\n',
        "a drive": f'name = "e"\ndevices = [{name}]\n{TRACE}{TAIL}',
    }


UNFIT = [
    named(where, text, says)
    for name, says in (
        (r'"a\u0000b"', "has U+0000 in it, which cannot be shown"),
        (r'"a\u001b[31m"', "has U+001B in it, which cannot be shown"),
        (r'"a\nb"', "has U+000A in it, which cannot be shown"),
        (r'" / "', "has nothing but spaces, slashes and dots in it"),
        (f'"{"x" * 300}"', "has 300 bytes; names have at most 200"),
    )
    for where, text in _of(name).items()
    if not (where == "a drive" and "300" in says)
]

COLUMN = "is what a column of the results is called"
AXES = [
    axis("verdict", "axes.verdict: is what a column of the results is called; give the axis another name"),
    axis("Verdict", COLUMN),
    axis("scheme", COLUMN),
    axis("read_p99_ns", "begins with read_, as columns of the results do"),
    axis("GC_write_amplification", "begins with gc_"),
    axis("gc_victim_mine", "begins with gc_"),
    axis("ftl_allocation_mine", "begins with ftl_allocation_"),
    axis("interconnect_mine", "begins with interconnect_"),
    axis("result_device", "begins with result_"),
    axis("format", COLUMN),
    axis("trace_hash", COLUMN),
    axis("simulated_ns", COLUMN, section="vary"),
    axis("metric", COLUMN),
    axis("low", COLUMN),
    axis("error", COLUMN),
    axis("_run", "begins with _"),
    axis(" ", "is empty"),
    axis("a=b", "has a = in it"),
    axis("Seed", COLUMN),
    Case(
        "two axes that SQL does not tell apart",
        "check e.toml",
        says='axes.Load: is "load" to SQL',
        files={"e.toml": f"{HEAD}{TRACE}{TAIL}[axes.load]\na = {{}}\n[axes.Load]\na = {{}}\n"},
    ),
    Case(
        "an axis load, as in the manual",
        "check e.toml",
        code=0,
        says="2 of load",
        files={"e.toml": f'{HEAD}{TRACE}{TAIL}[axes.load]\na = {{}}\nb = {{ "seed" = 7 }}\n'},
    ),
    Case(
        "an axis of seeds",
        "check e.toml",
        code=0,
        says="2 of seed",
        files={"e.toml": f"{HEAD}{TRACE}{TAIL}[axes]\nseed = [1, 2]\n"},
    ),
    Case(
        "a trace called as what stands beside the traces",
        "check e.toml",
        says='"geometric mean" is what figures have beside the traces',
        files={"e.toml": f'{HEAD}traces = [{{ name = "geometric mean", source = "t.csv" }}]\n{TAIL}'},
    ),
]
"""Names of experiments."""

CASES = [*AXES, *UNFIT]

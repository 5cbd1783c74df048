"""Names that users choose and that something else takes for more: patterns, columns, markup."""

from __future__ import annotations

from answers.case import Case

HEAD = 'name = "e"\ndevices = ["d.toml"]\n'
TAIL = 'schemes = ["greedy"]\n'
TRACE = 'traces = ["t.csv"]\n'


def of(name: str, text: str, *says: str, code: int = 2) -> Case:
    """A case of an experiment."""
    return Case(name, "check e.toml", says, code=code, files={"e.toml": text})


def axis(name: str, says: str, section: str = "axes", code: int = 2) -> Case:
    """An experiment with an axis of this name."""
    text = f'{HEAD}{TRACE}{TAIL}[{section}."{name}"]\na = {{}}\nb = {{ "seed" = 7 }}\n'
    return of(f"an axis {section}.{name}", text, says, code=code)


def _of(name: str) -> dict[str, str]:
    """Experiments in which everything in turn that has a name has this one, as TOML writes it."""
    generated = f'traces = [{{ name = {name}, generate = {{ requests = 9, footprint = "1MiB" }} }}]\n'
    pair = 'candidate = "fifo"\nbaseline = "greedy"\n'
    compared = f'schemes = ["greedy", "fifo"]\n[[comparisons]]\nname = {name}\n{pair}'
    return {
        "an experiment": f'name = {name}\ndevices = ["d.toml"]\n{TRACE}{TAIL}',
        "a trace": f'{HEAD}traces = [{{ name = {name}, source = "t.csv" }}]\n{TAIL}',
        "a generated trace": f"{HEAD}{generated}{TAIL}",
        "a scheme": f'{HEAD}{TRACE}schemes = [{{ name = {name}, schemes = ["greedy"] }}]\n',
        "an axis": f"{HEAD}{TRACE}{TAIL}[axes.{name}]\na = {{}}\nb = {{ seed = 7 }}\n",
        "a group": f"{HEAD}{TRACE}{TAIL}[axes.x]\na = {{}}\n{name} = {{ seed = 7 }}\n",
        "a comparison": f"{HEAD}{TRACE}{compared}",
        "a drive": f'name = "e"\ndevices = [{name}]\n{TRACE}{TAIL}',
    }


UNFIT = [
    *(
        of(f"{where} of nothing", text, "has nothing but spaces, slashes and")
        for where, text in _of('" / "').items()
    ),
    *(
        of(f"a scheme: {says}", _of(name)["a scheme"], says)
        for name, says in (
            (r'"a\u0000b"', "has U+0000 in it, which cannot be shown"),
            (r'"a\u001b[31m"', "has U+001B in it, which cannot be shown"),
            (r'"a\nb"', "has U+000A in it, which cannot be shown"),
            (f'"{"x" * 201}"', "has 201 bytes; names have at most 200"),
        )
    ),
    of("200 bytes", _of(f'"{"x" * 200}"')["a scheme"], code=0),
]

COLUMN = "is what a column of the results is called"
LOADS = f"{HEAD}{TRACE}{TAIL}[axes.load]\na = {{}}\n[axes.Load]\na = {{}}\n"
AXES = [
    axis("Verdict", f"axes.Verdict: {COLUMN}; give the axis another name"),
    axis("simulated_ns", COLUMN, section="vary"),
    axis("low", COLUMN),
    axis("read_p99_ns", "begins with read_, as columns of the results do"),
    axis("GC_write_amplification", "begins with gc_"),
    axis("ftl_allocation_mine", "begins with ftl_allocation_"),
    axis("result_device", "begins with result_"),
    axis("_run", "begins with _"),
    axis(" ", "is empty"),
    axis("a=b", "has a = in it"),
    axis("load", "2 of load", code=0),
    of("two axes that SQL does not tell apart", LOADS, 'axes.Load: is "load" to SQL'),
    of("an axis of seeds", f"{HEAD}{TRACE}{TAIL}[axes]\nseed = [1, 2]\n", "2 of seed", code=0),
    of("a trace", _of('"geometric mean"')["a trace"], '"geometric mean" is what figures have'),
]
"""Names of experiments."""

CASES = [*AXES, *UNFIT]

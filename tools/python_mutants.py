# mypy: ignore-errors
# mutmut and libcst are not among the dependencies: `make mutants-listed` installs them.
"""Mutation testing of the Python package on a list of mutants that stays: tests/mutants.json.

Mutants are those of mutmut, which cannot try them itself: it runs pytest in one process on functions that it
wraps, and half of our tests start `reclaim` as a program. Here each mutant is a file of a copy of the
repository. First the tests of `make test` run once with a note at the beginning of each function that has a
mutant: it says which tests reach it, from whatever process. Tests that fail then are left out. Then the tests
that reach a mutant run up to the first failure, the quickest first. A mutant is noticed if that test passes
in the same copy without it. Literal strings and what is raised are left as they are: no test is to pin the
wording of a message.

    python tools/python_mutants.py --draw 100    # writes the list anew
    python tools/python_mutants.py               # tries those of which the outcome is not known
    python tools/python_mutants.py --with tests/python/test_new.py    # tries what was missed with new tests
"""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path

import libcst as cst
import libcst.metadata
from mutmut.mutation.file_mutation import Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "mutants.json"
REASONS = ROOT / "docs" / "mutation.md"
WORK = ROOT / "target" / "mutants" / "python"
OUTCOMES, REACHED = WORK / "outcomes.jsonl", WORK / "reached.jsonl"
PACKAGE = "python/reclaim"
# Tests of the repository itself, and of what a browser shows.
LEFT_OUT = ("test_tidy.py", "test_browser.py", "test_readme.py", "test_wheel.py")
# Tests may take so many times the processor time that they take without a mutant, and s more to begin; and
# do nothing for so many s.
TIMES, BEGINNING, IDLE = 5, 60, 120
FIRST, LATER = 20, 200
NOTES = '''"""Which tests reach which mutants: imported by the functions, and a plugin of pytest."""
import json, os, pytest
FILE, SEEN = os.environ.get("REACHED", ""), set()


def write(**what):
    handle = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (json.dumps(what) + "\\n").encode())
    os.close(handle)


def note(function):
    by = os.environ.get("REACHED_BY") or os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" (", 1)[0]
    if FILE and (function, by) not in SEEN:
        SEEN.add((function, by))
        write(function=function, by=by)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """What a shared fixture reaches, all tests reach that use it."""
    if fixturedef.scope == "function":
        return (yield)
    before = os.environ.get("REACHED_BY", "")
    os.environ["REACHED_BY"] = f"{request.node.nodeid}::{fixturedef.argname}"
    try:
        return (yield)
    finally:
        os.environ["REACHED_BY"] = before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if FILE:
        shared = [f"{at}::{name}" for name in item.fixturenames for at in (item.nodeid.split("::")[0], "")]
        write(test=item.nodeid, seconds=report.duration, passed=report.passed, shared=shared)
    return report
'''


class Raises(cst.CSTVisitor):
    """Finds what stands in `raise`."""

    def __init__(self) -> None:
        self.inside: set[int] = set()

    def visit_Raise(self, node: cst.Raise) -> bool:  # noqa: N802 - libcst calls it so
        """Note the whole of it."""

        def add(each: cst.CSTNode) -> None:
            self.inside.add(id(each))
            for child in each.children:
                add(child)

        add(node)
        return False


def mutants_of(path: str) -> dict[str, tuple[cst.Module, Mutation]]:
    """All mutants of a file, by names that stay when lines move."""
    visitor = MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()))
    module = cst.metadata.MetadataWrapper(cst.parse_module((ROOT / path).read_text())).visit(visitor)
    raises = Raises()
    module.visit(raises)
    found: dict[str, tuple[cst.Module, Mutation]] = {}
    seen: Counter[str] = Counter()
    for each in visitor.mutations:
        old, new, function = each.original_node, each.mutated_node, each.contained_by_top_level_function
        if (
            not isinstance(function, cst.FunctionDef)
            or isinstance(old, cst.BaseString)
            or id(old) in raises.inside
        ):
            continue
        code = [" ".join(cst.Module(body=[]).code_for_node(node).split()) for node in (old, new)]
        key = f"{path}: {function.name.value}: {code[0]} -> {code[1]}"
        seen[key] += 1
        found[f"{key} ({seen[key]})" if seen[key] > 1 else key] = (module, each)
    return found


def draw(size: int) -> list[str]:
    """A sample in an order that names decide, each folder of the package by its share."""
    files = subprocess.check_output(["git", "ls-files", f"{PACKAGE}/*.py"], cwd=ROOT, text=True).split()
    keys = [key for path in files if (ROOT / path).is_file() for key in mutants_of(path)]
    return sorted(keys, key=lambda key: hashlib.sha256(f"score {key}".encode()).hexdigest())[:size]


def copy(tree: Path) -> Path:
    """Make a copy of the repository, without mutants."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    extensions = [str(each.relative_to(ROOT)) for each in (ROOT / PACKAGE).glob("_core*.so")]
    shutil.rmtree(tree, ignore_errors=True)
    for name in (*filter(None, names), *extensions):
        if os.path.lexists(ROOT / name):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    # Twice: pytest wants its plugins to be imported by nobody before.
    for name in ("reach", "reach_plugin"):
        (WORK / f"{name}.py").write_text(NOTES)
    return tree


def family(leader: int) -> tuple[list[int], float]:
    """A process and those that came of it, and their processor time, s."""
    parents, times = {}, {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = each.read_text().rpartition(")")[2].split()
            parents[int(each.parent.name)] = int(fields[1])
            # Its own, and that of children that have ended.
            times[int(each.parent.name)] = sum(map(int, fields[11:15]))
    found, before = {leader}, 0
    while len(found) > before:
        before = len(found)
        found |= {process for process, parent in parents.items() if parent in found}
    return sorted(found), sum(times.get(each, 0) for each in found) / os.sysconf("SC_CLK_TCK")


def pytest(tree: Path, *words: str, limit: float = float("inf"), **variables: str) -> tuple[int | None, str]:
    """Run tests of a copy: exit code and what was said; no code if they did not end by themselves."""
    paths = os.pathsep.join(map(str, (tree / "python", WORK)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "reach_plugin", *words]
    command += [f"--ignore=tests/python/{name}" for name in LEFT_OUT]
    with tempfile.TemporaryFile("w+") as said:
        ran = subprocess.Popen(
            command,
            cwd=tree,
            env=os.environ | {"PYTHONPATH": paths} | variables,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        most, since = 0.0, time.monotonic()
        while ran.poll() is None:
            processes, used = family(ran.pid)
            if used > most + 0.1:
                most, since = used, time.monotonic()
            if used > limit or (limit < float("inf") and time.monotonic() > since + IDLE):
                for each in processes:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)
                ran.wait()
                return None, ""
            time.sleep(0.5)
        said.seek(0)
        return ran.returncode, said.read()


def with_notes(tree: Path, listed: dict[str, tuple[cst.Module, Mutation]]) -> None:
    """Write a note at the beginning of each function that has a mutant."""
    # One after the other: written by themselves, functions of one file would lose the notes of those before.
    of_files: dict[str, dict[int, cst.FunctionDef]] = defaultdict(dict)
    modules: dict[str, cst.Module] = {}
    for key, (module, mutation) in listed.items():
        path, function = key.split(": ", maxsplit=1)[0], mutation.contained_by_top_level_function
        modules[path] = module
        if function is not None:
            of_files[path][id(function)] = function
    for path, functions in of_files.items():
        module = modules[path]
        for function in functions.values():
            note = cst.parse_statement(f"__import__('reach').note({f'{path}: {function.name.value}'!r})")
            at = 1 if function.get_docstring() is not None else 0
            body = [*function.body.body[:at], note, *function.body.body[at:]]
            module = module.with_deep_changes(function, body=function.body.with_changes(body=body))
        (tree / path).write_text(module.code)


def reached(listed: dict[str, tuple[cst.Module, Mutation]], only: list[str]) -> dict[str, dict[str, float]]:
    """The tests that reach each mutant with their seconds, the quickest first; of these files, if any."""
    if only or not REACHED.exists():
        tree = copy(WORK / "notes")
        with_notes(tree, listed)
        # Written beside: one that was broken off is not taken for whole.
        noted = REACHED.with_suffix(".part")
        noted.unlink(missing_ok=True)
        _, said = pytest(tree, "-n", "2", "--dist", "loadfile", "-m", "not slow", *only, REACHED=str(noted))
        print(said[-3000:], flush=True)
        with REACHED.open("a") as file:
            file.write(noted.read_text())
    seconds: dict[str, float] = defaultdict(float)
    uses: dict[str, set[str]] = defaultdict(set)
    tests: dict[str, set[str]] = defaultdict(set)
    failed = set()
    for entry in map(json.loads, REACHED.read_text().splitlines()):
        if "function" in entry:
            tests[entry["by"]].add(entry["function"])
            continue
        seconds[entry["test"]] += entry["seconds"]
        uses[entry["test"]] = {entry["test"], *entry["shared"], ""}
        if not entry["passed"]:
            failed.add(entry["test"])
    by_function: dict[str, list[str]] = defaultdict(list)
    for test in sorted(set(seconds) - failed, key=lambda test: (seconds[test], test)):
        if only and not test.startswith(tuple(only)):
            continue
        for function in set().union(*(tests[each] for each in uses[test])):
            by_function[function].append(test)
    print(f"{len(seconds)} tests, of which {len(failed)} fail or are skipped and are not asked", flush=True)
    keys = {key: ": ".join(key.split(": ", 2)[:2]) for key in listed}
    return {key: {test: seconds[test] for test in by_function[name]} for key, name in keys.items()}


def write(path: Path, text: str) -> None:
    """Write a module, and remove what was compiled of the one before: it may be as long and as old."""
    path.write_text(text)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def tried(tree: Path, key: str, module: cst.Module, mutation: Mutation, tests: dict[str, float]) -> str:
    """The test that notices a mutant; an empty text if none does."""
    path = tree / key.split(": ", maxsplit=1)[0]
    before = path.read_text()
    mutated = module.deep_replace(mutation.original_node, mutation.mutated_node).code
    left = list(tests)
    size = FIRST
    try:
        while left:
            now, size = left[:size], LATER
            limit = BEGINNING + TIMES * sum(tests[each] for each in now)
            write(path, mutated)
            code, said = pytest(tree, "-x", *now, limit=limit)
            if code == 0:
                left = left[len(now) :]
                continue
            if code is None:
                # As with Rust: a mutant with which tests do not end is not noticed.
                return ""
            lines = [line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
            failed = lines[0].split(" ", 1)[1].split(" - ")[0] if lines else ""
            again = [failed] if failed in now else now
            write(path, before)
            if pytest(tree, "-x", *again, limit=limit)[0] == 0:
                return failed or "ended"
            print(f"not asked, fails without a mutant: {again}", flush=True)
            left = [each for each in left if each not in again]
    finally:
        write(path, before)
    return ""


def try_all(
    listed: Iterable[tuple[str, tuple[cst.Module, Mutation]]],
    tests: dict[str, dict[str, float]],
    outcomes: dict[str, str],
) -> None:
    """Try mutants, as many at a time as there are cores; each has a copy of its own."""
    own = threading.local()
    copies = iter(range(1000))
    lock = threading.Lock()

    def each_one(entry: tuple[str, tuple[cst.Module, Mutation]]) -> None:
        key, (module, mutation) = entry
        with lock:
            if not hasattr(own, "tree"):
                own.tree = copy(WORK / f"tree-{next(copies)}")
        begun = time.monotonic()
        by = tried(own.tree, key, module, mutation, tests[key])
        with lock:
            outcomes[key] = by
            with OUTCOMES.open("a") as file:
                file.write(json.dumps({"mutant": key, "by": by}, ensure_ascii=False) + "\n")
            took = f"{len(tests[key])} tests reach it, {time.monotonic() - begun:.0f} s"
            print(f"{key}\n    {by or 'missed'} ({took})", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(each_one, listed))


def main() -> None:
    """Draw the list, or try it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draw", type=int, metavar="N", help="write the list anew, with so many mutants")
    parser.add_argument("--with", nargs="+", default=[], metavar="TESTS", dest="only", help="test files")
    given = parser.parse_args()
    known = json.loads(LIST.read_text()) if LIST.exists() else {}
    if given.draw:
        LIST.write_text(json.dumps(known | {"python": draw(given.draw)}, indent=1, ensure_ascii=False) + "\n")
        return
    WORK.mkdir(parents=True, exist_ok=True)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    files = {key.split(": ", maxsplit=1)[0] for key in known["python"]}
    there = {k: m for path in sorted(files) if (ROOT / path).exists() for k, m in mutants_of(path).items()}
    listed = {key: there[key] for key in known["python"] if key in there}
    outcomes = {}
    if OUTCOMES.exists():
        outcomes = {row["mutant"]: row["by"] for row in map(json.loads, OUTCOMES.read_text().splitlines())}
    tests = reached(listed, given.only)
    left = [key for key in listed if key not in outcomes or (given.only and not outcomes[key])]
    try_all([(key, listed[key]) for key in left], tests, outcomes)
    reasons = REASONS.read_text()
    missed = [key for key in listed if not outcomes[key]]
    for key in missed:
        print(f"`{key}`: missed, and {'a' if f'`{key}`' in reasons else 'no'} reason in {REASONS.name}")
    gone = len(known["python"]) - len(listed)
    print(f"{len(listed) - len(missed)} of {len(listed)} noticed; {gone} are not in the code any more")


if __name__ == "__main__":
    main()

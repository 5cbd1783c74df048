# mypy: ignore-errors
# mutmut and libcst are not among the dependencies: `make mutants-listed` installs them.
"""Mutation testing of the Python package on a list of mutants that stays: tests/mutants.json.

Mutants are those of mutmut, which cannot try them itself: it runs pytest in one process on functions that it
wraps, and half of our tests start `reclaim` as a program. Here each mutant is a file of a copy of the
repository. First all tests run once with a note at the beginning of each function that has a mutant: it says
which tests reach it, from whatever process. Then the tests that reach a mutant run up to the first failure,
the quickest first. Literal strings and what is raised are left as they are: no test is to pin the wording of
a message.

    python tools/python_mutants.py --draw 100    # writes the list anew
    python tools/python_mutants.py               # tries those of which the outcome is not known
"""

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import libcst as cst
import libcst.metadata
from mutmut.mutation.file_mutation import Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests" / "mutants.json"
WORK = ROOT / "target" / "mutants" / "python"
TREE = WORK / "tree"
OUTCOMES, REACHED = WORK / "outcomes.jsonl", WORK / "reached.jsonl"
PACKAGE = "python/reclaim"
# Tests of the repository itself, and of what a browser shows.
LEFT_OUT = ("test_tidy.py", "test_browser.py", "test_readme.py", "test_wheel.py")
SECONDS = 600
NOTES = '''"""Which tests reach which mutants: imported by the functions, and a plugin of pytest."""
import json, os
FILE, SEEN = os.environ.get("REACHED", ""), set()


def write(**what):
    handle = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (json.dumps(what) + "\\n").encode())
    os.close(handle)


def note(function):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" (", 1)[0]
    if FILE and (function, test) not in SEEN:
        SEEN.add((function, test))
        write(function=function, test=test)


def pytest_runtest_logreport(report):
    if FILE and report.when == "call":
        write(test=report.nodeid, seconds=report.duration)
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


def copy() -> None:
    """Bring the copy up to date, without mutants."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    extensions = [str(each.relative_to(ROOT)) for each in (ROOT / PACKAGE).glob("_core*.so")]
    shutil.rmtree(TREE, ignore_errors=True)
    for name in (*filter(None, names), *extensions):
        if os.path.lexists(ROOT / name):
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name, follow_symlinks=False)
    # Twice: pytest wants its plugins to be imported by nobody before.
    for name in ("reach", "reach_plugin"):
        (WORK / f"{name}.py").write_text(NOTES)


def pytest(*words: str, **variables: str) -> tuple[int, str]:
    """Run tests of the copy; those that do not end are ended."""
    paths = os.pathsep.join(map(str, (TREE / "python", WORK)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "reach_plugin", *words]
    left_out = [f"--ignore=tests/python/{name}" for name in LEFT_OUT]
    seconds = str(SECONDS if "-x" in words else 0)
    ran = subprocess.run(
        ["timeout", "--signal=KILL", seconds, *command, *left_out],
        check=False,
        cwd=TREE,
        env=os.environ | {"PYTHONPATH": paths} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    # As with Rust: a mutant with which tests do not end is not noticed.
    return (0, "") if ran.returncode == -signal.SIGKILL else (ran.returncode, ran.stdout)


def reached(listed: dict[str, tuple[cst.Module, Mutation]]) -> dict[str, list[str]]:
    """The tests that reach each mutant, the quickest first."""
    if not REACHED.exists():
        of_files: dict[str, dict[str, cst.FunctionDef]] = defaultdict(dict)
        for key, (_, mutation) in listed.items():
            path, function = key.split(": ", maxsplit=1)[0], mutation.contained_by_top_level_function
            if function is not None:
                of_files[path][f"{path}: {function.name.value}"] = function
        for path, functions in of_files.items():
            module = next(found for key, (found, _) in listed.items() if key.startswith(f"{path}: "))
            for name, function in functions.items():
                note = cst.parse_statement(f"__import__('reach').note({name!r})")
                body = function.body.with_changes(body=[note, *function.body.body])
                module = module.with_deep_changes(function, body=body)
            (TREE / path).write_text(module.code)
        # Written over one another, functions of one file would lose the notes of those before.
        pytest("-n", "2", "--dist", "loadfile", "tests/python", REACHED=str(REACHED))
        copy()
    seconds: dict[str, float] = {}
    tests: dict[str, set[str]] = defaultdict(set)
    for entry in map(json.loads, REACHED.read_text().splitlines()):
        if "seconds" in entry:
            seconds[entry["test"]] = entry["seconds"]
        else:
            tests[entry["function"]].add(entry["test"])
    by_key = {}
    for key in listed:
        path, function, _ = key.split(": ", 2)
        found = [test for test in tests[f"{path}: {function}"] if test in seconds]
        by_key[key] = sorted(found, key=lambda test: (seconds[test], test))
    return by_key


def tried(key: str, module: cst.Module, mutation: Mutation, tests: list[str]) -> str:
    """The test that notices a mutant; an empty text if none does."""
    path = TREE / key.split(": ", maxsplit=1)[0]
    before = path.read_text()
    path.write_text(module.deep_replace(mutation.original_node, mutation.mutated_node).code)
    try:
        for at in range(0, len(tests), 200):
            code, said = pytest("-x", *tests[at : at + 200])
            if code:
                lines = said.splitlines()
                failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
                return failed[0].split(" - ")[0] if failed else "ended"
    finally:
        path.write_text(before)
    return ""


def main() -> None:
    """Draw the list, or try it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draw", type=int, metavar="N", help="write the list anew, with so many mutants")
    given = parser.parse_args()
    known = json.loads(LIST.read_text()) if LIST.exists() else {}
    if given.draw:
        LIST.write_text(json.dumps(known | {"python": draw(given.draw)}, indent=1, ensure_ascii=False) + "\n")
        return
    WORK.mkdir(parents=True, exist_ok=True)
    copy()
    files = {key.split(": ", maxsplit=1)[0] for key in known["python"]}
    there = {k: m for path in sorted(files) if (ROOT / path).exists() for k, m in mutants_of(path).items()}
    listed = {key: there[key] for key in known["python"] if key in there}
    outcomes = {}
    if OUTCOMES.exists():
        outcomes = {row["mutant"]: row["by"] for row in map(json.loads, OUTCOMES.read_text().splitlines())}
    tests = reached(listed)
    for key, (module, mutation) in listed.items():
        if key not in outcomes:
            outcomes[key] = tried(key, module, mutation, tests[key])
            with OUTCOMES.open("a") as file:
                file.write(json.dumps({"mutant": key, "by": outcomes[key]}, ensure_ascii=False) + "\n")
            print(f"{key}\n    {outcomes[key] or 'missed'} ({len(tests[key])} tests reach it)", flush=True)
    caught = sum(bool(outcomes[key]) for key in listed)
    gone = len(known["python"]) - len(listed)
    print(f"{caught} of {len(listed)} noticed; {gone} are not in the code any more")


if __name__ == "__main__":
    main()

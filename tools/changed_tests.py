"""Runs the tests of what changed, for `make check`: since the last commit, or in it if nothing is new.

Which these are is told by names alone, so that it costs nothing: of Python the changed test files and those
that import a changed module; of Rust the unit tests of the crate, and modules of its test program that have
the name of the changed file or of its folder, or speak of its policy. `make test` runs everything.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "python"
# More than these say that a change goes everywhere: `make test` is for that.
MOST = 12


def changed() -> list[Path]:
    """Files that differ from the last commit, or are of it."""

    def listed(*words: str) -> list[Path]:
        lines = subprocess.check_output(["git", *words], cwd=ROOT, text=True).splitlines()
        return [Path(line) for line in lines]

    now = listed("diff", "--name-only", "HEAD") + listed("ls-files", "--others", "--exclude-standard")
    return now or listed("diff", "--name-only", "HEAD~1")


def imports(file: Path) -> set[str]:
    """Names of the modules that a file imports, and of what it takes from them."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{each.name}" for each in node.names}
    return found


def python_tests(files: list[Path]) -> list[Path]:
    """Test files of changed Python files; empty if nothing of Python changed."""
    there = sorted(TESTS.rglob("test_*.py"))
    modules = set()
    for path in files:
        if path.suffix == ".py":
            short = path.relative_to("python") if path.parts[0] == "python" else Path(path.name)
            modules.add(".".join(short.with_suffix("").parts).removesuffix(".__init__"))
            modules.add(f"{path.parent.name}.{path.stem}")
    found = [test for test in there if test.relative_to(ROOT) in files]
    return found + [test for test in there if test not in found and modules & imports(test)]


def rust_tests(files: list[Path]) -> dict[str, list[str]]:
    """Names that tests are to have, by crate; those of `--lib` run with any change of it."""
    found: dict[str, list[str]] = {}
    for path in files:
        if path.suffix != ".rs" or path.parts[0] != "crates" or path.parts[1] == "py":
            continue
        words = found.setdefault(path.parts[1], [])
        if path.parts[2] == "tests":
            words.append(path.parts[3].removesuffix(".rs"))
            continue
        names = {path.stem, path.parent.name} - {"mod", "src", "lib"}
        policy = re.compile(rf'"{path.stem.replace("_", "-")}"')
        for test in sorted((ROOT / "crates" / path.parts[1] / "tests").glob("*.rs")):
            if any(test.stem.rstrip("s") == name.rstrip("s") for name in names) or policy.search(
                test.read_text()
            ):
                words.append(test.stem)
    return found


def main() -> int:
    """Run them; what is printed says how many were left to `make test`."""
    files = changed()
    commands = []
    for crate, words in rust_tests(files).items():
        chosen = sorted(set(words) - {"all", "common"})
        commands.append(["cargo", "units", "--package", f"reclaim-{crate}"])
        if chosen:
            names = [f"{word}::" for word in chosen]
            commands.append(["cargo", "test", "--locked", "--quiet", "--test", crate, "--", *names])
    tests = python_tests(files)
    if len(tests) > MOST:
        print(f"{len(tests)} test files import what changed: {MOST} of them are run, make test has the rest")
    if tests:
        # The extension as it is now, for tests of Python alone: it takes longer than most of them.
        commands.append(["make", "PROFILE=dev", "install"])
        pytest = ["-m", "pytest", "--quiet", "--numprocesses", "2", "--dist", "loadfile", "-m", "not slow"]
        commands.append([sys.executable, *pytest, *map(str, tests[:MOST])])
    for command in commands:
        print("$", " ".join(command), flush=True)
        # Nothing that is not slow: what pytest ends with 5 for.
        if subprocess.run(command, cwd=ROOT, check=False).returncode not in {0, 5}:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

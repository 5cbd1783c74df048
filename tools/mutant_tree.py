"""The copy of the sources in which tools/mutants.py tries mutants, all of them in one build.

Every function that has mutants gets a branch for each of them, and the environment variable RECLAIM_MUTANT
says which one runs: `fn f() { if on(17) { BODY WITH MUTANT 17 } else { BODY } }`. So a mutant costs no
build, only its tests. What cannot stand in a branch (constants, `const fn`, functions that return `impl …`)
is built by itself.
"""

import dataclasses
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
LISTED = WORK / "listed"
PACKAGE = "reclaim-sim"
FOLDER = Path("crates/sim")
# Says which mutant runs; none where it is not set.
SWITCH = "RECLAIM_MUTANT"
# Test files by processor time: all in the first program take two seconds together, these up to three
# each, those up to 20 each.
STEADY = (
    "audit",
    "deferral",
    "docs",
    "gc_bypass",
    "latency_cdf",
    "mesh",
    "mqsim_mirror",
    "networks",
    "probe_timing",
    "regressions",
    "static_wear",
    "transforms",
    "verdict",
)
SLOW = ("bundled", "coupled", "device_files", "fuzz", "presets", "write_amplification")
QUICK_PROGRAM, STEADY_PROGRAM, SLOW_PROGRAM = "a_quick", "b_steady", "c_slow"
SWITCHES = f"""
mod mutants {{
    static CHOSEN: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {{
        std::env::var("{SWITCH}").ok().and_then(|number| number.parse().ok()).unwrap_or(0)
    }});
    #[inline]
    pub(crate) fn on(number: u32) -> bool {{
        *CHOSEN == number
    }}
}}
"""
# What brings a function out of the common build.
ALONE = re.compile(r"\bconst\s+fn\b|->[^{]*\bimpl\b")
# The policies of a kind, which are modules.
MEMBERS = re.compile(r"^members! \{.*?;\n((?: +\w+,\n)+)\}", re.MULTILINE | re.DOTALL)
# A function, by its indent and its name: the brace that ends it has the same.
FUNCTION = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)", re.MULTILINE)
# Arguments of `cargo test` that choose the tests.
TESTS = ["--lib", "--test", QUICK_PROGRAM, "--test", STEADY_PROGRAM, "--test", SLOW_PROGRAM]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mutant as cargo-mutants lists it."""

    # In the sample, from 1.
    number: int
    # A name that stays when lines move.
    key: str
    file: Path
    # What is replaced, and by what: characters of the file.
    begin: int
    end: int
    replacement: str
    # The body of the function it is in, with its braces; (0, 0) where it cannot have a branch.
    body: tuple[int, int]


def output_of(
    command: list[str | Path], folder: Path, errors: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; what it prints, and how it ended. Its complaints are shown at once, unless `errors`."""
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        check=False,
    )


def cargo(*command: str | Path, errors: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run cargo or cargo-mutants on the copy, with builds of its own."""
    return output_of(list(command), TREE, errors, CARGO_TARGET_DIR=str(WORK / "build"))


def sources() -> list[Path]:
    """Files of the project that are built, or read by tests."""
    command: list[str | Path] = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    lines = output_of([*command, "--deduplicate"], ROOT).stdout.splitlines()
    return [Path(line) for line in lines if (ROOT / line).is_file()]


def merged(files: list[str]) -> str:
    """A test program of several test files."""
    modules = "".join(f'#[path = "{name}.rs"]\nmod {name};\n' for name in files)
    return f'//! Made by tools/mutants.py.\n\n#[path = "common/mod.rs"]\nmod common;\n{modules}'


def write_if_new(target: Path, content: bytes) -> None:
    """Write a file unless it has this content: cargo goes by the time of the last change."""
    if not target.exists() or target.read_bytes() != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def copy_tree() -> str:
    """Bring the copy up to date, without mutants; a digest of all that can change an outcome."""
    wanted = {path: (ROOT / path).read_bytes() for path in sources()}
    tests = sorted(path.stem for path in wanted if path.parent == FOLDER / "tests" and path.suffix == ".rs")
    # The program of all of them.
    tests.remove("all")
    programs = {
        QUICK_PROGRAM: [name for name in tests if name not in STEADY + SLOW],
        STEADY_PROGRAM: [name for name in tests if name in STEADY],
        SLOW_PROGRAM: [name for name in tests if name in SLOW],
    }
    manifest = FOLDER / "tests" / "Cargo.toml"
    for program, files in programs.items():
        wanted[FOLDER / "tests" / f"{program}.rs"] = merged(files).encode()
        wanted[manifest] += f'\n[[test]]\nname = "{program}"\npath = "{program}.rs"\n'.encode()
    for path in TREE.rglob("*"):
        # What Python and its tests leave beside the sources does no harm.
        if path.is_file() and path.suffix == ".rs" and path.relative_to(TREE) not in wanted:
            path.unlink()
    digest = hashlib.sha256()
    for path, content in sorted(wanted.items()):
        # Those with mutants are written once it is known which compile.
        if not path.is_relative_to(FOLDER / "src"):
            write_if_new(TREE / path, content)
        if path.name.startswith("Cargo.") or (path.suffix in {".rs", ".toml"} and path.parts[0] == "crates"):
            digest.update(f"{path}\0".encode() + content)
    return digest.hexdigest()[:16]


def without_macros() -> Path:
    """Write a copy for cargo-mutants that declares the modules of policies, too: it sees through no macro."""
    for path in sources():
        content = (ROOT / path).read_bytes()
        if path.suffix == ".rs" and (members := MEMBERS.search(content.decode())):
            # At the end, so that lines keep their numbers.
            content += "".join(f"mod {name};\n" for name in re.findall(r"\w+", members[1])).encode()
        write_if_new(LISTED / path, content)
    return LISTED


@functools.cache
def plain(file: Path) -> str:
    """A file of the project as it was when it was read first, whatever becomes of it meanwhile."""
    return (ROOT / file).read_text()


def position(lines: list[str], at: dict[str, int]) -> int:
    """The character at a line and a column, both counted from 1."""
    return sum(map(len, lines[: at["line"] - 1])) + at["column"] - 1


def mutant_of(number: int, key: str, entry: dict[str, Any]) -> Mutant:
    """A mutant of the list that cargo-mutants prints as JSON."""
    file = Path(entry["file"])
    text = plain(file)
    lines = text.splitlines(keepends=True)
    begin, end = (position(lines, entry["span"][which]) for which in ("start", "end"))
    body = (0, 0)
    if function := entry.get("function"):
        first, last = (position(lines, function["span"][which]) for which in ("start", "end"))
        opening = text.index("{", text.index("fn " + function["function_name"].rsplit("::", 1)[-1], first))
        if not ALONE.search(text[first:opening]) and opening <= begin and end <= last:
            body = (opening, last)
    return Mutant(number, key, file, begin, end, entry["replacement"], body)


def by_hand(number: int, entry: dict[str, str]) -> Mutant:
    """A mistake made by hand: what stands once in a file, in a function, and what is to stand there."""
    file, old, new = Path(entry["file"]), entry["from"], entry["to"]
    text = plain(file)
    if text.count(old) != 1:
        sys.exit(f"{file}: {old!r} stands there {text.count(old)} times: tests/mutants.json")
    begin = text.index(old)
    function = [found for found in FUNCTION.finditer(text) if found.start() < begin][-1]
    opening = text.index("{", function.end())
    indent = "\n" + function[1] + "}"
    what = f"in {function[2]}, {' '.join(old.split())} -> {' '.join(new.split())}"
    body = (opening, text.index(indent, opening) + len(indent))
    return Mutant(number, f"{file}: {what}", file, begin, begin + len(old), new, body)


def mutated(text: str, mutant: Mutant, begin: int, end: int) -> str:
    """A part of a file with the mutant in it."""
    return text[begin : mutant.begin] + mutant.replacement + text[mutant.end : end]


def with_branches(text: str, mutants: Iterable[Mutant]) -> tuple[str, list[tuple[int, int, int]]]:
    """A file in which these mutants are branches; the first and the last line of each, and its number."""
    bodies = defaultdict(list)
    for mutant in mutants:
        bodies[mutant.body].append(mutant)
    out, at, line, places = "", 0, 1, []
    for (begin, end), variants in sorted(bodies.items()):
        if begin < at:
            # In a function of another one, which has its branches: these are built by themselves.
            continue
        out += text[at:begin] + "{\n"
        for mutant in variants:
            out += f"if crate::mutants::on({mutant.number}) "
            line = out.count("\n") + 1
            out += mutated(text, mutant, begin, end) + " else\n"
            places.append((line, out.count("\n"), mutant.number))
        out += text[begin:end] + "\n}"
        at = end
    return out + text[at:], places


def write_branches(mutants: Iterable[Mutant]) -> dict[str, list[tuple[int, int, int]]]:
    """Write the copy's files so that these mutants can be chosen; where each one stands, by file."""
    by_file = defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    for path in (ROOT / FOLDER / "src").rglob("*.rs"):
        file = path.relative_to(ROOT)
        if file not in by_file and file.name != "lib.rs":
            write_if_new(TREE / file, plain(file).encode())
    library = FOLDER / "src" / "lib.rs"
    write_if_new(TREE / library, (plain(library) + SWITCHES).encode())
    places = {}
    for file, variants in by_file.items():
        text, places[str(file)] = with_branches(plain(file), variants)
        write_if_new(TREE / file, text.encode())
    return places


def errors() -> list[tuple[str, int]]:
    """File and line of what does not compile."""
    # With what tests need: without it dependencies would have other features, and be built twice.
    command = ["cargo", "test", "--package", PACKAGE, "--lib", "--no-run", "--message-format=json"]
    said = cargo(*command, errors=subprocess.DEVNULL)
    found = []
    for message in map(json.loads, said.stdout.splitlines()):
        if message["reason"] == "compiler-message" and message["message"]["level"] == "error":
            spans = [span for span in message["message"]["spans"] if span["is_primary"]]
            found += [(span["file_name"], span["line_start"]) for span in spans]
    if said.returncode and not found:
        sys.exit("cargo test fails, and says no line")
    return found


def compiling(mutants: list[Mutant]) -> tuple[list[Mutant], list[Mutant], list[Mutant]]:
    """The branches of one build, which the copy then has; those to build alone; what does not compile."""
    kept, failed = [mutant for mutant in mutants if mutant.body[1]], set[int]()
    while True:
        places = write_branches(kept)
        branches = {number for file in places.values() for _, _, number in file}
        kept = [mutant for mutant in kept if mutant.number in branches]
        wrong: set[int] = set()
        for file, line in errors():
            inside = {number for first, last, number in places.get(file, ()) if first <= line <= last}
            if not inside:
                sys.exit(f"{file}:{line} does not compile, and is no mutant's")
            wrong |= inside
        if not wrong:
            alone = [mutant for mutant in mutants if mutant not in kept and mutant.number not in failed]
            return kept, alone, [mutant for mutant in mutants if mutant.number in failed]
        failed |= wrong
        kept = [mutant for mutant in kept if mutant.number not in wrong]


def write_alone(mutant: Mutant) -> bool:
    """Put one mutant into the copy, without a branch. Tells whether it compiles."""
    write_branches([])
    text = plain(mutant.file)
    if mutant.file == FOLDER / "src" / "lib.rs":
        text += SWITCHES
    write_if_new(TREE / mutant.file, mutated(text, mutant, 0, len(text)).encode())
    return not errors()


def programs() -> list[Path]:
    """Build the test programs; where they are, the quickest first."""
    both = ["--package", PACKAGE, "--package", f"{PACKAGE}-tests"]
    said = cargo("cargo", "test", *both, *TESTS, "--no-run", "--message-format=json")
    if said.returncode:
        sys.exit("the tests do not build")
    found = [json.loads(line) for line in said.stdout.splitlines()]
    built = {entry["target"]["name"]: entry["executable"] for entry in found if entry.get("executable")}
    names = (PACKAGE.replace("-", "_"), QUICK_PROGRAM, STEADY_PROGRAM, SLOW_PROGRAM)
    return [Path(built[name]) for name in names]


def python_extension() -> None:
    """Build the Python package's extension module with the mutants that the copy has, into the copy."""
    if cargo("cargo", "build", "--quiet", "--package", "reclaim-py").returncode:
        sys.exit("the extension module does not build")
    shutil.copy(WORK / "build/debug/lib_core.so", TREE / "python/reclaim/_core.abi3.so")

"""Where the instructions of the cross-validation trace go, as docs/performance.md says.

Run it as `python benches/parts.py`.

Counts `whole_drive xval-mini` under cachegrind and adds up lines by the part of the simulator whose file they
stand in. Lines of libraries are shared out by the function that they were inlined into.
"""

import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from run import build, measure

# The first that fits a file's path.
PARTS = {
    "starting operations": r"/engine/(choice|start|transfer|plane_\w+|waiting|stalls)\.rs|/scheduler/",
    "event queue, and fetching ahead": r"/engine/(event_queue|buckets)\.rs|/sim/src/prefetch\.rs",
    "ends of operations": r"/engine/complete\.rs",
    "requests": r"/engine/(requests|pages|delays)\.rs|/(host|metrics)/|/latency\.rs|hdrhistogram",
    "collection jobs, victim choice": r"/engine/(collection|triggers)\.rs|/gc/",
    "loop, dies, operations": r"/engine/",
    "interconnect": r"/interconnect/",
    "translation layer": r"/(ftl|mapping|flash)/",
    "trace": r"crates/trace/|blake3|/replay\.rs|/one_play\.rs",
}


def part_of(file: str) -> str | None:
    """Name the part that a source file belongs to."""
    return next((part for part, files in PARTS.items() if re.search(files, file)), None)


def counted(command: list[str]) -> dict[str, Counter[str]]:
    """Instructions of each function by source file."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={out}"]
        subprocess.run([*tool, *command], check=True, capture_output=True)
        function = file = ""
        for line in out.read_text(errors="replace").splitlines():
            if line.startswith("fl="):
                file = line[3:]
            elif line.startswith("fn="):
                function = line[3:]
            elif line[:1].isdigit():
                found[function][file] += int(line.split()[1])
    return found


def main() -> None:
    """Count, and print the parts, largest first."""
    program = build()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "xval.csv"
        subprocess.run([program, "generate-xval", trace], check=True)
        operations = measure(program, "xval-mini", trace, counting=False)["operations"]
        functions = counted([str(program), "xval-mini", str(trace)])
    parts: Counter[str] = Counter()
    for files in functions.values():
        whole = sum(files.values())
        own: Counter[str] = Counter()
        for file, count in files.items():
            if part := part_of(file):
                own[part] += count
        known = sum(own.values())
        for part, count in own.items():
            parts[part] += count * whole // known
        parts["of none"] += 0 if known else whole
    total = sum(parts.values())
    print(f"{total / 1e9:.1f} G instructions, {total / operations:,.0f} an operation")
    for part, count in parts.most_common():
        print(f"{part:32} {count / 1e9:5.1f} G {count / total:5.0%} {count / operations:6,.0f}")


if __name__ == "__main__":
    main()

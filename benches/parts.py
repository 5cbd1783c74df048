"""Where the instructions of the cross-validation trace go, as docs/performance.md says.

Run it as `python benches/parts.py`.

Counts `whole_drive xval-mini` under cachegrind and adds up lines by the part of the simulator whose file they
stand in. Lines of libraries are shared out by the function that they were inlined into.
"""

import json
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from run import build, under_cachegrind

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


def by_function(lines: list[str]) -> dict[str, Counter[str]]:
    """Instructions of each function by source file, as cachegrind writes them."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    function = file = ""
    for line in lines:
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
        trace, out = Path(folder) / "xval.csv", Path(folder) / "out"
        subprocess.run([program, "generate-xval", trace], check=True)
        said = under_cachegrind([str(program), "xval-mini", str(trace)], out).stdout
        operations = json.loads(said)["operations"]
        functions = by_function(out.read_text(errors="replace").splitlines())
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

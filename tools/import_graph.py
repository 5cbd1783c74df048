"""Draw which room uses which: `python tools/import_graph.py`, or `make graph`.

Reads the sources of all crates and of the Python package; nothing is built. Writes the pictures between the
markers in ARCHITECTURE.md and everything else to out/import-graph.md. `--check` writes nothing and fails if
the pictures are old.
"""

from __future__ import annotations

import sys
from pathlib import Path

from codebase.drawing import pictures, summary
from codebase.rooms import read_codebase

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- made by `make graph`: begin -->\n"
END = "<!-- made by `make graph`: end -->\n"


def with_pictures(document: str, drawn: str) -> str:
    """The document with what stands between the markers replaced."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"ARCHITECTURE.md: the markers {BEGIN.strip()} and {END.strip()} are missing")
    return f"{before}{BEGIN}\n{drawn.strip()}\n\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write or check the drawing."""
    if arguments not in ([], ["--check"]):
        print("usage: python tools/import_graph.py [--check]", file=sys.stderr)
        return 2
    codebase = read_codebase(ROOT)
    document = ROOT / "ARCHITECTURE.md"
    old = document.read_text(encoding="utf-8")
    new = with_pictures(old, pictures(codebase))
    if arguments:
        if new != old:
            print("ARCHITECTURE.md: the import graph is not today's; run `make graph`", file=sys.stderr)
        return int(new != old)
    document.write_text(new, encoding="utf-8")
    full = ROOT / "out" / "import-graph.md"
    full.parent.mkdir(exist_ok=True)
    full.write_text(summary(codebase), encoding="utf-8")
    print(f"ARCHITECTURE.md, {full.relative_to(ROOT)}: {len(codebase.files.nodes)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

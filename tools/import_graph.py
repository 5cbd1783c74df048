"""Which room uses which: `python tools/import_graph.py`, or `make graph`.

Reads the sources of all crates and of the Python package; nothing is built. Says where the drawing in
ARCHITECTURE.md is not true of them, and writes every edge to out/import-graph.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

from codebase.drawing import Drawing, faults, summary
from codebase.rooms import read_codebase

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Look at the drawing; 1 if anything is wrong with it."""
    codebase = read_codebase(ROOT)
    found = faults(Drawing.of((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")), codebase)
    print(*(f"ARCHITECTURE.md: {each}" for each in found), sep="\n", end="\n" if found else "")
    full = ROOT / "out" / "import-graph.md"
    full.parent.mkdir(exist_ok=True)
    full.write_text(summary(codebase), encoding="utf-8")
    print(f"{full.relative_to(ROOT)}: {len(codebase.files.nodes)} files")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

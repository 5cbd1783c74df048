"""`python -m reclaim`."""

import sys
from pathlib import Path

# Python looks for modules in the present folder first: a file there that is called like a library would run.
if sys.path and Path(sys.path[0] or ".").resolve() == Path.cwd() != Path(__file__).resolve().parents[1]:
    del sys.path[0]

from reclaim.cli import main

main()

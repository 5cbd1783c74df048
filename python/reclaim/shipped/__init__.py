"""Where papers, devices, experiments and recordings lie that come with Reclaim.

`papers` and `examples` beside this file are links into a checkout; a wheel has the files themselves.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
PAPERS = (_HERE / "papers").resolve()
_EXAMPLES = (_HERE / "examples").resolve()
DEVICES = _EXAMPLES / "devices"
EXPERIMENTS = _EXAMPLES / "experiments"
RECORDINGS = _EXAMPLES / "traces"

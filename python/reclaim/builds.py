"""Which build of Reclaim this is: what another one has run is not taken for what this one runs.

Its name is its commit, for people, and a digest of what can change a figure, which decides: sources of the
core, versions of its libraries, Python that runs points, and data that runs read. The name is the same for
the same files on every machine: in a checkout, an installed wheel, a package of the sources. It is in no
results file, which has the same bytes whatever has made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from reclaim import _core, input_file
from reclaim.errors import InputError

UNKNOWN = "unknown"
"""What was run before builds were noted, or copied without the log that notes them."""
PACKAGE = Path(__file__).parent
LEFT_OUT = (
    *(
        "cli/",
        "data/suites/",
        "data/templates/",
        "paper/",
        "report/",
        "result/",
        "shipped/",
        "statistics/",
        "validation/",
    ),
    *(
        f"study/{each}"
        for each in ("ablation/", "fitting/", "judging/", "measuring/", "runs.py", "sensitivity/", "tuning/")
    ),
    *("charts.py", "palette.py", "pictures.py", "text_cache.py"),
)
"""What only chooses what is run, or shows it: no stored point depends on it."""
RESULTS = ("changes", "histograms", "reported", "result", "shape", "stats", "streams", "verdict")
"""What of the results a run is written by."""
SHIPPED = ("shipped/examples/devices", "shipped/examples/traces")
"""Data that runs read. What the folders of papers have is in the names of their points, by its content."""
DATA = (".py", ".toml", ".zst")
_NAME = re.compile(r"(?:[0-9a-f]{8}\+?|unknown)-[0-9a-f]{12}")


def _files() -> Iterator[tuple[str, Path]]:
    found = {
        file.relative_to(PACKAGE).as_posix(): file
        for place in (PACKAGE, *(PACKAGE / each for each in SHIPPED))
        for file in place.rglob("*")
        if file.suffix in DATA and file.is_file()
    }
    kept = (*SHIPPED, *(f"result/{each}.py" for each in RESULTS))
    for name in sorted(found):
        if name.startswith(kept) or not name.startswith(LEFT_OUT):
            yield name, found[name]


@cache
def build() -> str:
    """Give the name of this build, as in `8ac998f1-3f2a9c1d04b7`; a `+` says that the commit was changed."""
    found = blake2b(_core.SOURCES.encode(), digest_size=6)
    for name, file in _files():
        content = input_file.data(file)
        found.update(f"{name}\0{len(content)}\0".encode())
        found.update(content)
    commit, _, changed = _core.COMMIT.partition(" ")
    known = commit[:8] if re.fullmatch(r"[0-9a-f]{8,}", commit) else UNKNOWN
    return f"{known}{'+' if changed and known != UNKNOWN else ''}-{found.hexdigest()}"


def same(one: str, other: str) -> bool:
    """Whether two names are of builds that give the same figures, whatever their commits.

    >>> same("8ac998f1-3f2a9c1d04b7", "unknown-3f2a9c1d04b7"), same("unknown", "unknown-3f2a9c1d04b7")
    (True, False)
    """
    return one.rpartition("-")[2] == other.rpartition("-")[2]


def accepts(theirs: str, accepted: Iterable[str]) -> bool:
    """Whether what build `theirs` has run counts here: it gives the same figures, or the user says so."""
    return any(same(theirs, each) for each in (build(), *accepted))


def checked(accepted: Iterable[str], *, option: str = "--accept-build") -> tuple[str, ...]:
    """Give names of builds that a user accepts.

    Raises:
        InputError: for what is no such name.
    """
    found = tuple(accepted)
    for each in found:
        if each != UNKNOWN and not _NAME.fullmatch(each):
            raise InputError(
                f'{option} {each}: is no name of a build; write it as the message has it, as in "{build()}", '
                f'or "{UNKNOWN}"'
            )
    return found


def refusal(theirs: Iterable[str]) -> str:
    """Say of what other builds have run that it does not count, and how it does."""
    found = list(dict.fromkeys(theirs))
    option = " ".join(f"--accept-build {each}" for each in found)
    unknown = " (before builds were noted, or copied without log.jsonl)" if UNKNOWN in found else ""
    return (
        f"run by build {' and '.join(found)}{unknown}, and this is build {build()}: their figures may "
        f"differ; give another folder, or {option} to take them as they are"
    )

"""The samples of a page, in order: files to save, commands, Python; and how a reader runs them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from conftest import ran

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"[Ss]ave (?:this|it) as\s+`([\w.-]+)`:\s*$")
_EXIT_CODE = re.compile(r"# exit code (\d)")


@dataclass(frozen=True)
class Sample:
    """One thing to do: save `text` as `file`, run it as Python, or run the command `words`."""

    text: str
    file: str | None = None
    words: tuple[str, ...] = ()
    codes: tuple[int, ...] = (0,)


def samples(page: str) -> list[Sample]:
    """What a reader saves or runs: in blocks without a language, the commands of `reclaim`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found: list[Sample] = []
    for match in _BLOCK.finditer(text):
        language, code = match.groups()
        named = _FILE.search(text[: match.start()])
        if named:
            found.append(Sample(code, file=named[1]))
        elif language == "python":
            found.append(Sample(code))
        elif language == "":
            lines = code.replace("\\\n", " ").splitlines()
            found += [_command(line) for line in lines if line.startswith("reclaim ")]
    return found


def _command(line: str) -> Sample:
    expected = _EXIT_CODE.search(line)
    code = int(expected[1]) if expected else 0
    codes = (0, 3) if "exit code 3 where" in line else (code,)
    return Sample(line, words=tuple(shlex.split(line, comments=True)), codes=codes)


def run(sample: Sample, folder: Path) -> str:
    """Do what a sample says in a folder where examples/ is; what it prints."""
    if sample.file:
        (folder / sample.file).write_text(sample.text, encoding="utf-8")
        return ""
    if sample.words:
        done = ran(folder, *sample.words[1:], seconds=900)
    else:
        start = [sys.executable, "-W", "ignore", "-c", sample.text]
        done = subprocess.run(start, cwd=folder, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode in sample.codes, f"{sample.text}\n{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_printed(page: str, printed: str, test: str) -> None:
    """Whether a page shows what its sample prints, between two marks; RECLAIM_UPDATE_DOCS=1 renews it."""
    renews = f"RECLAIM_UPDATE_DOCS=1 pytest tests/python/{test}"
    begin, end = f"<!-- what it prints; {renews}: begin -->\n", "<!-- what it prints: end -->"
    path = ROOT / page
    before, rest = path.read_text(encoding="utf-8").split(begin)
    found, after = rest.split(end)
    block = f"\n```text\n{printed.rstrip()}\n```\n\n"
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        path.write_text(f"{before}{begin}{block}{end}{after}", encoding="utf-8")
    else:
        assert found == block, renews
